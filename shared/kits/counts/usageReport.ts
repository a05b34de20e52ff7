// Usage of ended sessions by day, chain, agent, model or tool, from counts.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import { tokenUsageSchema } from '../../core/schema/common.ts';
import { costSchema } from '../../core/schema/cost.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import type { CountRow } from '../../evidence/countRow.ts';
import type { UsageGrouping } from './count.ts';
import { readCounts } from './readCounts.ts';

/** A usage report: one row for each key. */
export const usageReportSchema = z.strictObject({
  usage: z.array(
    z.strictObject({
      key: z.string().describe('The day in UTC, or the name'),
      sessions: z.int().describe('Number of sessions that have it'),
      count: z.int().describe('Sessions, runs of the agent, calls of the model or the tool'),
      failed: z.int().describe('Of `count`: those that failed or ran out of time; results that are errors'),
      durationMs: z.number().nullable().describe('Total milliseconds of those that have ended'),
      durations: z
        .array(z.strictObject({ upToMs: z.int(), count: z.int() }))
        .describe('How many of them took how long, in ranges that each end a quarter above the one before'),
      tokens: tokenUsageSchema.nullable().describe('Null for tools'),
      cost: costSchema.nullable().describe('With `unpricedCalls`, `usd` is a minimum'),
    }),
  ),
  since: z.date(),
  countedSince: z.date().nullable().describe('When the first of the sessions was counted; null without any'),
  unreadable: unreadableSchema,
});
type UsageReport = z.infer<typeof usageReportSchema>;

/** The usage of a tenant's sessions that were opened in the last days. @throws as `readCounts`. */
export async function reportUsage(
  period: { by: UsageGrouping; days: number; now: Date },
  tenantId: string,
  store: Pick<Store, 'list'>,
): Promise<UsageReport> {
  const { rows, ...report } = await readCounts(period, tenantId, store);
  return { usage: rows.map(toUsageRow).sort((a, b) => (a.key < b.key ? -1 : 1)), ...report };
}

function toUsageRow({ key, sums }: CountRow): UsageReport['usage'][number] {
  const { sessions = 0, count = 0, failed = 0, usd, unpricedCalls = 0 } = sums;
  const durations = Object.entries(sums)
    .flatMap(([name, ended]) => {
      const [, upToMs] = /^upTo(\d+)$/.exec(name) ?? [];
      return upToMs === undefined || ended === 0 ? [] : [{ upToMs: Number(upToMs), count: ended }];
    })
    .sort((a, b) => a.upToMs - b.upToMs);
  const { input = 0, output = 0, thinking = 0, cached = 0, total } = sums;
  return {
    ...{ key, sessions, count, failed, durations },
    durationMs: durations.length === 0 ? null : (sums.durationMs ?? 0),
    tokens: total === undefined ? null : { input, output, thinking, cached, total },
    cost: usd === undefined ? null : { usd, unpricedCalls },
  };
}
