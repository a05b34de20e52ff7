// The filter of a list of sessions.

import type { RawDocument } from '../../contract/rawDocuments.ts';
import { tenantIn } from '../tenants/ownership.ts';
import { textAt, timeAt } from './fieldAt.ts';

/** Filters sessions. An absent condition matches every session; of several values one is enough. */
export interface SessionFilter {
  status?: readonly string[] | undefined;
  source?: readonly string[] | undefined;
  severity?: readonly string[] | undefined;
  chain?: readonly string[] | undefined;
  /** Opened at this time or later, or at this time or earlier. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** A page of sessions. */
export interface SessionPage {
  found: RawDocument[];
  /** For `after` of the next page, which can contain sessions even if this page is empty; null on the last page. */
  next: string | null;
}

/** The prefix of a search cursor after all sessions with trigrams. The rest is the id of a session, or empty. */
export const BY_ENTRY = 'entry:';

/** The fields of a session that a filter uses, in the order of their indexes. */
const FIELDS = {
  status: 'status',
  source: 'alert.source',
  severity: 'alert.severity',
  chain: 'chain.name',
} as const satisfies Partial<Record<keyof SessionFilter, string>>;

type FieldFilter = Pick<SessionFilter, keyof typeof FIELDS>;

/**
 * The fields by which sessions are filtered. Each combination of them, with and without the tenant, has an index that
 * ends with `createdAt`.
 * @internal
 */
export const FILTERED_FIELDS: readonly string[] = Object.values(FIELDS);

/** The most combinations of values in a filter; Firestore runs one query for each. */
export const MAX_COMBINATIONS = 30;

/** The number of combinations of values in a filter. */
export function combinationsOf(filter: FieldFilter): number {
  return conditionsOf(filter).reduce((product, { oneOf }) => product * oneOf.length, 1);
}

/** The conditions of a filter on fields of a session. */
export function conditionsOf(filter: FieldFilter): { field: string; oneOf: readonly string[] }[] {
  return Object.entries(FIELDS).flatMap(([name, field]) => {
    const oneOf = filter[name as keyof typeof FIELDS];
    return oneOf === undefined ? [] : [{ field, oneOf: [...new Set(oneOf)] }];
  });
}

/** Whether a session belongs to a tenant; its field `tenantId` must have been read. */
export function isOfTenant({ fields }: RawDocument, tenantId: string): boolean {
  return tenantIn(Object.fromEntries(fields)) === tenantId;
}

/** Whether a session that was read matches the filter. */
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
