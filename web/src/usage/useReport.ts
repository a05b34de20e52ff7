// A report of usage: all its pages, or the counts of budgets where the server has no report.

import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AnswerOf } from '../../../shared/api/types.ts';
import { ApiError, getJson } from '../api/client.ts';
import { setServerNow } from '../api/clock.ts';
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
export function useReport(
  by: Grouping,
  days: number,
): {
  value: ReadonlySignal<Report | undefined>;
  error: ReadonlySignal<Error | undefined>;
  reload: () => void;
} {
  const made = useMemo(() => {
    const value = signal<Report | undefined>(undefined);
    const error = signal<Error | undefined>(undefined);
    let left = new AbortController();
    const reload = () => {
      left.abort();
      left = new AbortController();
      const { signal: own } = left;
      readReport(by, days, own).then(
        (read) => {
          value.value = read;
          error.value = undefined;
        },
        (cause: Error) => {
          if (!own.aborted) error.value = cause;
        },
      );
    };
    return { value, error, reload, stop: () => left.abort() };
  }, [by, days]);
  useEffect(() => {
    made.reload();
    return made.stop;
  }, [made]);
  return made;
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
  for (let next: string | null = ''; next !== null && pages.length < MAX_PAGES; ) {
    const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
    const page: Page = await getJson<Page>(`/v1/usage/${by}?days=${days}${after}`, own);
    setServerNow(page.now);
    pages.push(page);
    next = page.next;
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
  const path = `/v1/usage?days=${Math.min(days, COUNTED_DAYS)}`;
  const { usage, now } = await getJson<AnswerOf<'GET /v1/usage'>>(path, own);
  setServerNow(now);
  return { rows: countedRows(usage, by), from: 'counted', sessions: null, isCut: false };
}
