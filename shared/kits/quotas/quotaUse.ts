// The current use of limited models and servers, for people. A document that cannot be read counts as no use.

import * as z from 'zod';
import type { ServerQuota } from '../../contract/quotas.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { allowancePath, allowanceType } from '../allowances/allowance.ts';
import { getReadable, listReadable } from '../views/readable.ts';
import { bytesAllowance, formatQuotaResource, minutePrefix, type QuotaDeps, quotaType } from './quota.ts';

type UseDeps = Pick<QuotaDeps, 'store' | 'clock'>;

/** The use of a model in the current minute, of all instances. */
export const modelUseSchema = z.strictObject({
  /** Granted requests: an instance can take up to ten before it sends them. */
  requests: z.int(),
  tokens: z.int(),
  isSlowed: z.boolean().describe('Whether half of the limits counts, after the provider refused'),
});
type ModelUse = z.infer<typeof modelUseSchema>;

/** The use of a server now. */
export const serverUseSchema = z
  .strictObject({
    running: z.int().nullable().describe('Slots of calls, and of calls that ended in the last seconds'),
    calls: z.int().nullable().describe('Of the current minute'),
    bytes: z.int().nullable().describe('Of the current hour'),
  })
  .describe('Null without a limit: nothing is counted');
type ServerUse = z.infer<typeof serverUseSchema>;

/** The use of a model. @throws RetryableError when the store fails. */
export async function readModelUse(
  { provider, model }: Pick<ModelSettings, 'provider' | 'model'>,
  deps: UseDeps,
): Promise<ModelUse> {
  const minute = await readMinute(formatQuotaResource('model', `${provider}~${model}`), deps);
  return {
    requests: sum(minute.map(({ total }) => total)),
    tokens: Math.max(0, sum(minute.map(({ amount }) => amount))),
    isSlowed: minute.some(({ slowed }) => slowed > 0),
  };
}

/** The use of a server, as far as it is limited. @throws RetryableError when the store fails. */
export async function readServerUse(
  name: string,
  { concurrency, perMinute, bytesPerHour }: ServerQuota,
  deps: UseDeps,
): Promise<ServerUse> {
  const resource = formatQuotaResource('server', name);
  const { store, clock } = deps;
  const now = clock.now();
  const [slots, minute, hour] = await Promise.all([
    concurrency === undefined ? null : readSlots(resource, store),
    perMinute === undefined ? null : readMinute(resource, deps),
    bytesPerHour === undefined
      ? null
      : getReadable(allowancePath(bytesAllowance(name), now), allowanceType, store),
  ]);
  return {
    running: slots?.filter((until) => until > now.getTime()).length ?? null,
    calls: minute && sum(minute.map(({ total }) => total)),
    bytes: hour && (hour.value?.used ?? 0),
  };
}

/** The ends of the slots of a server. */
async function readSlots(resource: string, store: UseDeps['store']): Promise<number[]> {
  const query = { collection: quotaType.paths.quotas, idPrefix: `${resource}.slots.` };
  const { values } = await listReadable(query, quotaType, store);
  return values.flatMap(({ slots }) => Object.values(slots));
}

async function readMinute(resource: string, { store, clock }: UseDeps) {
  const query = { collection: quotaType.paths.quotas, idPrefix: minutePrefix(resource, clock.now()) };
  return (await listReadable(query, quotaType, store)).values;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
