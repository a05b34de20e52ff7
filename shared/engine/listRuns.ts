// Lists runs, page by page.

import type { Store } from '../core/contract/store.ts';
import { paths, sessionType } from '../core/schema/coreDocuments.ts';
import { SESSION_STATUSES, type Session } from '../core/schema/session.ts';
import { type RunState, toRunState } from './followRun.ts';

/** Which runs to list. */
export interface ListOptions {
  /** Only runs of this owner. Default: of all. */
  tenant?: string;
  /** Only runs with all of these labels. They have no index: a page is read, and the others left out. */
  labels?: Readonly<Record<string, string>>;
  /** Only runs in these statuses. Default: in all. */
  status?: readonly Session['status'][];
  /** `next` of the page before. Default: the first page. */
  after?: string;
  /** The most runs of a page, 1 to 1,000. Default: 100. */
  limit?: number;
}

/** A page of runs, in the order of their ids. */
export interface RunPage {
  /** At most `limit`; fewer where runs of other tenants or labels lie between them. */
  runs: RunState[];
  /** For `after`; null on the last page. */
  next: string | null;
}

/** A page of runs. @throws RetryableError when the store fails; TerminalError for a broken document. */
export async function listRuns(
  { tenant, labels = {}, status = SESSION_STATUSES, after, limit = 100 }: ListOptions,
  { store }: { store: Store },
): Promise<RunPage> {
  const query = { collection: paths.sessions, field: 'status', oneOf: [...status], limit };
  const ids = await store.listIds({ ...query, ...(after !== undefined && { afterId: after }) });
  const sessions = await Promise.all(ids.map((id) => store.get(paths.session(id), sessionType)));
  const runs = sessions
    .flatMap((stored) => (stored === undefined ? [] : [toRunState(stored.value)]))
    .filter((run) => tenant === undefined || run.tenant === tenant)
    .filter((run) => Object.entries(labels).every(([name, value]) => run.labels[name] === value));
  return { runs, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
}
