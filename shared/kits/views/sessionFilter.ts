// The filter of a list of sessions, and the values of a session by which it is found.

import { locateAlertPlace, type Place } from '../../alerts/alertLocation.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { RawDocument, RawMap } from '../../contract/rawDocuments.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { NOT_CHECKED, verdictPart } from '../../evidence/schema/verdict.ts';
import { type FilterValues, listFilterTexts, listPart } from '../../schema/filterTexts.ts';
import { tenantIn } from '../tenants/ownership.ts';
import { alertFields, alertIn, textAt, textsAt, timeAt, VERDICT_FIELDS, verdictIn } from './fieldAt.ts';

/** Filters sessions. An absent condition matches every session; of several values one is enough. */
export interface SessionFilter {
  /** Statuses of sessions: `in_progress`, `completed` … */
  status?: readonly string[] | undefined;
  /** `investigation`, `chat` or `check`. */
  kind?: readonly string[] | undefined;
  /** Names of alert sources, as in the alert. */
  source?: readonly string[] | undefined;
  /** Severities, which sources write as `critical`, `Critical` or `CRITICAL`: each is found. */
  severity?: readonly string[] | undefined;
  /** Names of chains. */
  chain?: readonly string[] | undefined;
  /** A workload, namespace, cluster or project, as a row of the list names it. */
  place?: string | undefined;
  /** Verdicts, `not_checked` among them. */
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

type ValueFilter = Omit<SessionFilter, 'since' | 'until'>;

/** The filters that an index answers, those that find fewer sessions first. */
const FILTERS = ['place', 'chain', 'source', 'severity', 'verdict', 'status', 'kind'] as const;

/** The fields of a session that a list reads to check its filters. */
export const FILTERED_FIELDS: readonly string[] = [
  ...['status', 'kind', 'chain.name', 'createdAt'],
  ...alertFields('source', 'severity', 'labels'),
  ...VERDICT_FIELDS,
];

/** The most combinations of values of two filters; Firestore looks each of them up. */
export const MAX_COMBINATIONS = 30;

/** The greatest number of combinations of values that two filters have. */
export function countCombinations(filter: ValueFilter): number {
  const [most = 1, next = 1] = Object.values(filterValues(filter))
    .map(({ length }) => length)
    .sort((a, b) => b - a);
  return most * next;
}

/** The values of a filter by name, in the order in which an index looks them up. */
export function filterValues(filter: ValueFilter): FilterValues {
  const given = FILTERS.flatMap((name): [string, string[]][] => {
    const values = name === 'place' ? filter.place && [filter.place] : filter[name];
    if (values === undefined || values === '') return [];
    return [[name, [...new Set(name === 'severity' ? values.map(toLowerCase) : values)]]];
  });
  return Object.fromEntries(given);
}

/** The values of a session by the names of filters. */
const sessionValues = ({ status, kind, chain, source, severity, labels, verdict }: Facts): FilterValues => {
  const place: Partial<Place> = source === null ? {} : locateAlertPlace({ source, labels });
  return {
    place: Object.values(place).filter((one) => one !== null),
    ...{ chain: listOf(chain), source: listOf(source), status: listOf(status), kind: listOf(kind) },
    severity: listOf(severity).map(toLowerCase),
    verdict: [verdict ?? NOT_CHECKED],
  };
};

interface Facts
  extends Record<'status' | 'kind' | 'chain' | 'source' | 'severity' | 'verdict', string | null> {
  labels: Record<string, string>;
}

const listOf = (value: string | null): string[] => (value === null ? [] : [value]);
const toLowerCase = (text: string): string => text.toLowerCase();

/** A session with the texts by which lists find it. */
export function withFilters(session: Session): Session {
  const { status, kind, chain } = session;
  const { source = null, severity = null, labels = {} } = readSessionAlert(session) ?? {};
  const verdict = readPart(verdictPart, session)?.value ?? null;
  const values = sessionValues({ status, kind, chain: chain.name, source, severity, labels, verdict });
  return withPart(listPart, session, { filters: listFilterTexts(values) });
}

/** Keeps the texts of a session in step with its fields. */
export const LISTED_FIELDS: StageFeature = { deriveFields: withFilters };

const valuesIn = (fields: RawMap): FilterValues => {
  const alert = alertIn(fields);
  return sessionValues({
    status: textAt(fields, 'status'),
    kind: textAt(fields, 'kind'),
    chain: textAt(fields, 'chain', 'name'),
    source: textAt(alert, 'source'),
    severity: textAt(alert, 'severity'),
    labels: textsAt(alert, 'labels'),
    verdict: verdictIn(fields),
  });
};

/** Whether a session belongs to a tenant; its field `tenantId` must have been read. */
export function isOfTenant({ fields }: RawDocument, tenantId: string): boolean {
  return tenantIn(Object.fromEntries(fields)) === tenantId;
}

/** Whether a session matches the filter; needs `FILTERED_FIELDS`. */
export function isListed({ fields }: RawDocument, filter: SessionFilter): boolean {
  const { since, until } = filter;
  const values = valuesIn(fields);
  const createdAt = Date.parse(timeAt(fields, 'createdAt') ?? '');
  return (
    Object.entries(filterValues(filter)).every(([name, wanted]) =>
      wanted.some((value) => values[name]?.includes(value)),
    ) &&
    !(since !== undefined && !(createdAt >= since.getTime())) &&
    !(until !== undefined && !(createdAt <= until.getTime()))
  );
}
