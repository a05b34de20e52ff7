// Lists runs, page by page.

import type { Store } from '../core/contract/store.ts';
import type { StageFeature } from '../core/kernel/stageFeature.ts';
import { paths, sessionType } from '../core/schema/coreDocuments.ts';
import { withPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import { cutPage } from '../kits/views/readPage.ts';
import { chooseFilterTexts, type FilterValues, listFilterTexts } from '../schema/filterTexts.ts';
import { RUN_FILTERS_FIELD, runFiltersPart } from '../schema/runLabels.ts';
import { type RunState, toRunState } from './followRun.ts';

/** Which runs to list. */
export interface ListOptions {
  /** Only runs of this owner. Default: of all. */
  tenant?: string;
  /** Only runs with all of these labels. */
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
  /** At most `limit`. Of three filters, two are looked up: then fewer, where others lie between them. */
  runs: RunState[];
  /** For `after`; null on the last page. */
  next: string | null;
}

/** The values of filters, those that find fewer runs first. */
const filterValues = ({ labels = {}, tenant, status }: ListOptions): FilterValues => ({
  ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`label ${name}`, [value]])),
  ...(tenant !== undefined && { tenant: [tenant] }),
  ...(status !== undefined && { status }),
});

/** Keeps the texts by which lists find a run in step with it. */
export const RUN_FILTERS: StageFeature = {
  deriveFields(session) {
    const { labels, tenant, status } = toRunState(session);
    const texts = listFilterTexts(filterValues({ labels, tenant, status: [status] }));
    return withPart(runFiltersPart, session, texts);
  },
};

/**
 * A page of runs. It reads `limit` runs and one more.
 * @throws RetryableError when the store fails; TerminalError for a broken document.
 */
export async function listRuns(options: ListOptions, { store }: { store: Store }): Promise<RunPage> {
  const { tenant, labels = {}, status, after, limit = 100 } = options;
  const texts = chooseFilterTexts(filterValues(options));
  const query = {
    collection: paths.sessions,
    equal: {},
    ...(texts !== undefined && { anyOf: { field: RUN_FILTERS_FIELD, values: texts } }),
    ...(after !== undefined && { afterId: after }),
    limit: limit + 1,
  };
  const found = await store.find(query, sessionType);
  const { page, next } = cutPage(found, limit);
  const runs = page
    .map(({ value }) => toRunState(value))
    .filter((run) => tenant === undefined || run.tenant === tenant)
    .filter((run) => status?.includes(run.status) ?? true)
    .filter((run) => Object.entries(labels).every(([name, value]) => run.labels[name] === value));
  return { runs, next };
}
