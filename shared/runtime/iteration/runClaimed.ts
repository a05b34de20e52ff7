// Claims an execution, does the work of its iteration, and releases the lease if the work fails.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Stored } from '../../contract/store.ts';
import { controllerOf } from '../../controller/registry.ts';
import { TerminalError } from '../../errors.ts';
import type { Masker } from '../../masking/masker.ts';
import { failureOf, subtractTokens, type TokenUsage } from '../../schema/common.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import type { Execution } from '../../schema/execution.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { RACE_LOST } from '../kernel/documents/races.ts';
import { type Budget, startBudget } from '../kernel/execution/budget.ts';
import type { LiveAnswer, TakenGuidance } from '../kernel/execution/context.ts';
import { LeaseLostError } from '../kernel/execution/fencedWriter.ts';
import { claimExecution, type HeldExecution } from '../kernel/execution/lease.ts';
import { isForNewerCode } from '../kernel/execution/newerDocument.ts';
import type { Work } from '../kernel/state/decide.ts';
import { cutOffCalls, startNextWave } from '../kernel/state/pendingCalls.ts';
import type { TokenLedger } from '../kernel/tokens/tokenLedger.ts';
import { endHeldExecution } from '../stage/endExecution.ts';
import type { RunDeps } from './context/features.ts';
import { performIteration } from './performIteration.ts';
import type { OpeningTools } from './prepare/connectTools.ts';
import type { LoadedAgent } from './prepare/loadAgent.ts';
import { waitForNewerCode } from './waitForNewerCode.ts';

/** How an iteration with work ended. */
export type WorkOutcome =
  /** `tokens`: those of this iteration's model call. `claims`: number of claims of the iteration, this one included. */
  | { kind: 'ran'; execution: Execution; model: string; tokens: TokenUsage; claims: number }
  /** The execution ended without work: no time or iterations are left, or its documents cannot be read. */
  | { kind: 'ended'; execution: Execution };

/** Claims the execution and does the work. Another writer can win at the claim, or later. */
export async function runClaimed(
  stored: Stored<Execution>,
  work: Work,
  loaded: LoadedAgent & {
    conversation: ConversationMessage[];
    guidance: TakenGuidance;
    watchedUntil: Date | null;
    messageId: string | null;
    tools: OpeningTools;
  },
  deps: RunDeps,
): Promise<WorkOutcome | typeof RACE_LOST> {
  const { agent, labels, dataNonce, conversation, guidance, watchedUntil, messageId, tools } = loaded;
  const masker = deps.maskerFor(loaded.maskKey);
  const held = await claimExecution(stored, messageId, deps, (execution) => startWork(execution, work, deps));
  if (held === undefined) return RACE_LOST;
  let budget: Budget | undefined;
  let ledger: TokenLedger | undefined;
  let live: LiveAnswer | undefined;
  // Nothing stands between the claim and this block, because an error there would keep the lease.
  try {
    budget = startBudget(held, deps.clock);
    ledger = deps.features.budgets.openLedger(held.current(), deps);
    await deps.failpoint?.(CRASH_POINTS.afterClaim);
    deps.publisher.warm();
    const controller = controllerOf(agent);
    const { verbatim } = controller;
    const isTakeover = stored.value.lease !== null;
    live = deps.features.showLive({ held, masker, verbatim, watchedUntil, isTakeover }, deps);
    const cutOff = cutOffCalls(stored.value.pendingCalls);
    const context = {
      held,
      agent,
      labels,
      dataNonce,
      masker,
      controller,
      budget,
      guidance,
      live,
      ledger,
      features: deps.features,
      deps,
    };
    await performIteration(context, work, { conversation, cutOff, tools });
  } catch (error) {
    if (error instanceof LeaseLostError) return RACE_LOST;
    if (!(await endOrPark(held, error, { masker, outage: stored.value.outage }, deps))) throw error;
  } finally {
    budget?.stop();
    // The next delivery need not wait until the lease expires.
    if (held.current().lease !== null) await held.handBack().catch(() => undefined);
    held.release();
    // A function is frozen after its response, together with all pending work.
    await Promise.all([live?.close(), ledger?.close()]);
  }
  const execution = held.current();
  const tokens = subtractTokens(execution.tokens, stored.value.tokens);
  return { kind: 'ran', execution, model: agent.model.model, tokens, claims: stored.value.claims + 1 };
}

/** Whether an outage is a wait for newer code without an earlier model call. */
function hasNoCalls(outage: Execution['outage']): boolean {
  return isForNewerCode(outage) && outage?.calls === 0;
}

/** The most waits that an execution remembers. */
const MAX_WAITS = 20;

/** The execution with its wait among the ended ones. */
function endWait(execution: Execution, to: Date): Execution {
  const { waitingSince, waits } = execution;
  if (waitingSince === null) return execution;
  const ended = { kind: waitingSince.kind, from: waitingSince.at, to };
  return { ...execution, waitingSince: null, waits: [...waits, ended].slice(0, MAX_WAITS) };
}

/** The execution as the claim stores it. */
function startWork(execution: Execution, work: Work, deps: RuntimeDeps): Execution {
  const started: Execution = {
    ...endWait(execution, deps.clock.now()),
    notBefore: null,
    outage: hasNoCalls(execution.outage) ? null : execution.outage,
    status: 'active',
    startedAt: execution.startedAt ?? deps.clock.now(),
  };
  return work.kind === 'run_tools'
    ? { ...started, pendingCalls: startNextWave(started.pendingCalls) }
    : started;
}

/**
 * Ends the execution after a TerminalError, which would recur at every delivery, or if a document has been newer than this
 * code for too long; until then it pauses.
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
    const failure = failureOf(error, (text) => masker.mask(text).text);
    await endHeldExecution(held, { status: 'failed', failure }, deps);
    return true;
  }
  return false;
}
