// quotas/{resource}.{period}.{shard}: the use of a model or of an observed system in a minute or an hour, for
// all instances. Written by increments. quotas/{resource}.slots: its running calls, written with a
// precondition.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';

/** Numbers by rank and tenant: `c_shop` for critical alerts of the tenant `shop`, `n_shop` for its others. */
const byClaimant = z.record(z.string(), z.int());

/** The use of a resource as it is stored. */
const quotaSchema = z.strictObject({
  /** Requests that were granted to all. */
  total: z.int(),
  /** Of these, those of each claimant. */
  granted: byClaimant,
  /** Requests that wait for this minute. */
  waiting: byClaimant,
  /** Granted requests of executions that have waited. */
  served: byClaimant,
  /** Tokens of the minute, or bytes of the hour. Corrections can be negative. */
  amount: z.int(),
  /** Number of refusals of the provider: after the first, half of the limit counts. */
  slowed: z.int(),
  /** The end of the time limit of each running call, in epoch milliseconds. */
  slots: z.record(z.string(), z.int()),
  expireAt: z.date(),
});
/** The use of a resource. */
export type Quota = z.infer<typeof quotaSchema>;

export const quotaType = defineCollection({
  collection: 'quotas',
  name: 'quota',
  schema: quotaSchema,
  paths: {
    quotas: 'quotas',
    quota: (resource: string, period: string, shard: number) => `quotas/${resource}.${period}.${shard}`,
    quotaSlots: (resource: string) => `quotas/${resource}.slots`,
  },
  owner: 'operators',
  erase: { none: 'the use of models and servers in a minute, by name of the tenant' },
});
