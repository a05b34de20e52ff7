// Claims an execution, does the work of its iteration, and releases the lease if the work fails.

import type { Masker } from '../contract/guard.ts';
import { chooseController } from '../controllers/registry.ts';
import { TerminalError } from '../errors.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { RACE_LOST } from '../kernel/documents/retryConflict.ts';
import { type Budget, startBudget } from '../kernel/execution/budget.ts';
import type { LiveAnswer } from '../kernel/execution/context.ts';
import { LeaseLostError } from '../kernel/execution/fencedWriter.ts';
import { claimExecution, type HeldExecution } from '../kernel/execution/lease.ts';
import { isForNewerCode } from '../kernel/execution/newerDocument.ts';
import type { ControlState } from '../kernel/execution/readControl.ts';
import type { Work } from '../kernel/state/decide.ts';
import { cutOffCalls, startNextWave } from '../kernel/state/pendingCalls.ts';
import type { TokenLedger } from '../kernel/tokens/tokenLedger.ts';
import { subtractTokens, type TokenUsage, toStoredFailure } from '../schema/common.ts';
import { SchemaVersionError } from '../schema/documentType.ts';
import type { Execution } from '../schema/execution.ts';
import { endHeldExecution } from '../stage/endExecution.ts';
import type { RunDeps } from './context/features.ts';
import type { DueWork } from './loadWork.ts';
import { performIteration, type WorkContext } from './performIteration.ts';
import type { LoadedAgent } from './prepare/loadAgent.ts';
import { waitForNewerCode } from './waitForNewerCode.ts';

/** How an iteration with work ended. */
export type WorkOutcome =
  /** `tokens`: of this iteration's model call. `claims`: claims of the iteration, with this one. */
  | { kind: 'ran'; execution: Execution; model: string; tokens: TokenUsage; claims: number }
  /** The execution ended without work: no time or iterations are left, or its documents cannot be read. */
  | { kind: 'ended'; execution: Execution };

/** Claims the execution and does the work. Another writer can win at the claim, or later. */
export async function runClaimed(
  { stored, work, messageId }: DueWork,
  loaded: LoadedWork,
  deps: RunDeps,
): Promise<WorkOutcome | typeof RACE_LOST> {
  const held = await claimExecution(stored, messageId, deps, (execution) => startWork(execution, work, deps));
  if (held === undefined) return RACE_LOST;
  const { agent, masker, watchedUntil } = loaded;
  const before = stored.value;
  let budget: Budget | undefined;
  let ledger: TokenLedger | undefined;
  let live: LiveAnswer | undefined;
  // Nothing that can fail stands between the claim and this block, because an error there would keep the
  // lease.
  try {
    budget = startBudget(held, deps.clock);
    ledger = deps.features.budgets.openLedger(held.current(), deps);
    await deps.failpoint?.(CRASH_POINTS.afterClaim);
    deps.publisher.warm();
    const controller = chooseController(agent, deps.features.controllers);
    const isTakeover = before.lease !== null;
    const { verbatim } = controller;
    live = deps.features.showLive({ held, masker, verbatim, watchedUntil, isTakeover }, deps);
    const own = { held, controller, budget, ledger, live, features: deps.features, deps };
    await performIteration({ ...loaded, ...own, cutOff: cutOffCalls(before.pendingCalls) }, work);
  } catch (error) {
    if (error instanceof LeaseLostError) return RACE_LOST;
    if (!(await endOrPark(held, error, { masker, outage: before.outage }, deps))) throw error;
  } finally {
    budget?.stop();
    // The next delivery need not wait until the lease expires.
    if (held.current().lease !== null) await held.handBack().catch(() => undefined);
    held.release();
    // A function is frozen after its response, together with all pending work.
    await Promise.all([live?.close(), ledger?.close()]);
  }
  const execution = held.current();
  const tokens = subtractTokens(execution.tokens, before.tokens);
  return { kind: 'ran', execution, model: agent.model.model, tokens, claims: before.claims + 1 };
}

/** The most waits that an execution remembers. */
const MAX_WAITS = 20;

function endWait(execution: Execution, to: Date): Execution {
  const { waitingSince, waits } = execution;
  if (waitingSince === null) return execution;
  const ended = { kind: waitingSince.kind, from: waitingSince.at, to };
  return { ...execution, waitingSince: null, waits: [...waits, ended].slice(0, MAX_WAITS) };
}

function startWork(execution: Execution, work: Work, deps: RuntimeDeps): Execution {
  const { outage } = execution;
  const started: Execution = {
    ...endWait(execution, deps.clock.now()),
    notBefore: null,
    // A wait for newer code without an earlier call of the model leaves nothing to number.
    outage: isForNewerCode(outage) && outage?.calls === 0 ? null : outage,
    status: 'active',
    startedAt: execution.startedAt ?? deps.clock.now(),
  };
  return work.kind === 'run_tools'
    ? { ...started, pendingCalls: startNextWave(started.pendingCalls) }
    : started;
}

/**
 * Ends the execution after a TerminalError, which would recur at every delivery, or if a document has been
 * newer than this code for too long; until then it pauses.
 * @param before the state before the claim.
 * @returns whether the execution was ended or is parked. If not, the message must be delivered again.
 */
async function endOrPark(
  held: HeldExecution,
  error: unknown,
  { masker, outage }: { masker: Masker; outage: Execution['outage'] },
  deps: RuntimeDeps,
): Promise<boolean> {
  if (held.current().lease === null) return false;
  const isTooNew = error instanceof SchemaVersionError;
  const wait = isTooNew ? await waitForNewerCode(held, outage, error, deps) : 'over';
  if (wait !== 'over') return wait === 'parked';
  if (error instanceof TerminalError || isTooNew) {
    const failure = toStoredFailure(error, (text) => masker.mask(text).text);
    await endHeldExecution(held, { status: 'failed', failure }, deps);
    return true;
  }
  return false;
}

/** The documents of the work, and its tools. */
type LoadedWork = LoadedAgent &
  Pick<WorkContext, 'masker' | 'guidance' | 'conversation' | 'tools'> &
  Pick<ControlState, 'watchedUntil'>;
