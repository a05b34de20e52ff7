// The filter of a list of sessions.

import { locateAlertPlace } from '../../alerts/alertLocation.ts';
import type { RawDocument } from '../../contract/rawDocuments.ts';
import { NOT_CHECKED } from '../../evidence/schema/verdict.ts';
import { tenantIn } from '../tenants/ownership.ts';
import { alertFields, alertIn, textAt, textsAt, timeAt, VERDICT_FIELDS, verdictIn } from './fieldAt.ts';

/** Filters sessions. An absent condition matches every session; of several values one is enough. */
export interface SessionFilter {
  /** Statuses of sessions: `in_progress`, `completed` … */
  status?: readonly string[] | undefined;
  /** `investigation`, `chat` or `check`. */
  kind?: readonly string[] | undefined;
  /** Names of alert sources, as in the alert. No index has them: a list filters while it reads. */
  source?: readonly string[] | undefined;
  /** Severities, which sources write as `critical`, `Critical` or `CRITICAL`: each is found. */
  severity?: readonly string[] | undefined;
  /** Names of chains. */
  chain?: readonly string[] | undefined;
  /** A workload, namespace, cluster or project, as a row of the list names it. */
  place?: string | undefined;
  /** Verdicts, `not_checked` among them. No index has them: a list filters while it reads. */
  verdict?: readonly string[] | undefined;
  /** Opened at this time or later. */
  since?: Date | undefined;
  /** Opened at this time or earlier. */
  until?: Date | undefined;
}

/** A page of sessions. */
export interface SessionPage {
  /** The documents of the sessions, the newest first. */
  found: RawDocument[];
  /** For `after` of the next page, which can have sessions after an empty page; null on the last. */
  next: string | null;
}

/** The prefix of a search cursor after all sessions with trigrams. The rest is an id, or empty. */
export const BY_ENTRY = 'entry:';

/** The fields of a session by which an index filters. */
const FIELDS = {
  status: 'status',
  kind: 'kind',
  severity: 'parts.alert.severity',
  chain: 'chain.name',
} as const satisfies Partial<Record<keyof SessionFilter, string>>;

type FieldFilter = Pick<SessionFilter, keyof typeof FIELDS>;

/** The fields of a session that a list has to read for the other filters. */
export const READ_FIELDS: readonly string[] = [...alertFields('source'), ...VERDICT_FIELDS];

/**
 * The fields by which sessions are filtered. Each of them, and the tenant, has an index that ends with
 * `createdAt`; Firestore merges these for a combination of filters.
 * @internal
 */
export const FILTERED_FIELDS: readonly string[] = Object.values(FIELDS);

/** The most combinations of values in a filter; Firestore runs one query for each. */
export const MAX_COMBINATIONS = 30;

/** The number of combinations of values in a filter. */
export function countCombinations(filter: FieldFilter): number {
  return listFieldConditions(filter).reduce((product, { oneOf }) => product * oneOf.length, 1);
}

/** The conditions of a filter on fields of a session. */
export function listFieldConditions(filter: FieldFilter): { field: string; oneOf: readonly string[] }[] {
  return Object.entries(FIELDS).flatMap(([name, field]) => {
    const values = filter[name as keyof typeof FIELDS];
    const oneOf = name === 'severity' ? values?.flatMap(spellings) : values;
    return oneOf === undefined ? [] : [{ field, oneOf: [...new Set(oneOf)] }];
  });
}

/** A word as sources write it. */
function spellings(word: string): string[] {
  const lower = word.toLowerCase();
  return [word, lower, word.toUpperCase(), lower.slice(0, 1).toUpperCase() + lower.slice(1)];
}

/** Whether a session belongs to a tenant; its field `tenantId` must have been read. */
export function isOfTenant({ fields }: RawDocument, tenantId: string): boolean {
  return tenantIn(Object.fromEntries(fields)) === tenantId;
}

/** Whether a session is about a place. */
function isAt(fields: RawDocument['fields'], place: string): boolean {
  const alert = alertIn(fields);
  const source = textAt(alert, 'source') ?? '';
  return Object.values(locateAlertPlace({ source, labels: textsAt(alert, 'labels') })).includes(place);
}

/** Whether a session has a source and a verdict of the filter; needs `READ_FIELDS`. */
export function fitsRead({ fields }: RawDocument, { source, verdict }: SessionFilter): boolean {
  return (
    (source?.includes(textAt(alertIn(fields), 'source') ?? '') ?? true) &&
    (verdict?.includes(verdictIn(fields) ?? NOT_CHECKED) ?? true)
  );
}

/** Whether a session that was read matches the filter. */
export function isListed(document: RawDocument, filter: SessionFilter): boolean {
  const { fields } = document;
  const { since, until, place } = filter;
  const fits = listFieldConditions(filter).every(({ field, oneOf }) =>
    oneOf.includes(textAt(fields, ...field.split('.')) ?? ''),
  );
  const createdAt = Date.parse(timeAt(fields, 'createdAt') ?? '');
  return (
    fits &&
    fitsRead(document, filter) &&
    (place === undefined || isAt(fields, place)) &&
    !(since !== undefined && !(createdAt >= since.getTime())) &&
    !(until !== undefined && !(createdAt <= until.getTime()))
  );
}
