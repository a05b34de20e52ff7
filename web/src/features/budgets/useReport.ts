// A report of usage, or the counts of budgets where the server has no report.

import { ApiError } from '../../../../shared/client/apiError.ts';
import { api } from '../../api/client.ts';
import { setServerNow } from '../../api/clock.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import { countedRows, type Grouping, toUsageRow, type UsageRow } from './report.ts';

/** The usage of a period. */
export interface Report {
  rows: UsageRow[];
  /** `counted`: only by budgets. `none`: this server does not have this grouping. */
  from: 'report' | 'counted' | 'none';
  /** When the first of the sessions was counted; null without any, and where that is not known. */
  countedSince: string | null;
}

/** Days for which counts of budgets are kept. */
const COUNTED_DAYS = 30;

/** Reads usage of the last days. */
export function useReport(by: Grouping, days: number): Resource<Report> {
  return useResource((left) => readReport(by, days, left), [by, days]);
}

async function readReport(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  try {
    return await readUsage(by, days, own);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return readCounted(by, days, own);
  }
}

async function readUsage(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  const { usage, countedSince, now } = await api.get('/v1/usage/{by}', { by, days }, own);
  setServerNow(now);
  return { rows: usage.map(toUsageRow), from: 'report', countedSince };
}

async function readCounted(by: Grouping, days: number, own: AbortSignal): Promise<Report> {
  if (by !== 'day' && by !== 'chain') return { rows: [], from: 'none', countedSince: null };
  const { usage, now } = await api.get('/v1/usage', { days: Math.min(days, COUNTED_DAYS) }, own);
  setServerNow(now);
  return { rows: countedRows(usage, by), from: 'counted', countedSince: null };
}
