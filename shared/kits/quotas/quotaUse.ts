// The current use of limited models and servers, for people. A document that cannot be read counts as no use.

import * as z from 'zod';
import type { ModelQuota, ServerQuota } from '../../contract/quotas.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { type Allowance, allowancePath, allowanceType } from '../allowances/allowance.ts';
import { getReadable, listReadable } from '../views/readable.ts';
import { bytesAllowance, callsAllowance, modelAllowance, type QuotaDeps, quotaType } from './quota.ts';

type UseDeps = Pick<QuotaDeps, 'store' | 'clock'>;

/** The use of a model in the current minute, of all instances. */
export const modelUseSchema = z.strictObject({
  usedPercent: z.int().describe('Of the limits, with requests that wait for their turn in the minute'),
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

/** The use of a model; null without limits. @throws RetryableError when the store fails. */
export async function readModelUse(
  model: Pick<ModelSettings, 'provider' | 'model'>,
  { rpm, tpm }: ModelQuota,
  deps: UseDeps,
): Promise<ModelUse | null> {
  const limit = rpm ?? tpm;
  if (limit === undefined) return null;
  const { used, isSlowed } = await readMinute(modelAllowance(model), deps);
  return { usedPercent: Math.max(0, Math.round((100 * used) / limit)), isSlowed };
}

/** The use of a server, as far as it is limited. @throws RetryableError when the store fails. */
export async function readServerUse(
  name: string,
  { concurrency, perMinute, bytesPerHour }: ServerQuota,
  deps: UseDeps,
): Promise<ServerUse> {
  const { store, clock } = deps;
  const now = clock.now();
  const [slots, minute, hour] = await Promise.all([
    concurrency === undefined ? null : readSlots(callsAllowance(name).name, store),
    perMinute === undefined ? null : readMinute(callsAllowance(name), deps),
    bytesPerHour === undefined
      ? null
      : getReadable(allowancePath(bytesAllowance(name), now), allowanceType, store),
  ]);
  return {
    running: slots?.filter((until) => until > now.getTime()).length ?? null,
    calls: minute?.used ?? null,
    bytes: hour && (hour.value?.used ?? 0),
  };
}

/** The ends of the slots of a server. */
async function readSlots(server: string, store: UseDeps['store']): Promise<number[]> {
  const query = { collection: quotaType.paths.quotas, idPrefix: `${server}.slots.` };
  const { values } = await listReadable(query, quotaType, store);
  return values.flatMap(({ slots }) => Object.values(slots));
}

/** All documents of the current minute. */
async function readMinute(allowance: Allowance, { store, clock }: UseDeps) {
  const [collection, first = ''] = allowancePath(allowance, clock.now()).split('/');
  const query = { collection: collection ?? '', idPrefix: first.slice(0, -1) };
  const { values } = await listReadable(query, allowanceType, store);
  return {
    used: values.reduce((sum, { used }) => sum + used, 0),
    isSlowed: values.some(({ slowed = 0 }) => slowed > 0),
  };
}
