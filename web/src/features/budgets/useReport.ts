// A report of usage: all its pages, or the counts of budgets where the server has no report.

import { ApiError } from '../../../../shared/client/apiError.ts';
import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { setServerNow } from '../../api/clock.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import { addPages, countedRows, type Grouping, type UsageRow } from './report.ts';

/** The usage of a period. */
export interface Report {
  rows: UsageRow[];
  /** `counted`: only by budgets. `none`: this server does not have this grouping. */
  from: 'report' | 'counted' | 'none';
  /** How many sessions were looked at; null where that is not known. */
  sessions: number | null;
  /** Whether there are more sessions. */
  isCut: boolean;
}

type Page = AnswerOf<'GET /v1/usage/{by}'>;

/** Pages that are read: 500 sessions of a report that reads into each. */
const MAX_PAGES = 5;
/** Days for which counts of budgets are kept. */
const COUNTED_DAYS = 30;

/** Reads usage of the last days. */
export function useReport(by: Grouping, days: number): Resource<Report> {
  return useResource((left) => readReport(by, days, left), [by, days]);
}

async function readReport(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  try {
    return await readPages(by, days, own);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return readCounted(by, days, own);
  }
}

async function readPages(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  const pages: Page[] = [];
  for (let after: string | null | undefined; after !== null && pages.length < MAX_PAGES; ) {
    const page: Page = await api.get('/v1/usage/{by}', { by, days, after }, own);
    setServerNow(page.now);
    pages.push(page);
    after = page.next;
  }
  return {
    rows: addPages(pages.map(({ usage }) => usage)),
    from: 'report',
    sessions: pages.reduce((sum, { sessions }) => sum + sessions, 0),
    isCut: pages.at(-1)?.next != null,
  };
}

async function readCounted(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  if (by !== 'day' && by !== 'chain') return { rows: [], from: 'none', sessions: null, isCut: false };
  const { usage, now } = await api.get('/v1/usage', { days: Math.min(days, COUNTED_DAYS) }, own);
  setServerNow(now);
  return { rows: countedRows(usage, by), from: 'counted', sessions: null, isCut: false };
}
