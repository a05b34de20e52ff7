// The store as one process sees it: the real in-memory one, behind a network that delays, loses and repeats.

import { RetryableError } from '../../shared/errors.ts';
import { executionType } from '../../shared/schema/documents.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { CommitResult, Store, Write } from '../../shared/store/store.ts';
import type { Invocation } from './record.ts';
import { ask } from './simulatedProcess.ts';
import type { World } from './world.ts';

/** As in production: after that a caller is told that the store does not answer. */
const STORE_TIMEOUT_MS = 10_000;

export function simulatedStore(by: Invocation, world: World): Store {
  const { store } = world;
  const { process } = by;
  const unavailable = (what: string) => new RetryableError('STORE_UNAVAILABLE', `${what}: no answer`);

  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = world.happens('read_failed');
    const latency = world.happens('read_slow') ? world.takes(100, 5_000) : world.takes(2, 20);
    return await ask(process, fails ? () => Promise.reject(unavailable('reading')) : work, latency, world);
  };

  const land = async (writes: Write[]): Promise<CommitResult> => {
    const result = await store.commit(writes);
    if (result.ok) landed(writes, by, world);
    else world.note(`${by.process.name} #${by.id} is refused: ${result.reason} (${writes[0]?.path})`);
    return result;
  };

  const commit = async (writes: Write[]): Promise<CommitResult> => {
    const latency = world.happens('commit_slow') ? world.takes(100, 8_000) : world.takes(5, 30);
    if (world.happens('commit_failed')) {
      return await ask(process, () => Promise.reject(unavailable('writing')), latency, world);
    }
    if (world.happens('commit_answer_lost')) {
      const lost = async (): Promise<CommitResult> => {
        await land(writes);
        throw unavailable('writing');
      };
      return await ask(process, lost, latency, world);
    }
    if (world.happens('commit_late')) {
      world.time.after(world.takes(STORE_TIMEOUT_MS, 60_000), () => void land(writes).catch(() => undefined));
      return await ask(process, () => Promise.reject(unavailable('writing')), STORE_TIMEOUT_MS, world);
    }
    if (world.happens('commit_repeated')) {
      const repeated = async (): Promise<CommitResult> => {
        const first = await land(writes);
        return first.ok ? await store.commit(writes) : first;
      };
      return await ask(process, repeated, latency, world);
    }
    return await ask(process, () => land(writes), latency, world);
  };

  return {
    get: (path, type) => read(() => store.get(path, type)),
    list: (query, type) => read(() => store.list(query, type)),
    listIds: (query) => read(() => store.listIds(query)),
    commit,
    watch: () => {
      throw new Error('no function watches anything');
    },
    close: () => Promise.resolve(),
  };
}

function landed(writes: Write[], by: Invocation, world: World): void {
  world.record.commits.push({ at: world.time.now(), by, writes });
  for (const { type, value } of writes) {
    if (type !== (executionType as unknown)) continue;
    const { executionId, lease } = value as Execution;
    if (lease === null) by.leases.delete(executionId);
    else by.leases.set(executionId, lease.until.getTime());
  }
  const paths = writes.map(({ op, path, type, value }) => {
    const id = path.split('/').slice(2).join('/') || path;
    if (type !== (executionType as unknown)) return `${op === 'create' ? '+' : '='}${id}`;
    const { status, iteration, lease, pendingCalls } = value as Execution;
    const calls = pendingCalls.map((call) => call.state[0]).join('');
    return `=${id}(${status} ${iteration}${lease === null ? '' : ' held'}${calls && ` ${calls}`})`;
  });
  world.note(`${by.process.name} #${by.id} writes ${paths.join(' ')}`);
}
