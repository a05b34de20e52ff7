// Loads the documents of an iteration before the claim, and starts slow work in parallel.

import type { Stored } from '../../contract/store.ts';
import type { AgentSnapshot } from '../../schema/agent.ts';
import type { Failure } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { NumberedMessages } from '../kernel/conversation/conversation.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { RACE_LOST } from '../kernel/documents/races.ts';
import { captureFailure, type Reading } from '../kernel/documents/reading.ts';
import { readInTime, requireRead, type VersionedReading } from '../kernel/execution/newerDocument.ts';
import type { ControlState } from '../kernel/execution/readControl.ts';
import type { Ending, Work } from '../kernel/state/decide.ts';
import { endExecution } from '../stage/endExecution.ts';
import type { RunDeps } from './context/features.ts';
import { NOTHING_TO_CONNECT, type OpeningTools, startConnecting } from './prepare/connectTools.ts';
import { type LoadedAgent, loadAgent } from './prepare/loadAgent.ts';
import { loadConversation } from './prepare/loadConversation.ts';
import { runClaimed, type WorkOutcome } from './runClaimed.ts';

/** The documents that a delivery reads at the same time as its execution. */
interface Documents {
  /** All messages of the execution; undefined if the process has cached some of them. */
  whole: VersionedReading<Reading<NumberedMessages> | undefined>;
  /** The agent as it was when the execution was created. */
  snapshot: VersionedReading<Reading<AgentSnapshot | undefined>>;
  /** Pause, guidance count and watchers of the session. */
  control: VersionedReading<ControlState>;
}

/** Loads the documents of the work, claims the execution and does the work. An unreadable document ends the execution. */
export async function loadAndWork(
  stored: Stored<Execution>,
  work: Work,
  documents: Documents,
  { messageId, isLast }: { messageId: string | null; isLast: boolean },
  deps: RunDeps,
): Promise<WorkOutcome | typeof RACE_LOST> {
  const started = await readInTime(stored, loadReadable(stored.value, documents, deps), deps);
  if (started.failure !== undefined) return failUnclaimed(stored, started.failure, deps);
  const { agent, control, whole } = started.value;
  const tools = startSlowWork(stored.value, work, agent, deps);
  try {
    const texts = Promise.all([
      loadConversation(stored.value, whole, deps),
      deps.features.readGuidance(stored.value, work, { ...agent, given: control.guidance }, deps),
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
    // Execution and messages are read separately, so only one of them might include a commit in between: reads again.
    return isLast ? await failUnclaimed(stored, MESSAGES_MISSING, deps) : RACE_LOST;
  } finally {
    // Closed last: a server can take seconds to stop, and the next message must not wait for it.
    await tools.close();
  }
}

/** The agent and the documents read with it. @throws SchemaVersionError for the first document of newer code. */
async function loadReadable(execution: Execution, documents: Documents, deps: RunDeps) {
  const control = requireRead(documents.control);
  const whole = requireRead(documents.whole);
  const { value: agent, failure } = await loadAgent(execution, requireRead(documents.snapshot), deps);
  return failure === undefined ? { value: { agent, control, whole } } : { failure };
}

/**
 * Starts slow work that leaves no trace if the claim is lost: loading the model's SDK, and connecting to servers. The model
 * is asked, and tools are called, only after the claim.
 */
function startSlowWork(execution: Execution, work: Work, loaded: LoadedAgent, deps: RunDeps): OpeningTools {
  const { agent } = loaded;
  if (work.kind === 'ask_model') deps.llm.warm?.(agent.model);
  const concludes = work.kind === 'ask_model' && work.mode === 'conclude';
  return concludes || agent.tools.length === 0
    ? NOTHING_TO_CONNECT
    : startConnecting(execution, loaded, deps);
}

const MESSAGES_MISSING: Failure = {
  code: 'DOCUMENT_INVALID',
  message: 'Messages of this execution are missing in the store.',
};

/** Ends an execution that this process has not claimed. */
export async function endUnclaimed(
  stored: Stored<Execution>,
  ending: Ending,
  deps: RuntimeDeps,
): Promise<WorkOutcome | typeof RACE_LOST> {
  const execution = await endExecution(stored, ending, deps);
  return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
}

function failUnclaimed(stored: Stored<Execution>, failure: Failure, deps: RuntimeDeps) {
  return endUnclaimed(stored, { status: 'failed', failure }, deps);
}
