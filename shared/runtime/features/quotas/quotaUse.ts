// The current use of limited models and servers, for people. A document that cannot be read counts as no use.

import type { ServerQuota } from '../../../contract/quotas.ts';
import type { ModelSettings } from '../../../schema/agent.ts';
import { paths, quotaType } from '../../../schema/documents.ts';
import { getReadable, listReadable } from '../../views/readable.ts';
import { resourceOf } from './modelQuota.ts';
import { hourPath } from './serverQuota.ts';
import { minutePrefix, type QuotaDeps } from './takeQuota.ts';

type UseDeps = Pick<QuotaDeps, 'store' | 'clock'>;

/** The use of a model in the current minute, of all instances. */
interface ModelUse {
  /** Granted requests: an instance can take up to ten before it sends them. */
  requests: number;
  tokens: number;
  /** Whether the provider refused a request, so that half of the limits counts. */
  isSlowed: boolean;
}

/** The use of a server now. */
interface ServerUse {
  /** Running calls; null without a limit. */
  running: number | null;
  /** Calls of the current minute; null without a limit. */
  calls: number | null;
  /** Bytes of results in the current hour; null without a limit. */
  bytes: number | null;
}

/** The use of a model. @throws RetryableError when the store fails. */
export async function readModelUse(
  { provider, model }: Pick<ModelSettings, 'provider' | 'model'>,
  deps: UseDeps,
): Promise<ModelUse> {
  const minute = await readMinute(resourceOf('model', `${provider}~${model}`), deps);
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
  const resource = resourceOf('server', name);
  const { store, clock } = deps;
  const now = clock.now();
  const [slots, minute, hour] = await Promise.all([
    concurrency === undefined ? null : getReadable(paths.quotaSlots(resource), quotaType, store),
    perMinute === undefined ? null : readMinute(resource, deps),
    bytesPerHour === undefined ? null : getReadable(hourPath(name, now), quotaType, store),
  ]);
  return {
    running: slots && Object.values(slots.value?.slots ?? {}).filter((until) => until > now.getTime()).length,
    calls: minute && sum(minute.map(({ total }) => total)),
    bytes: hour && (hour.value?.amount ?? 0),
  };
}

async function readMinute(resource: string, { store, clock }: UseDeps) {
  const query = { collection: paths.quotas, idPrefix: minutePrefix(resource, clock.now()) };
  return (await listReadable(query, quotaType, store)).values;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
