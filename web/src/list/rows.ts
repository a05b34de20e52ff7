// Rows of the list: their content, order, filters, and repeats of one alert.

import type { Approval, SessionRow } from '../../../shared/api/types.ts';
import { hasEnded } from '../model/status.ts';
import { shortName } from '../model/steps.ts';

/** A message of the stream of sessions. */
export interface SessionState extends Partial<SessionRow> {
  sessionId: string;
  status: string;
  paused?: { by: string; at: string } | null;
}

/** A session as the list shows it. */
export interface ListRow extends SessionRow {
  /** Its status, `waits` while an approval is pending and `paused` after a person paused it. */
  shown: string | null;
  finding: string;
  /** Earlier sessions about the same alert, the newest first. */
  earlier: ListRow[];
}

/** The filters of a list. Empty for all. */
export interface Filters {
  show: string;
  source: string;
  severity: string;
  chain: string;
  q: string;
}

/** The row of a session. */
export function listRow(
  row: SessionRow,
  state: SessionState | undefined,
  approvals: readonly Approval[],
): ListRow {
  const status = state?.status ?? row.status;
  const approval = approvals.find(({ sessionId }) => sessionId === row.sessionId);
  const merged = { ...row, status, endedAt: state?.endedAt ?? row.endedAt };
  const runs = !hasEnded(status);
  const shown = approval && runs ? 'waits' : state?.paused && runs ? 'paused' : status;
  return { ...merged, shown, finding: findingOf(merged, state, approval), earlier: [] };
}

function findingOf(row: SessionRow, state: SessionState | undefined, approval: Approval | undefined): string {
  if (approval !== undefined && !hasEnded(row.status))
    return `${approval.agentName} requests to run ${shortName(approval.toolName)}.`;
  const { failure, executiveSummary } = { ...row, ...state };
  if (failure) return `${failure.code}: ${failure.message}`;
  if (executiveSummary) return executiveSummary;
  if (row.status === 'in_progress') return 'Investigation in progress.';
  if (row.status === 'deferred') return 'Deferred: not investigated yet.';
  return '';
}

const RANK: Record<string, number> = { waits: 0, paused: 1, in_progress: 1, cancelling: 1 };

/** Sessions that need approval, then running ones, then ended ones, each by time. */
export function byNeed(a: ListRow, b: ListRow): number {
  const rank = ({ shown }: ListRow) => RANK[shown ?? ''] ?? 2;
  return rank(a) - rank(b) || (b.createdAt ?? '').localeCompare(a.createdAt ?? '');
}

const SHOWN: Record<string, (row: ListRow) => boolean> = {
  waits: ({ shown }) => shown === 'waits',
  running: ({ shown }) => ['in_progress', 'cancelling', 'paused', 'waits'].includes(shown ?? ''),
  failed: ({ shown }) => shown === 'failed' || shown === 'timed_out',
};

/** The filters by status, in their order. */
export const SHOWS = [
  { id: '', name: 'All' },
  { id: 'waits', name: 'Needs approval' },
  { id: 'running', name: 'Running' },
  { id: 'failed', name: 'Failed' },
] as const;

/** Whether a row is of a status that is filtered by. */
export function isShown(row: ListRow, show: string): boolean {
  return SHOWN[show]?.(row) ?? true;
}

/** The query for the API. Running sessions are all loaded; ended ones are searched there. */
export function queryOf({ show, source, severity, chain, q }: Filters): string {
  const query = new URLSearchParams();
  if (show === 'failed') query.set('status', 'failed,timed_out');
  if (source !== '') query.set('source', source);
  if (severity !== '') query.set('severity', severity);
  if (chain !== '') query.set('chain', chain);
  // As long as the API takes, and with a letter or a digit.
  if (/[\p{L}\p{N}]/u.test(q)) query.set('q', q.trim().slice(0, 200));
  return query.size === 0 ? '' : `&${query}`;
}

/** Whether a row fits all filters. @param found Sessions that the API found: it searches more than the rows. */
export function fits(row: ListRow, filters: Filters, found: ReadonlySet<string>): boolean {
  const { show, source, severity, chain, q } = filters;
  const text = `${row.title} ${row.finding} ${row.sessionId} ${row.source} ${row.chain}`.toLowerCase();
  return (
    isShown(row, show) &&
    (source === '' || row.source === source) &&
    (severity === '' || row.severity === severity) &&
    (chain === '' || row.chain === chain) &&
    (text.includes(q.trim().toLowerCase()) || found.has(row.sessionId))
  );
}

/** Sessions about the same alert as one row: the newest, with those that ended before it behind it. */
export function foldRepeats(rows: readonly ListRow[]): ListRow[] {
  const firsts = new Map<string, ListRow>();
  return rows.flatMap((row) => {
    const key = `${row.source} ${row.title}`;
    const first = firsts.get(key);
    const folds = first !== undefined && row.source !== null && hasEnded(row.status) && row.kind !== 'chat';
    if (folds) {
      first.earlier.push(row);
      return [];
    }
    const made = { ...row, earlier: [] };
    if (!firsts.has(key)) firsts.set(key, made);
    return [made];
  });
}
