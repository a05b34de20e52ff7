// quotas/{resource}.{period}.{shard}: the use of a model or of an observed system in a minute or an hour, for
// all instances. Written by increments. quotas/{resource}.slots.{shard}: its running calls, written with a
// precondition.

import * as z from 'zod';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { type Allowance, formatAllowanceName } from '../allowances/allowance.ts';

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
  /** Tokens of the minute. Corrections can be negative. */
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
    quotaSlots: (resource: string, shard: number) => `quotas/${resource}.slots.${shard}`,
  },
  owner: 'operators',
  erase: { none: 'the use of models and servers in a minute, by name of the tenant' },
});

/** The dependencies of quotas. */
export type QuotaDeps = Pick<RuntimeDeps, 'store' | 'clock' | 'random'>;

const MINUTE_MS = 60_000;

/** The name of a resource as a part of ids, which a dot would end. */
export function formatQuotaResource(kind: 'model' | 'server', name: string): string {
  return `${kind}~${name.replace(/[^A-Za-z0-9~-]/g, '_')}`;
}

export const quotaMinute = (at: Date): number => Math.floor(at.getTime() / MINUTE_MS);
/** `2026-11-05T1042`: sorts by time, and has no dot. */
export const minuteId = (minute: number): string =>
  new Date(minute * MINUTE_MS).toISOString().slice(0, 16).replace(':', '');
/** The start of ids of the documents that count a resource's minute. @param at a time in it. */
export const minutePrefix = (resource: string, at: Date): string =>
  `${resource}.${minuteId(quotaMinute(at))}.`;

/** The bytes that a server returns in an hour. */
export const bytesAllowance = (server: string): Allowance => ({
  name: formatAllowanceName('bytes', server),
  window: 'hour',
});
