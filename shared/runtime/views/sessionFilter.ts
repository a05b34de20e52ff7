// Which sessions a list has.

import type { RawDocument } from '../../contract/rawDocuments.ts';
import { tenantIn } from '../tenants/ownership.ts';
import { textAt, timeAt } from './fieldAt.ts';

/** Which sessions are listed. What is absent does not matter; of several values one is enough. */
export interface SessionFilter {
  status?: readonly string[] | undefined;
  source?: readonly string[] | undefined;
  severity?: readonly string[] | undefined;
  chain?: readonly string[] | undefined;
  /** Opened no earlier, no later. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** A page of sessions. */
export interface SessionPage {
  found: RawDocument[];
  /** For `after` of the next page, which may have sessions also where this one has none; null when that is all. */
  next: string | null;
}

/** What a cursor of a search begins with behind all sessions with trigrams. The rest is the id of a session, or empty. */
export const BY_ENTRY = 'entry:';

/** The fields of a session that a filter names, in the order of their indexes. */
const FIELDS = {
  status: 'status',
  source: 'alert.source',
  severity: 'alert.severity',
  chain: 'chain.name',
} as const satisfies Partial<Record<keyof SessionFilter, string>>;

type FieldFilter = Pick<SessionFilter, keyof typeof FIELDS>;

/**
 * The fields by which sessions are filtered. Each combination of them, with the tenant and without, has an index that ends
 * with `createdAt`.
 * @internal
 */
export const FILTERED_FIELDS: readonly string[] = Object.values(FIELDS);

/** Firestore makes one query of each combination of values, and takes so many. */
export const MAX_COMBINATIONS = 30;

/** How many combinations of values a filter has. */
export function combinationsOf(filter: FieldFilter): number {
  return conditionsOf(filter).reduce((product, { oneOf }) => product * oneOf.length, 1);
}

/** What the fields of a session must be. */
export function conditionsOf(filter: FieldFilter): { field: string; oneOf: readonly string[] }[] {
  return Object.entries(FIELDS).flatMap(([name, field]) => {
    const oneOf = filter[name as keyof typeof FIELDS];
    return oneOf === undefined ? [] : [{ field, oneOf: [...new Set(oneOf)] }];
  });
}

/** Whether a session is a tenant's; its field `tenantId` must have been read. */
export function isOfTenant({ fields }: RawDocument, tenantId: string): boolean {
  return tenantIn(Object.fromEntries(fields)) === tenantId;
}

/** Whether a session that was read is one of the list. */
export function isListed({ fields }: RawDocument, filter: SessionFilter): boolean {
  const { since, until } = filter;
  const fits = conditionsOf(filter).every(({ field, oneOf }) =>
    oneOf.includes(textAt(fields, ...field.split('.')) ?? ''),
  );
  const createdAt = Date.parse(timeAt(fields, 'createdAt') ?? '');
  return (
    fits &&
    !(since !== undefined && !(createdAt >= since.getTime())) &&
    !(until !== undefined && !(createdAt <= until.getTime()))
  );
}
