// Rows of the list: their content, order, filters, and repeats of one alert.

import type { ParametersOf } from '../../../shared/client/routes.ts';
import type { Approval, SessionRow } from '../../../shared/lists/apiTypes.ts';
import { dayText } from '../model/format.ts';
import { hasEnded } from '../model/status.ts';
import { shortName } from '../model/steps.ts';

/** A session as far as it is known: the stream names sessions before a page has their rows. */
export type KnownRow = Partial<SessionRow> & Pick<SessionRow, 'sessionId' | 'status'>;

/** A message of the stream of sessions. */
export interface SessionState extends KnownRow {
  status: string;
  paused?: { by: string; at: string } | null;
}

/** A session as the list shows it. */
export interface ListRow extends KnownRow {
  /** Its status, `waits` while an approval is pending and `paused` after a person paused it. */
  shown: string | null;
  finding: string;
  /** Codes of the limits of a completed session's analysis. */
  limits: readonly string[];
  /** Earlier sessions about the same alert, the newest first. */
  earlier: ListRow[];
}

/** The filters of a list. Empty for all. */
export interface Filters {
  show: string;
  source: string;
  severity: string;
  chain: string;
  /** A workload, namespace, cluster or project. */
  place: string;
  /** A status of ended or deferred sessions. */
  outcome: string;
  /** When sessions were opened: a key of `RANGES`, or ISO 8601. */
  since: string;
  /** ISO 8601. */
  until: string;
  q: string;
}

/** The filters for people, in the order of the address. */
export const FILTER_NAMES: Readonly<Record<keyof Filters, string>> = {
  show: 'status',
  source: 'source',
  severity: 'severity',
  chain: 'chain',
  place: 'place',
  outcome: 'outcome',
  since: 'from',
  until: 'to',
  q: 'words',
};
const HOUR_MS = 3_600_000;
/** Ranges of time that end now. */
export const RANGES: Readonly<Record<string, { name: string; ms: number }>> = {
  '1h': { name: 'Last hour', ms: HOUR_MS },
  '24h': { name: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { name: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { name: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
};

/** Statuses of sessions that do not run. */
export const OUTCOMES = ['completed', 'failed', 'timed_out', 'cancelled', 'deferred'] as const;

/** The filters of an address. An invalid value is left out, and `until` beside a range, which ends now. */
export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const invalid = new Set(findInvalidFilters(query).map(({ name }) => name));
  const given = (name: string) => (invalid.has(name as keyof Filters) ? '' : (query[name] ?? ''));
  const read = Object.fromEntries(Object.keys(FILTER_NAMES).map((name) => [name, given(name)]));
  const filters = read as unknown as Filters;
  const { since, until } = filters;
  return findRange(since)
    ? { ...filters, until: '' }
    : { ...filters, since: toIsoTime(since), until: toIsoTime(until) };
}

const TIMES = 'a date such as 2026-11-24';
/** The filters that take only some values: whether they take one, and the values in words. */
const TAKEN: Partial<Record<keyof Filters, { takes: (value: string) => boolean; values: string }>> = {
  show: { takes: (value) => SHOWN.has(value), values: 'waits, running, failed, chats or checks' },
  outcome: { takes: (value) => OUTCOMES.some((one) => one === value), values: OUTCOMES.join(', ') },
  since: {
    takes: (value) => findRange(value) !== undefined || toIsoTime(value) !== '',
    values: `${Object.keys(RANGES).join(', ')}, or ${TIMES}`,
  },
  until: { takes: (value) => toIsoTime(value) !== '', values: TIMES },
};

/** A filter of an address whose value is invalid, with the values that it takes. */
export interface InvalidFilter {
  name: keyof Filters;
  value: string;
  values: string;
}

/** The filters of an address whose values are invalid. */
export function findInvalidFilters(query: Readonly<Record<string, string>>): InvalidFilter[] {
  return Object.entries(TAKEN).flatMap(([name, { takes, values }]) => {
    const value = query[name] ?? '';
    return value === '' || takes(value) ? [] : [{ name: name as keyof Filters, value, values }];
  });
}

/** The value of a filter for people. */
export function filterText(name: keyof Filters, value: string): string {
  if (name === 'since' || name === 'until') return findRange(value)?.name ?? dayText(value);
  if (name === 'show') return SHOWS.find(({ id }) => id === value)?.name ?? value;
  if (name === 'severity') return value.toLowerCase();
  return name === 'outcome' ? value.replace('_', ' ') : value;
}

/** A time as ISO 8601; '' for an invalid one. */
export function toIsoTime(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** A range that ends now; undefined for any other text. */
export function findRange(since: string): { name: string; ms: number } | undefined {
  return Object.hasOwn(RANGES, since) ? RANGES[since] : undefined;
}

/** The address of the list with these filters. */
export function composeListAddress(filters: Filters): string {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  return set.length === 0 ? '/' : `/?${new URLSearchParams(set)}`;
}

/** The start of a range at a time, in milliseconds; undefined without one. */
function computeRangeStart({ since }: Filters, now: number): number | undefined {
  if (since === '') return undefined;
  const range = findRange(since);
  return range === undefined ? Date.parse(since) : now - range.ms;
}

/** The row of a session. */
export function listRow(
  row: KnownRow,
  state: SessionState | undefined,
  approvals: readonly Approval[],
): ListRow {
  const status = state?.status ?? row.status;
  const approval = approvals.find(({ sessionId }) => sessionId === row.sessionId);
  const merged = { ...row, status, endedAt: state?.endedAt ?? row.endedAt ?? null };
  const runs = !hasEnded(status);
  const limits = status === 'completed' ? (row.caveats ?? []) : [];
  const ended = limits.length > 0 ? 'limited' : status;
  const shown = approval && runs ? 'waits' : state?.paused && runs ? 'paused' : ended;
  return { ...merged, shown, limits, finding: describeRowFinding(merged, state, approval), earlier: [] };
}

function describeRowFinding(
  row: KnownRow,
  state: SessionState | undefined,
  approval: Approval | undefined,
): string {
  if (approval !== undefined && !hasEnded(row.status))
    return `${approval.agentName} requests to run ${shortName(approval.toolName)}.`;
  const { failure, executiveSummary } = { ...row, ...state };
  if (failure) return `${failure.code}: ${failure.message}`;
  if (executiveSummary) return executiveSummary;
  if (row.status === 'in_progress') return describeRowActivity(row, state);
  if (row.status === 'deferred') return 'Deferred: not investigated yet.';
  return row.analysisStart ?? '';
}

/** The activity of a running session: its agent, or how many run, and the reason of a wait. */
function describeRowActivity({ agents = [] }: Partial<SessionRow>, state: SessionState | undefined): string {
  if (state?.paused) return `Paused by ${state.paused.by}.`;
  const [first, second] = agents;
  if (first === undefined) return 'Waiting for a function.';
  const away = agents.find(({ outageCode }) => outageCode !== null);
  if (away?.outageCode === 'QUOTA_REACHED') return `${away.agentName} waits for a quota.`;
  if (away !== undefined) return `${away.agentName} waits for its model (${away.outageCode}).`;
  if (second === undefined) return `${first.agentName} ${agentActivity(first)}.`;
  // The others wait for these.
  const active = agents.filter(({ status }) => status !== 'waiting');
  const names = active.slice(0, 3).map(({ agentName }) => agentName);
  const rest = active.length - names.length;
  if (active.length === 1 && active[0] !== undefined)
    return `${active[0].agentName} ${agentActivity(active[0])}.`;
  return `${agents.length} agents run: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

function agentActivity({ status, iteration }: SessionRow['agents'][number]): string {
  if (status === 'pending') return 'waits for a function';
  if (status === 'waiting') return `waits for its calls (iteration ${iteration})`;
  return `runs (iteration ${iteration})`;
}

const RANK: Record<string, number> = { waits: 0, paused: 1, in_progress: 1, cancelling: 1 };

/** Sessions that need approval, then running ones, then ended ones, each by time. */
export function byNeed(a: ListRow, b: ListRow): number {
  const rank = ({ shown }: ListRow) => RANK[shown ?? ''] ?? 2;
  return rank(a) - rank(b) || (b.createdAt ?? '').localeCompare(a.createdAt ?? '');
}

/** Other kinds have lists of their own: one client of chats would hide the incidents. */
const isOwnKind = ({ kind }: ListRow) => ['chat', 'check', 'fork'].includes(kind ?? '');
const SHOWN = new Map<string, (row: ListRow) => boolean>([
  ['', (row) => !isOwnKind(row) || row.shown === 'waits'],
  ['waits', ({ shown }) => shown === 'waits'],
  ['running', (row) => !isOwnKind(row) && ['in_progress', 'cancelling', 'paused'].includes(row.shown ?? '')],
  ['failed', (row) => !isOwnKind(row) && (row.shown === 'failed' || row.shown === 'timed_out')],
  ['chats', ({ kind }) => kind === 'chat'],
  ['checks', ({ kind }) => kind === 'check'],
  ['forks', ({ kind }) => kind === 'fork'],
]);

/** The filters by status, in their order. */
export const SHOWS = [
  { id: '', name: 'All' },
  { id: 'waits', name: 'Needs approval' },
  { id: 'running', name: 'Running' },
  { id: 'failed', name: 'Failed' },
  { id: 'chats', name: 'Chats' },
  { id: 'checks', name: 'Checks' },
  { id: 'forks', name: 'Forks' },
] as const;

/** Whether a row is of a status that is filtered by. */
export function isShown(row: ListRow, show: string): boolean {
  return SHOWN.get(show)?.(row) ?? true;
}

const HAS_WORD = /[\p{L}\p{N}]/u;

/** The query for the API at a time: the start of a range depends on it. */
export function parametersAt(query: string, now: number): ParametersOf<'GET /v1/sessions'> {
  const made = new URLSearchParams(query);
  const range = findRange(made.get('since') ?? '');
  if (range !== undefined) made.set('since', new Date(now - range.ms).toISOString());
  return Object.fromEntries(made);
}

const OPEN = 'in_progress,cancelling';
/** The part of a query for each filter by status. */
const SHOW_QUERIES: Readonly<Record<string, { kind?: string; status?: string }>> = {
  '': { kind: 'investigation' },
  // Chats and checks can wait as well.
  waits: { status: OPEN },
  running: { kind: 'investigation', status: OPEN },
  failed: { kind: 'investigation', status: 'failed,timed_out' },
  chats: { kind: 'chat' },
  checks: { kind: 'check' },
  forks: { kind: 'fork' },
};

/** The query for the API, which searches all pages. */
export function composeListQuery(filters: Filters): string {
  const { show, source, severity, chain, place, outcome, since, until, q } = filters;
  const query = new URLSearchParams({ ...SHOW_QUERIES[show] });
  if (outcome !== '') query.set('status', outcome);
  if (since !== '') query.set('since', since);
  if (until !== '') query.set('until', until);
  if (HAS_WORD.test(place)) query.set('place', place.slice(0, 200));
  if (source !== '') query.set('source', source);
  if (severity !== '') query.set('severity', severity);
  if (chain !== '') query.set('chain', chain);
  // As long as the API takes, and with a letter or a digit.
  if (HAS_WORD.test(q)) query.set('q', q.trim().slice(0, 200));
  return `${query}`;
}

/**
 * Whether a row fits all filters.
 * @param found Sessions that the API found: it searches more than the rows.
 * @param now in milliseconds.
 */
export function fitsFilters(
  row: ListRow,
  filters: Filters,
  found: ReadonlySet<string>,
  now: number,
): boolean {
  const { show, source, severity, chain, place, outcome, until, q } = filters;
  const opened = Date.parse(row.createdAt ?? '');
  const start = computeRangeStart(filters, now);
  const text = `${row.title} ${row.finding} ${row.sessionId} ${row.source} ${row.chain}`.toLowerCase();
  return (
    isShown(row, show) &&
    (source === '' || row.source === source) &&
    (severity === '' || row.severity?.toLowerCase() === severity.toLowerCase()) &&
    (chain === '' || row.chain === chain) &&
    (place === '' || Object.values(row.place ?? {}).includes(place)) &&
    (outcome === '' || row.status === outcome) &&
    (start === undefined || opened >= start) &&
    (until === '' || opened <= Date.parse(until)) &&
    (text.includes(q.trim().toLowerCase()) || found.has(row.sessionId))
  );
}

/** Sessions about the same alert as one row: the newest, with those that ended before it behind it. */
export function foldRepeats(rows: readonly ListRow[]): ListRow[] {
  const firsts = new Map<string, ListRow>();
  return rows.flatMap((row) => {
    const key = `${row.source} ${row.title}`;
    const first = firsts.get(key);
    const folds = first !== undefined && row.source != null && hasEnded(row.status) && row.kind !== 'chat';
    if (folds) {
      first.earlier.push(row);
      return [];
    }
    const made = { ...row, earlier: [] };
    if (!firsts.has(key)) firsts.set(key, made);
    return [made];
  });
}
