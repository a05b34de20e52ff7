// Limits of models and of observed systems that all instances share. Requests and calls of a minute, and
// bytes of an hour, are allowances. quotas/{server}.slots.{shard}: running calls, written with a
// precondition.

import * as z from 'zod';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { definePart } from '../../core/schema/parts.ts';
import { type Allowance, formatAllowanceName } from '../allowances/allowance.ts';

/** Running calls of a server. */
const quotaSchema = z.strictObject({
  /** The end of the time limit of each call, in epoch milliseconds. */
  slots: z.record(z.string(), z.int()),
  expireAt: z.date(),
});
/** Running calls of a server. */
export type Quota = z.infer<typeof quotaSchema>;

export const quotaType = defineCollection({
  collection: 'quotas',
  name: 'quota',
  schema: quotaSchema,
  paths: {
    quotas: 'quotas',
    quotaSlots: (server: string, shard: number) => `quotas/${server}.slots.${shard}`,
  },
  owner: 'operators',
  erase: { none: 'the running calls of servers' },
});

/** Units of a later minute that an execution waits for. */
const placeSchema = z.strictObject({
  /** The minute, counted from the epoch. */
  minute: z.int(),
  /** The document that counts them. */
  shard: z.int(),
  /** The number of the last unit among those of its rank and tenant. */
  number: z.int(),
});
/** Units of a later minute. */
export type QuotaPlace = z.infer<typeof placeSchema>;

/** The places that an execution waits for, by id of the call, or by number of the request. */
export const quotaPlacesPart = definePart('execution', 'quotas', z.record(z.string(), placeSchema));

/** The dependencies of quotas. */
export type QuotaDeps = Pick<RuntimeDeps, 'store' | 'clock' | 'random'>;

/** The requests and tokens of a model in a minute. */
export const modelAllowance = ({ provider, model }: { provider: string; model: string }): Allowance => ({
  name: formatAllowanceName('model', provider, model),
  window: 'minute',
});

/** The calls of a server in a minute. */
export const callsAllowance = (server: string): Allowance => ({
  name: formatAllowanceName('server', server),
  window: 'minute',
});

/** The bytes that a server returns in an hour. */
export const bytesAllowance = (server: string): Allowance => ({
  name: formatAllowanceName('bytes', server),
  window: 'hour',
});
