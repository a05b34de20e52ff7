// The store as a process sees it: behind a network with delays and losses.

import type { CommitResult, Store, Write } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { EngineFault, FaultWorld } from './faults.ts';
import { callRemote, type SimulatedProcess } from './simulatedProcess.ts';

/** A call that takes longer fails with STORE_UNAVAILABLE, as in production. */
export const STORE_TIMEOUT_MS = 10_000;
const VERY_LATE_MS = 30 * 60_000;

/** How a commit is sent, for faults that only one simulation has. */
interface Attempt {
  /** Milliseconds of the whole call. */
  latency: number;
  /** Sends `work`, which is done after `done` of the latency. */
  send(work: () => Promise<CommitResult>, latency: number, done?: 'at once'): Promise<CommitResult>;
  /** Stores the batch, of which the process is not told. @throws RetryableError always. */
  applyUnheard(): Promise<never>;
}

/** What a simulation knows of its commits. */
interface StoreHooks {
  /** Stores a batch, and records it. */
  apply(writes: Write[]): Promise<CommitResult>;
  /** Stores the same batch once more. */
  repeat(writes: Write[]): Promise<CommitResult>;
  /** Stores the same document again, with another version. */
  rewrite(path: string): void;
  /** The kind of a commit, for faults that some kinds have more often. */
  kindOf?(writes: Write[]): string | undefined;
  /** Whether the store answers nobody. */
  isDown?(): boolean;
  /** Called before each commit. @throws the refusal of a batch. */
  prepare?(writes: Write[], kind: string | undefined): void;
  /** Loses a commit before all others are drawn; undefined if it does not. */
  loseFirst?(writes: Write[], attempt: Attempt): Promise<CommitResult> | undefined;
  /** Loses a commit after lost answers are drawn; undefined if it does not. */
  loseLast?(writes: Write[], attempt: Attempt): Promise<CommitResult> | undefined;
  /** Called with a batch that is not stored in time. */
  noteLost?(writes: Write[]): void;
  /** Called when it is unknown to the process whether a count was added. */
  noteLostCount?(): void;
  /** Called when a commit is repeated. */
  noteRepeated?(): void;
}

/** The store of a process, and how it reads. */
interface FaultyStore extends Store {
  /** Reads with the faults of reads, and those that the kind of call has more often. */
  read<T>(work: () => Promise<T>, kind?: string): Promise<T>;
}

/** An error without an answer in time. */
export function storeUnavailable(action: string): RetryableError {
  return new RetryableError('STORE_UNAVAILABLE', `${action}: no answer`);
}

/** Marks a process whose calls fail, and knows whether it reaches the store. */
function troubles(process: SimulatedProcess, { time }: FaultWorld) {
  return {
    markTroubled() {
      process.troubledAt = time.now();
      return true;
    },
    isCutOff: () => process.cutOffUntil > time.now(),
  };
}

/** Commits of a process that may be lost, late, repeated or refused. */
function faultyCommit(process: SimulatedProcess, world: FaultWorld, hooks: StoreHooks): Store['commit'] {
  const { markTroubled, isCutOff } = troubles(process, world);
  const isDown = () => hooks.isDown?.() === true;
  return async (writes) => {
    const kind = hooks.kindOf?.(writes);
    const draw = (fault: EngineFault) => world.drawFault(fault, kind);
    const latency = world.drawFault('commit_slow') ? world.drawMs(100, 8_000) : world.drawMs(5, 30);
    if (latency > 1_000) markTroubled();
    hooks.prepare?.(writes, kind);
    const send: Attempt['send'] = (work, ms, done) => callRemote(process, work, ms, world, done);
    const refuse = () => Promise.reject(storeUnavailable('writing'));
    const applyUnheard = async (): Promise<never> => {
      await hooks.apply(writes);
      throw storeUnavailable('writing');
    };
    if (isCutOff() && markTroubled()) return await send(refuse, latency);
    const replaced = writes.filter(({ op }) => op === 'replace');
    if (replaced.length > 0 && draw('document_rewritten') && markTroubled())
      hooks.rewrite(world.random.pick(replaced as [Write]).path);
    const attempt: Attempt = { latency, send, applyUnheard };
    const first = hooks.loseFirst?.(writes, attempt);
    if (first !== undefined && markTroubled()) return await first;
    const answerIsLost = isDown() ? world.random.chance(0.5) : draw('commit_answer_lost');
    if (!answerIsLost && (isDown() || draw('commit_failed')) && markTroubled()) {
      hooks.noteLost?.(writes);
      return await send(refuse, latency);
    }
    // The process does not know of the write from when it takes effect.
    if (answerIsLost && markTroubled())
      return await send(() => applyUnheard().finally(markTroubled), latency);
    const last = hooks.loseLast?.(writes, attempt);
    if (last !== undefined && markTroubled()) return await last;
    const isVeryLate = world.drawFault('commit_very_late');
    if ((isVeryLate || draw('commit_late')) && markTroubled()) {
      hooks.noteLost?.(writes);
      const lateMs = isVeryLate ? VERY_LATE_MS : world.drawMs(STORE_TIMEOUT_MS, 60_000);
      world.time.after(lateMs, () => {
        // The process does not know of the write when it takes effect.
        markTroubled();
        void hooks.apply(writes).catch(() => undefined);
      });
      return await send(refuse, STORE_TIMEOUT_MS);
    }
    if (draw('commit_repeated')) {
      hooks.noteRepeated?.();
      const repeated = async (): Promise<CommitResult> => {
        const first = await hooks.apply(writes);
        return first.ok ? await hooks.repeat(writes) : first;
      };
      return await send(repeated, latency);
    }
    return await send(() => hooks.apply(writes), latency);
  };
}

/** The store of one process. */
export function faultyStore(
  store: Omit<Store, 'commit'>,
  process: SimulatedProcess,
  world: FaultWorld,
  hooks: StoreHooks,
): FaultyStore {
  const { markTroubled, isCutOff } = troubles(process, world);
  const isDown = () => hooks.isDown?.() === true;

  const read = async <T>(work: () => Promise<T>, kind?: string): Promise<T> => {
    const fails = (isCutOff() || isDown() || world.drawFault('read_failed')) && markTroubled();
    const latency = world.drawFault('read_slow', kind) ? world.drawMs(100, 9_000) : world.drawMs(2, 20);
    return await callRemote(
      process,
      fails ? () => Promise.reject(storeUnavailable('reading')) : work,
      latency,
      world,
    );
  };

  const count = <T>(work: () => Promise<T>): Promise<T> => {
    const fails = isCutOff() || isDown() || world.drawFault('commit_failed');
    const answerIsLost = world.drawFault('commit_answer_lost');
    if (!fails && !answerIsLost) return callRemote(process, work, world.drawMs(5, 30), world);
    markTroubled();
    hooks.noteLostCount?.();
    const failing = async (): Promise<T> => {
      if (!fails) await work();
      throw storeUnavailable('counting');
    };
    return callRemote(process, failing, world.drawMs(5, 30), world);
  };

  return {
    read,
    get: (path, type) => read(() => store.get(path, type)),
    list: (query, type) => read(() => store.list(query, type)),
    count: (query) => read(() => store.count(query)),
    listIds: (query) => read(() => store.listIds(query)),
    find: (query, type) => read(() => store.find(query, type)),
    findNearest: (query, type) => read(() => store.findNearest(query, type)),
    async *findByTime(query) {
      const pages = store.findByTime(query)[Symbol.asyncIterator]();
      for (;;) {
        const page = await read(() => pages.next());
        if (page.done) return;
        yield page.value;
      }
    },
    commit: faultyCommit(process, world, hooks),
    increment: (path, type, value, field) => count(() => store.increment(path, type, value, field)),
    incrementAll: (path, type, value, fields) => count(() => store.incrementAll(path, type, value, fields)),
    watch: () => {
      throw new Error('no function watches anything');
    },
    close: () => Promise.resolve(),
  };
}
