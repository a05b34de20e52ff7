// metrics/totals: cumulative values of all metrics. Only the sweep writes: each session counts once.

import * as z from 'zod';
import { COUNTS_ONLY, defineCollection } from '../../core/schema/defineCollection.ts';

/** The totals as they are stored. */
const metricTotalsSchema = z.strictObject({
  /** Since when they count. */
  startedAt: z.date(),
  /** One of each metric and combination of attributes. */
  series: z.array(
    z.strictObject({
      metric: z.string().min(1),
      attributes: z.record(z.string(), z.string()),
      /** The count; of a histogram the sum of its values. */
      value: z.number(),
      /** Of a histogram: the number of values in each bucket; empty for a counter. */
      counts: z.array(z.int().nonnegative()),
    }),
  ),
  expireAt: z.date(),
});
/** The totals of all metrics. */
export type MetricTotals = z.infer<typeof metricTotalsSchema>;

export const metricTotalsType = defineCollection({
  collection: 'metricTotals',
  name: 'metricTotals',
  schema: metricTotalsSchema,
  paths: { metricTotals: 'metricTotals/all' },
  owner: 'operators',
  erase: COUNTS_ONLY,
});
