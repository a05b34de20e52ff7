// Takes one protection away, to see whether the simulation notices. Each function replaces modules of the runtime for
// the imports that follow.

import { vi } from 'vitest';
import type { Store } from '../../shared/contract/store.ts';
import type * as Decide from '../../shared/runtime/iteration/decide.ts';
import type * as Lease from '../../shared/runtime/iteration/lease.ts';
import type * as NextIteration from '../../shared/runtime/iteration/nextIteration.ts';
import type * as PendingCalls from '../../shared/runtime/iteration/pendingCalls.ts';
import type * as BuryIteration from '../../shared/runtime/rescue/buryIteration.ts';
import type * as AdvanceStage from '../../shared/runtime/stage/advanceStage.ts';

/** A holder writes whether or not the execution is still its own. */
function withoutFence(): void {
  vi.doMock('../../shared/runtime/iteration/lease.ts', async (original) => {
    const lease = await original<typeof Lease>();
    const claim: typeof Lease.claim = (stored, messageId, deps, prepare) => {
      let isClaim = true;
      const commit: Store['commit'] = (writes) => {
        const write = isClaim ? deps.store.commit : forced(deps.store);
        isClaim = false;
        return write(writes);
      };
      return lease.claim(stored, messageId, { ...deps, store: { ...deps.store, commit } }, prepare);
    };
    return { ...lease, claim };
  });
}

/** Whoever read the execution takes it, also when somebody else has claimed it meanwhile. */
function withoutClaim(): void {
  vi.doMock('../../shared/runtime/iteration/lease.ts', async (original) => {
    const lease = await original<typeof Lease>();
    const claim: typeof Lease.claim = (stored, messageId, deps, prepare) => {
      let isClaim = true;
      const commit: Store['commit'] = (writes) => {
        const write = isClaim ? forced(deps.store) : deps.store.commit;
        isClaim = false;
        return write(writes);
      };
      return lease.claim(stored, messageId, { ...deps, store: { ...deps.store, commit } }, prepare);
    };
    return { ...lease, claim };
  });
}

/** A lease keeps nobody out. */
function withoutLease(): void {
  vi.doMock('../../shared/runtime/iteration/decide.ts', async (original) => {
    const decide = await original<typeof Decide>();
    const ignoring: typeof Decide.decide = (execution, ...rest) =>
      decide.decide({ ...execution, lease: null }, ...rest);
    return { ...decide, decide: ignoring };
  });
}

/** A late copy never publishes the successor. */
function withoutOutbox(): void {
  vi.doMock('../../shared/runtime/iteration/decide.ts', async (original) => {
    const decide = await original<typeof Decide>();
    const silent: typeof Decide.decide = (...args) => {
      const decision = decide.decide(...args);
      return decision.kind === 'late_copy' ? { ...decision, republish: false } : decision;
    };
    return { ...decide, decide: silent };
  });
}

/** The first messages of a stage, or of a session, are published by nobody but who created it. */
function withoutStageOutbox(): void {
  vi.doMock('../../shared/runtime/stage/advanceStage.ts', async (original) => {
    const stage = await original<typeof AdvanceStage>();
    return { ...stage, resumeStage: () => Promise.resolve() };
  });
}

/** A call that was running when its holder died is run again, whatever it does. */
function withoutToolStates(): void {
  vi.doMock('../../shared/runtime/iteration/pendingCalls.ts', async (original) => {
    const calls = await original<typeof PendingCalls>();
    return { ...calls, cutOffCalls: () => [] };
  });
}

/** Every iteration leaves something behind in the document that each of the next ones writes again. */
function withoutBounds(): void {
  vi.doMock('../../shared/runtime/iteration/nextIteration.ts', async (original) => {
    const next = await original<typeof NextIteration>();
    const finishIteration: typeof NextIteration.finishIteration = (execution, ...rest) => {
      const traceparent = `${execution.traceparent ?? ''}${'x'.repeat(2_500)}`;
      return next.finishIteration({ ...execution, traceparent }, ...rest);
    };
    return { ...next, finishIteration };
  });
}

/** A time-out counts although the iteration after it was none. */
function withoutTimeoutReset(): void {
  vi.doMock('../../shared/runtime/iteration/nextIteration.ts', async (original) => {
    const next = await original<typeof NextIteration>();
    const finishIteration: typeof NextIteration.finishIteration = (execution, batch, timedOut) => {
      const { consecutiveTimeouts } = execution;
      const finished = next.finishIteration(execution, batch, timedOut);
      return timedOut ? finished : { ...finished, consecutiveTimeouts };
    };
    return { ...next, finishIteration };
  });
}

/** A dead letter ends its execution, whether the iteration was ever tried or not. */
function withoutCountedClaims(): void {
  vi.doMock('../../shared/runtime/rescue/buryIteration.ts', async (original) => {
    const bury = await original<typeof BuryIteration>();
    const buryIteration: typeof BuryIteration.buryIteration = (message, deliveries, deps) => {
      const get: Store['get'] = async (path, type) => {
        const found = await deps.store.get(path, type);
        return found !== undefined && path.includes('/executions/')
          ? { ...found, value: { ...found.value, claims: bury.MAX_CLAIMS } }
          : found;
      };
      return bury.buryIteration(message, deliveries, { ...deps, store: { ...deps.store, get } });
    };
    return { ...bury, buryIteration };
  });
}

/** Writes whatever the document has become meanwhile. */
function forced(store: Store): Store['commit'] {
  return async (writes) => {
    const current = await Promise.all(
      writes.map(async (write) => {
        if (write.op === 'create') return write;
        const found = await store.get(write.path, write.type);
        return { ...write, ifVersion: found?.version ?? write.ifVersion };
      }),
    );
    return store.commit(current);
  };
}

export const SABOTAGES = {
  'the fence': withoutFence,
  'the claim': withoutClaim,
  'the lease': withoutLease,
  'the outbox': withoutOutbox,
  'the outbox of stages': withoutStageOutbox,
  'tool states': withoutToolStates,
  'documents that do not grow': withoutBounds,
  'the reset of time-outs': withoutTimeoutReset,
  'counted claims': withoutCountedClaims,
};
