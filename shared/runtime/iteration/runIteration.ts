// Handles one iteration message: load, decide, claim, do the work, publish what follows.
// docs/reliability.md explains why a repetition is safe.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Stored } from '../../contract/store.ts';
import { controllerOf } from '../../controller/registry.ts';
import { TerminalError } from '../../errors.ts';
import type { Masker } from '../../masking/masker.ts';
import type { AgentSnapshot } from '../../schema/agent.ts';
import { type Failure, failureOf, subtractTokens, type TokenUsage } from '../../schema/common.ts';
import { executionType, paths } from '../../schema/documents.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import { loadGuidance } from '../features/guidance/loadGuidance.ts';
import { LiveWriter } from '../features/live/liveText.ts';
import type { NumberedMessages } from '../kernel/conversation/conversation.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { EXECUTION_RACES, RACE_LOST, retryLostRaces } from '../kernel/documents/races.ts';
import { captureFailure, type Reading } from '../kernel/documents/reading.ts';
import { startBudget } from '../kernel/execution/budget.ts';
import type { TakenGuidance } from '../kernel/execution/context.ts';
import { LeaseLostError } from '../kernel/execution/fencedWriter.ts';
import { claim, type HeldExecution } from '../kernel/execution/lease.ts';
import {
  captureNewer,
  isForNewerCode,
  readInTime,
  requireRead,
  type VersionedReading,
} from '../kernel/execution/newerDocument.ts';
import { type ControlState, readControl } from '../kernel/execution/readControl.ts';
import { decide, type Ending, type Work } from '../kernel/state/decide.ts';
import { cutOffCalls, startNextWave } from '../kernel/state/pendingCalls.ts';
import { retryLaterError } from '../kernel/state/retryLater.ts';
import { openLedger } from '../kernel/tokens/tokenLedger.ts';
import { endExecution, endHeldExecution } from '../stage/endExecution.ts';
import { finishWithoutWork, type OutcomeWithoutWork } from '../stage/finishWithoutWork.ts';
import { performIteration } from './performIteration.ts';
import { beginConnecting, NOTHING_TO_CONNECT, type OpeningTools } from './prepare/connectTools.ts';
import { type LoadedAgent, loadAgent, loadSnapshot } from './prepare/loadAgent.ts';
import { loadConversation, readUnknownConversation } from './prepare/loadConversation.ts';
import { waitForNewerCode } from './waitForNewerCode.ts';

/** How a message was handled. The message is acked; a message that must be redelivered throws a RetryableError. */
export type IterationOutcome =
  /** `tokens`: those of this iteration's model call. `claims`: how often the iteration was claimed, this time included. */
  | { kind: 'ran'; execution: Execution; model: string; tokens: TokenUsage; claims: number }
  /** The execution was ended without work: out of time or iterations, or its documents cannot be read. */
  | { kind: 'ended'; execution: Execution }
  /** Another process handles another message about the same iteration. */
  | { kind: 'spare_copy' }
  | OutcomeWithoutWork;

/**
 * Handles one iteration message.
 * @param messageId Pub/Sub's id of the message; null when unknown. The lease stores it.
 * @throws RetryableError when it must be delivered again: another process holds the execution, or store or publisher
 *   failed.
 */
export function runIteration(
  message: IterationMessage,
  messageId: string | null,
  deps: RuntimeDeps,
): Promise<IterationOutcome> {
  return retryLostRaces(`execution ${message.executionId}`, EXECUTION_RACES, ({ isLast }) =>
    tryIteration(message, messageId, isLast, deps),
  );
}

async function tryIteration(
  message: IterationMessage,
  messageId: string | null,
  isLast: boolean,
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const { sessionId, executionId } = message;
  const [stored, whole, snapshot, control] = await Promise.all([
    deps.store.get(paths.execution(sessionId, executionId), executionType),
    captureNewer(readUnknownConversation(sessionId, executionId, deps)),
    captureNewer(loadSnapshot(sessionId, executionId, deps)),
    captureNewer(readControl(sessionId, deps)),
  ]);
  await deps.failpoint?.(CRASH_POINTS.afterLoad);
  if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
  const isPaused = control.newer === undefined && control.value.paused;
  const decision = decide(stored.value, message, deps.clock.now(), messageId, isPaused);
  switch (decision.kind) {
    case 'reject_ahead':
    case 'already_ended':
    case 'late_copy':
    case 'waits':
    case 'paused':
    case 'parked':
      return finishWithoutWork(stored, decision, deps);
    case 'busy':
      if (decision.spare) return { kind: 'spare_copy' };
      throw retryLaterError(executionId, decision, deps.clock.now());
    case 'wait':
      throw retryLaterError(executionId, decision, deps.clock.now());
    case 'end':
      return endUnclaimed(stored, decision.ending, deps);
    case 'ask_model':
    case 'collect':
    case 'run_tools':
      return loadAndWork(stored, decision, { whole, snapshot, control }, { messageId, isLast }, deps);
  }
}

/** What a delivery reads beside its execution, at the same time. */
interface Documents {
  whole: VersionedReading<Reading<NumberedMessages> | undefined>;
  snapshot: VersionedReading<Reading<AgentSnapshot | undefined>>;
  control: VersionedReading<ControlState>;
}

/** Loads what the work needs, then claims the execution and does it. A document that cannot be read ends the execution. */
async function loadAndWork(
  stored: Stored<Execution>,
  work: Work,
  documents: Documents,
  { messageId, isLast }: { messageId: string | null; isLast: boolean },
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const started = await readInTime(stored, loadReadable(stored.value, documents, deps), deps);
  if (started.failure !== undefined) return failUnclaimed(stored, started.failure, deps);
  const { agent, control, whole } = started.value;
  const tools = beginWork(stored.value, work, agent, deps);
  try {
    const texts = Promise.all([
      loadConversation(stored.value, whole, deps),
      loadGuidance(stored.value, work, { ...agent, given: control.guidance }, deps),
    ]);
    const loaded = await readInTime(stored, captureFailure(texts), deps);
    if (loaded.failure !== undefined) return await failUnclaimed(stored, loaded.failure, deps);
    const [conversation, guidance] = loaded.value;
    if (conversation.kind === 'unreadable') return await failUnclaimed(stored, conversation.failure, deps);
    if (conversation.kind === 'complete') {
      const { messages } = conversation;
      const { watchedUntil } = control;
      const claimable = { ...agent, conversation: messages, guidance, watchedUntil, messageId, tools };
      return await runClaimed(stored, work, claimable, deps);
    }
    // Execution and messages are read separately, so a commit in between shows in one of them only: read again.
    return isLast ? await failUnclaimed(stored, MESSAGES_MISSING, deps) : RACE_LOST;
  } finally {
    // Closed last: a server may take seconds to stop, and the next message must not wait for it.
    await tools.close();
  }
}

/** The agent and what was read beside it. @throws SchemaVersionError for the first document of newer code. */
async function loadReadable(execution: Execution, documents: Documents, deps: RuntimeDeps) {
  const control = requireRead(documents.control);
  const whole = requireRead(documents.whole);
  const { value: agent, failure } = await loadAgent(execution, requireRead(documents.snapshot), deps);
  return failure === undefined ? { value: { agent, control, whole } } : { failure };
}

/**
 * Begins what takes long on a new instance and is undone without a trace if the claim is lost: loading the model's SDK,
 * and connecting to servers. The model is asked, and tools are called, after the claim alone.
 */
function beginWork(execution: Execution, work: Work, loaded: LoadedAgent, deps: RuntimeDeps): OpeningTools {
  const { agent } = loaded;
  if (work.kind === 'ask_model') deps.llm.warm?.(agent.model);
  const concludes = work.kind === 'ask_model' && work.mode === 'conclude';
  return concludes || agent.tools.length === 0
    ? NOTHING_TO_CONNECT
    : beginConnecting(execution, loaded, deps);
}

const MESSAGES_MISSING: Failure = {
  code: 'DOCUMENT_INVALID',
  message: 'Messages of this execution are missing in the store.',
};

async function endUnclaimed(
  stored: Stored<Execution>,
  ending: Ending,
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const execution = await endExecution(stored, ending, deps);
  return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
}

function failUnclaimed(stored: Stored<Execution>, failure: Failure, deps: RuntimeDeps) {
  return endUnclaimed(stored, { status: 'failed', failure }, deps);
}

/** Claims the execution and does the work. Another writer may win at the claim, or later. */
async function runClaimed(
  stored: Stored<Execution>,
  work: Work,
  loaded: LoadedAgent & {
    conversation: ConversationMessage[];
    guidance: TakenGuidance;
    watchedUntil: Date | null;
    messageId: string | null;
    tools: OpeningTools;
  },
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const { agent, labels, dataNonce, conversation, guidance, watchedUntil, messageId, tools } = loaded;
  const masker = deps.maskerFor(loaded.maskKey);
  const held = await claim(stored, messageId, deps, (execution) => startWork(execution, work, deps));
  if (held === undefined) return RACE_LOST;
  const budget = startBudget(held, deps.clock);
  const ledger = openLedger(held.current(), deps);
  let live: LiveWriter | undefined;
  try {
    await deps.failpoint?.(CRASH_POINTS.afterClaim);
    deps.publisher.warm();
    const controller = controllerOf(agent);
    const { verbatim } = controller;
    const isTakeover = stored.value.lease !== null;
    live = new LiveWriter({ held, masker, verbatim, watchedUntil, isTakeover }, deps);
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
      deps,
    };
    await performIteration(context, work, { conversation, cutOff, tools });
  } catch (error) {
    if (error instanceof LeaseLostError) return RACE_LOST;
    if (!(await endOrReleaseLease(held, error, { masker, outage: stored.value.outage }, deps))) throw error;
  } finally {
    budget.stop();
    held.release();
    // A function that has answered is frozen, and what is under way with it.
    await Promise.all([live?.close(), ledger.close()]);
  }
  const execution = held.current();
  const tokens = subtractTokens(execution.tokens, stored.value.tokens);
  return { kind: 'ran', execution, model: agent.model.model, tokens, claims: stored.value.claims + 1 };
}

/** Whether an outage is a wait for newer code, and no call of a model came before it. */
function hasNoCalls(outage: Execution['outage']): boolean {
  return isForNewerCode(outage) && outage?.calls === 0;
}

/** The execution as the claim stores it. */
function startWork(execution: Execution, work: Work, deps: RuntimeDeps): Execution {
  const started: Execution = {
    ...execution,
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
 * Ends the execution after a TerminalError, which would recur at every delivery, and when a document is of newer code for
 * too long; until then it pauses. After any other error it gives the lease back, so that the next delivery need not wait
 * until it expires.
 * @param before what is needed of the time before the claim.
 * @returns whether the execution was ended or is parked. If not, the message must be delivered again.
 */
async function endOrReleaseLease(
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
  await held.handBack().catch(() => undefined);
  return false;
}
