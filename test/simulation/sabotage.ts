// Removes one protection at a time, to prove that the simulation detects its absence. Each function replaces
// modules of the runtime for later imports.

import { vi } from 'vitest';
import type { Store, Write } from '../../shared/core/contract/store.ts';
import type * as Lease from '../../shared/core/kernel/execution/lease.ts';
import type * as AgentInUse from '../../shared/core/kernel/state/agentInUse.ts';
import type * as Decide from '../../shared/core/kernel/state/decide.ts';
import type * as NextIteration from '../../shared/core/kernel/state/nextIteration.ts';
import type * as PendingCalls from '../../shared/core/kernel/state/pendingCalls.ts';
import type * as BuryIteration from '../../shared/core/rescue/buryIteration.ts';
import type * as AdvanceStage from '../../shared/core/stage/advanceStage.ts';
import type * as IngestAlert from '../../shared/features/alerts/ingestAlert.ts';
import type * as Outages from '../../shared/features/serverOutages/decideOutages.ts';

/** A holder writes even after it has lost the execution. */
function withoutFence(): void {
  dropPreconditions('after_claim');
}

/** A claim succeeds even when another process has claimed the execution since it was read. */
function withoutClaim(): void {
  dropPreconditions('claim');
}

/** Replaces `claimExecution`: the first commit of a holder, or all later ones, ignore their preconditions. */
function dropPreconditions(of: 'claim' | 'after_claim'): void {
  vi.doMock('../../shared/core/kernel/execution/lease.ts', async (original) => {
    const lease = await original<typeof Lease>();
    const claim: typeof Lease.claimExecution = (stored, messageId, deps, prepare) => {
      let isClaim = true;
      const commit: Store['commit'] = (writes) => {
        const isForced = isClaim === (of === 'claim');
        isClaim = false;
        return isForced ? commitUnconditionally(deps.store)(writes) : deps.store.commit(writes);
      };
      return lease.claimExecution(stored, messageId, { ...deps, store: { ...deps.store, commit } }, prepare);
    };
    return { ...lease, claimExecution: claim };
  });
}

/** A live lease does not stop other processes. */
function withoutLease(): void {
  vi.doMock('../../shared/core/kernel/state/decide.ts', async (original) => {
    const decide = await original<typeof Decide>();
    const ignoring: typeof Decide.decideIteration = (execution, ...rest) =>
      decide.decideIteration({ ...execution, lease: null }, ...rest);
    return { ...decide, decideIteration: ignoring };
  });
}

/** A late copy never publishes the successor. */
function withoutOutbox(): void {
  vi.doMock('../../shared/core/kernel/state/decide.ts', async (original) => {
    const decide = await original<typeof Decide>();
    const silent: typeof Decide.decideIteration = (...args) => {
      const decision = decide.decideIteration(...args);
      return decision.kind === 'late_copy' ? { ...decision, republish: false } : decision;
    };
    return { ...decide, decideIteration: silent };
  });
}

/** Only the process that created a stage or session publishes its first messages. */
function withoutStageOutbox(): void {
  vi.doMock('../../shared/core/stage/advanceStage.ts', async (original) => {
    const stage = await original<typeof AdvanceStage>();
    return { ...stage, resumeStage: () => Promise.resolve() };
  });
}

/** A call that was running when its holder died is run again, even if it changes something. */
function withoutToolStates(): void {
  vi.doMock('../../shared/core/kernel/state/pendingCalls.ts', async (original) => {
    const calls = await original<typeof PendingCalls>();
    return { ...calls, cutOffCalls: () => [] };
  });
}

/** Every iteration adds data to the execution, which all later iterations write again. */
function withoutBounds(): void {
  vi.doMock('../../shared/core/kernel/state/nextIteration.ts', async (original) => {
    const next = await original<typeof NextIteration>();
    const finishIteration: typeof NextIteration.finishIteration = (execution, ...rest) => {
      const traceparent = `${execution.traceparent ?? ''}${'x'.repeat(2_500)}`;
      return next.finishIteration({ ...execution, traceparent }, ...rest);
    };
    return { ...next, finishIteration };
  });
}

/** A time-out still counts after an iteration without one. */
function withoutTimeoutReset(): void {
  vi.doMock('../../shared/core/kernel/state/nextIteration.ts', async (original) => {
    const next = await original<typeof NextIteration>();
    const finishIteration: typeof NextIteration.finishIteration = (execution, ...rest) => {
      const { consecutiveTimeouts } = execution;
      const finished = next.finishIteration(execution, ...rest);
      return finished.consecutiveTimeouts > 0 ? finished : { ...finished, consecutiveTimeouts };
    };
    return { ...next, finishIteration };
  });
}

/** A time-out of a tool counts like one of the model. */
function withToolTimeouts(): void {
  vi.doMock('../../shared/core/kernel/state/nextIteration.ts', async (original) => {
    const next = await original<typeof NextIteration>();
    const finishIteration: typeof NextIteration.finishIteration = (execution, batch, outcome = {}) => {
      const timedOut = outcome.timedOut || execution.pendingCalls.some((call) => call.timedOut);
      return next.finishIteration(execution, batch, { ...outcome, timedOut });
    };
    return { ...next, finishIteration };
  });
}

/** An outage is not remembered, so that every iteration tells of it again. */
function withoutKnownOutages(): void {
  vi.doMock('../../shared/features/serverOutages/decideOutages.ts', async (original) => {
    const outages = await original<typeof Outages>();
    const decideOutages: typeof Outages.decideOutages = (execution, ...rest) =>
      outages.decideOutages({ ...execution, missingServers: [] }, ...rest);
    return { ...outages, decideOutages };
  });
}

/** The model that took over is forgotten with the next iteration, which asks the agent's own one again. */
function withoutStoredModel(): void {
  vi.doMock('../../shared/core/kernel/state/agentInUse.ts', () => {
    const agentInUse: typeof AgentInUse.agentInUse = (agent) => agent;
    return { agentInUse };
  });
}

/** A dead letter ends its execution even if the iteration was never claimed. */
function withoutCountedClaims(): void {
  vi.doMock('../../shared/core/rescue/buryIteration.ts', async (original) => {
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

/** The key of an alert is stored after its session, not with it. */
function withoutAlertKeys(): void {
  vi.doMock('../../shared/features/alerts/ingestAlert.ts', async (original) => {
    const ingest = await original<typeof IngestAlert>();
    const ingestAlert: typeof IngestAlert.ingestAlert = (message, config, deps, features, own) => {
      const commit: Store['commit'] = async (writes) => {
        const isKey = ({ path }: Write) => path.startsWith('alertKeys/');
        const stored = await deps.store.commit(writes.filter((write) => !isKey(write)));
        return stored.ok ? await deps.store.commit(writes.filter(isKey)) : stored;
      };
      return ingest.ingestAlert(
        message,
        config,
        { ...deps, store: { ...deps.store, commit } },
        features,
        own,
      );
    };
    return { ...ingest, ingestAlert };
  });
}

/** Commits against the current versions, so that no precondition fails. */
function commitUnconditionally(store: Store): Store['commit'] {
  return async (writes) => {
    const current = await Promise.all(
      writes.map(async (write) => {
        if (write.op !== 'replace') return write;
        const found = await store.get(write.path, write.type);
        return { ...write, ifVersion: found?.version ?? write.ifVersion };
      }),
    );
    return store.commit(current);
  };
}

/** The removal of a protection. */
interface Sabotage {
  remove: () => void;
  /** A seed that notices it, which is tried first. */
  seed: number;
}

/** The removal of each protection, by its name in the test. */
export const SABOTAGES: Record<string, Sabotage> = {
  'the fence': { remove: withoutFence, seed: 31 },
  'the claim': { remove: withoutClaim, seed: 4 },
  'the lease': { remove: withoutLease, seed: 2 },
  'the outbox': { remove: withoutOutbox, seed: 120 },
  'the outbox of stages': { remove: withoutStageOutbox, seed: 15 },
  'the keys of alerts': { remove: withoutAlertKeys, seed: 6 },
  'tool states': { remove: withoutToolStates, seed: 15 },
  'documents that do not grow': { remove: withoutBounds, seed: 2 },
  'the reset of time-outs': { remove: withoutTimeoutReset, seed: 190 },
  'counted claims': { remove: withoutCountedClaims, seed: 64 },
  'time-outs of tools as results': { remove: withToolTimeouts, seed: 5 },
  'the model in use': { remove: withoutStoredModel, seed: 10 },
  'outages that are known': { remove: withoutKnownOutages, seed: 2 },
};
