// Loads the agent and the texts of an iteration before the claim, while the agent's servers connect.

import type { Stored } from '../contract/store.ts';
import type { NumberedMessages } from '../kernel/conversation/conversation.ts';
import { captureFailure, type Reading } from '../kernel/documents/reading.ts';
import { RACE_LOST } from '../kernel/documents/retryConflict.ts';
import { requireRead, type VersionedReading } from '../kernel/execution/newerDocument.ts';
import type { ControlState } from '../kernel/execution/readControl.ts';
import type { Work } from '../kernel/state/decide.ts';
import type { AgentSnapshot } from '../schema/agent.ts';
import type { Failure } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import type { RunDeps } from './context/features.ts';
import type { WorkContext } from './performIteration.ts';
import { NOTHING_TO_CONNECT, type OpeningTools, startConnecting } from './prepare/connectTools.ts';
import { type LoadedAgent, loadAgent } from './prepare/loadAgent.ts';
import { loadConversation } from './prepare/loadConversation.ts';

/** An execution with work, and the documents that its delivery read at the same time. */
export interface DueWork {
  stored: Stored<Execution>;
  work: Work;
  /** All messages of the execution; undefined if the process has cached some of them. */
  whole: VersionedReading<Reading<NumberedMessages> | undefined>;
  /** The agent as it was when the execution was created. */
  snapshot: VersionedReading<Reading<AgentSnapshot | undefined>>;
  /** Pause, guidance count and watchers of the session. */
  control: VersionedReading<ControlState>;
  /** Pub/Sub's id of the message; null when unknown. */
  messageId: string | null;
  /** Whether the work is not tried again after a lost race. */
  isLast: boolean;
}

/** The agent of the work. @throws SchemaVersionError for the first document of newer code. */
export async function loadWorker(due: DueWork, deps: RunDeps): Promise<Reading<LoadedAgent>> {
  requireRead(due.control);
  requireRead(due.whole);
  return loadAgent(due.stored.value, requireRead(due.snapshot), deps);
}

/**
 * Starts slow work that leaves no trace if the claim is lost: loading the model's SDK, and connecting to
 * servers. The model is asked, and tools are called, only after the claim.
 */
export function startSlowWork({ stored, work }: DueWork, loaded: LoadedAgent, deps: RunDeps): OpeningTools {
  const { agent } = loaded;
  if (work.kind === 'ask_model') deps.llm.warm?.(agent.model);
  const concludes = work.kind === 'ask_model' && work.mode === 'conclude';
  return concludes || agent.tools.length === 0
    ? NOTHING_TO_CONNECT
    : startConnecting(stored.value, loaded, deps);
}

/** The texts of the work; `RACE_LOST` if execution and messages were read before and after a commit. */
export async function loadTexts(
  { stored, work, whole, control, isLast }: DueWork,
  agent: LoadedAgent,
  deps: RunDeps,
): Promise<Reading<Pick<WorkContext, 'conversation' | 'guidance'> | typeof RACE_LOST>> {
  const guided = { ...agent, given: requireRead(control).guidance };
  const { value, failure } = await captureFailure(
    Promise.all([
      loadConversation(stored.value, requireRead(whole), deps),
      deps.features.readGuidance(stored.value, work, guided, deps),
    ]),
  );
  if (failure !== undefined) return { failure };
  const [conversation, guidance] = value;
  switch (conversation.kind) {
    case 'complete':
      return { value: { conversation: conversation.messages, guidance } };
    case 'unreadable':
      return conversation;
    case 'incomplete':
      return isLast ? { failure: MESSAGES_MISSING } : { value: RACE_LOST };
  }
}

const MESSAGES_MISSING: Failure = {
  code: 'DOCUMENT_INVALID',
  message: 'Messages of this execution are missing in the store.',
};
