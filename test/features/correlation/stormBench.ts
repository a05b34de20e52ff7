// A storm in memory: alerts by several processes, with the number of written documents.

import { RetryableError } from '../../../shared/core/errors.ts';
import { alertKeyType, paths } from '../../../shared/lists/documents.ts';
import { workInParallel } from '../../../shared/text/workInParallel.ts';
import { type Bench, startBench } from '../../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const triage = {
  correlate: [{ labels: ['cluster'], window: '15m' }],
  rules: [{ name: 'storm', labels: { cluster: '*' }, action: 'investigate', join: true }],
};
/** Deliveries of a message before the storm fails. */
const MAX_TRIES = 100;

/** A bench that counts written documents. */
export interface StormBench extends Bench {
  /** Written documents by collection. */
  writes: Record<string, number>;
  /** Sorted titles of the alerts of each session. */
  groups(): Promise<string[][]>;
}

/** The alert of a problem. The title identifies it. */
export const stormAlert = (title: string, cluster: string) => ({
  title,
  fingerprint: title,
  labels: { cluster },
  status: 'firing',
});

/** A bench whose alerts of a cluster belong together. */
export async function startStorm(): Promise<StormBench> {
  const one = await startBench({ script, triage, inMemory: true });
  const { store } = one.deps;
  const writes: Record<string, number> = {};
  const count = (path: string) => {
    const [root = '', , below] = path.split('/');
    const name = below === undefined ? root : `${root}/${below}`;
    writes[name] = (writes[name] ?? 0) + 1;
  };
  const { commit, increment } = store;
  store.commit = async (batch) => {
    const result = await commit(batch);
    if (result.ok) for (const { path } of batch) count(path);
    return result;
  };
  store.increment = (path, ...rest) => {
    count(path);
    return increment(path, ...rest);
  };
  const groups = async () => {
    const keys = await store.list({ collection: paths.alertKeys }, alertKeyType);
    const bySession = Map.groupBy(keys, ({ value }) => value.sessionId);
    return [...bySession.values()]
      .map((alerts) => [...new Set(alerts.map(({ value }) => value.title))].sort())
      .sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  };
  return { ...one, writes, groups };
}

/** Delivers all alerts, `concurrency` at a time, each until it is accepted. Returns the failed deliveries. */
export async function deliverStorm(one: Bench, concurrency: number): Promise<number> {
  const waiting = one.deps.publisher.published.filter(({ topic }) => topic === 'alerts');
  let failed = 0;
  await workInParallel(waiting, concurrency, async (message) => {
    for (let tries = 1; ; tries++) {
      try {
        await one.deliver(message);
        break;
      } catch (error) {
        if (!(error instanceof RetryableError) || tries === MAX_TRIES) throw error;
        failed += 1;
      }
    }
  });
  return failed;
}
