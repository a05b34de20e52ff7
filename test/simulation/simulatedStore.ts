// The store as one process sees it: the in-memory store behind a network that delays, loses and repeats calls.

import type { CommitResult, Store, Write } from '../../shared/contract/store.ts';
import { RetryableError } from '../../shared/errors.ts';
import { executionType, sessionType } from '../../shared/schema/documents.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { Invocation } from './record.ts';
import { callRemote } from './simulatedProcess.ts';
import type { World } from './world.ts';

/** The states of calls in the trace. */
const CALL_LETTERS = {
  requested: '.',
  running: 'r',
  waiting: 'w',
  done: 'd',
  failed: 'f',
  unknown: 'u',
} as const;
/** A call that takes longer fails with STORE_UNAVAILABLE, as in production. */
const STORE_TIMEOUT_MS = 10_000;

/** The store of one invocation. */
export function simulatedStore(by: Invocation, world: World): Store {
  const { store } = world;
  const { process } = by;
  const unavailable = (action: string) => new RetryableError('STORE_UNAVAILABLE', `${action}: no answer`);

  const markTroubled = () => {
    process.troubledAt = world.time.now();
    return true;
  };

  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = world.drawFault('read_failed') && markTroubled();
    const latency = world.drawFault('read_slow') ? world.drawMs(100, 5_000) : world.drawMs(2, 20);
    return await callRemote(
      process,
      fails ? () => Promise.reject(unavailable('reading')) : work,
      latency,
      world,
    );
  };

  const applyCommit = async (writes: Write[]): Promise<CommitResult> => {
    const result = await store.commit(writes);
    if (result.ok) recordCommit(writes, by, world);
    else world.traceLine(`${by.process.name} #${by.id} is refused: ${result.reason} (${writes[0]?.path})`);
    return result;
  };

  const commit = async (writes: Write[]): Promise<CommitResult> => {
    const latency = world.drawFault('commit_slow') ? world.drawMs(100, 8_000) : world.drawMs(5, 30);
    if (latency > 1_000) markTroubled();
    if (world.drawFault('commit_failed') && markTroubled()) {
      return await callRemote(process, () => Promise.reject(unavailable('writing')), latency, world);
    }
    if (world.drawFault('commit_answer_lost') && markTroubled()) {
      const lost = async (): Promise<CommitResult> => {
        await applyCommit(writes);
        throw unavailable('writing');
      };
      return await callRemote(process, lost, latency, world);
    }
    if (world.drawFault('commit_late') && markTroubled()) {
      world.time.after(
        world.drawMs(STORE_TIMEOUT_MS, 60_000),
        () => void applyCommit(writes).catch(() => undefined),
      );
      return await callRemote(process, () => Promise.reject(unavailable('writing')), STORE_TIMEOUT_MS, world);
    }
    if (world.drawFault('commit_repeated')) {
      const repeated = async (): Promise<CommitResult> => {
        const first = await applyCommit(writes);
        return first.ok ? await store.commit(writes) : first;
      };
      return await callRemote(process, repeated, latency, world);
    }
    return await callRemote(process, () => applyCommit(writes), latency, world);
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

/** Records an applied commit, its leases and its line of the trace. */
function recordCommit(writes: Write[], by: Invocation, world: World): void {
  world.record.commits.push({ at: world.time.now(), by, writes });
  for (const { type, value } of writes) {
    if (type === (sessionType as unknown)) world.record.session = value as Session;
    if (type !== (executionType as unknown)) continue;
    const { executionId, iteration, lease } = value as Execution;
    const at = world.time.now();
    const before = world.record.executions.get(executionId)?.by;
    if (before !== undefined && before.process.skewMs !== by.process.skewMs)
      before.overtaken.add(executionId);
    world.record.executions.set(executionId, { value: value as Execution, by, at });
    const claim = `${executionId}.${iteration}`;
    if (lease !== null && !world.record.claims.has(claim)) world.record.claims.set(claim, at);
    const atWork = world.record.activities.find(
      (one) => one.by === by && one.executionId === executionId && one.endedAt === undefined,
    );
    if (lease === null && atWork !== undefined && by.process.alive)
      world.record.violations.push(
        `lease: ${by.process.name} #${by.id} gives ${executionId} away while its ${atWork.kind} goes on`,
      );
    if (lease === null) by.leases.delete(executionId);
    else by.leases.set(executionId, lease.until.getTime());
  }
  const paths = writes.map(({ op, path, type, value }) => {
    const id = path.split('/').slice(2).join('/') || path;
    if (type !== (executionType as unknown)) {
      const { status } = value as { status?: string };
      const isState = path.split('/').length === 2 || path.split('/')[2] === 'stages';
      return `${op === 'create' ? '+' : '='}${id}${isState ? `(${status})` : ''}`;
    }
    const { status, iteration, lease, pendingCalls } = value as Execution;
    const calls = pendingCalls.map((call) => CALL_LETTERS[call.state]).join('');
    return `${op === 'create' ? '+' : '='}${id}(${status} ${iteration}${lease === null ? '' : ' held'}${calls && ` ${calls}`})`;
  });
  world.traceLine(`${by.process.name} #${by.id} writes ${paths.join(' ')}`);
}
