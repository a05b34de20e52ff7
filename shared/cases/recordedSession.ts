// The documents of a recorded session, in the current version of their types.

import { TerminalError } from '../core/errors.ts';
import type { AgentSnapshot } from '../core/schema/agent.ts';
import type { Approval } from '../core/schema/approval.ts';
import type { Guidance } from '../core/schema/control.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import type { Execution } from '../core/schema/execution.ts';
import type { Interaction } from '../core/schema/interaction.ts';
import type { Session } from '../core/schema/session.ts';
import type { Stage } from '../core/schema/stage.ts';
import type { TimelineEvent } from '../core/schema/timelineEvent.ts';
import type { ToolList } from '../kits/agents/toolList.ts';
import {
  listCallResults,
  readTimedConversation,
  readWholeResult,
  type StoredCallResult,
  type TimedConversation,
} from '../kits/forks/answeredCalls.ts';
import {
  agentSnapshotType,
  approvalType,
  executionType,
  guidanceType,
  interactionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
  toolListType,
} from '../lists/documents.ts';
import type { Recording } from './recording.ts';

/** A result of a call as it was stored, with the whole text of a large one. */
type RecordedResult = StoredCallResult & { text: string };

/** A recorded session. */
export interface RecordedSession {
  session: Session;
  stages: readonly Stage[];
  executions: readonly Execution[];
  /** By execution. */
  agents: ReadonlyMap<string, AgentSnapshot>;
  timeline: readonly TimelineEvent[];
  /** By execution. */
  conversations: ReadonlyMap<string, TimedConversation>;
  interactions: readonly Interaction[];
  /** By the id of the call, in the order of storing. ReAct repeats ids in each execution. */
  results: ReadonlyMap<string, RecordedResult>;
  guidance: readonly Guidance[];
  approvals: readonly Approval[];
  toolLists: readonly ToolList[];
}

/**
 * Reads a recording.
 * @throws TerminalError for a document that this code cannot read; SchemaVersionError for one of newer code.
 */
export async function readRecordedSession({ sessionId, store }: Recording): Promise<RecordedSession> {
  const below = async <T>(name: string, type: DocumentType<T>): Promise<T[]> => {
    const found = await store.list({ collection: `${paths.session(sessionId)}/${name}` }, type);
    return found.map(({ value }) => value);
  };
  const session = await store.get(paths.session(sessionId), sessionType);
  if (session === undefined)
    throw new TerminalError('CASE_INVALID', `the recording has no session ${sessionId}; record it again`);
  const executions = await below('executions', executionType);
  const conversations = new Map<string, TimedConversation>();
  const results = new Map<string, RecordedResult>();
  for (const { executionId } of executions) {
    const { value: conversation, failure } = await readTimedConversation(sessionId, executionId, store);
    if (failure !== undefined)
      throw new TerminalError('CASE_INVALID', `the messages of ${executionId}: ${failure.message}`);
    conversations.set(executionId, conversation);
    for (const [key, result] of listCallResults(executionId, conversation))
      results.set(key, { ...result, text: await readWholeResult(sessionId, result, store) });
  }
  const approvals = await store.list({ collection: paths.approvals }, approvalType);
  const agents = await below('agentSnapshots', agentSnapshotType);
  return {
    session: session.value,
    stages: await below('stages', stageType),
    executions,
    agents: new Map(agents.map((one) => [one.executionId, one])),
    timeline: await below('timeline', timelineEventType),
    conversations,
    interactions: await below('interactions', interactionType),
    results,
    guidance: await below('guidance', guidanceType),
    approvals: approvals.map(({ value }) => value).filter((one) => one.sessionId === sessionId),
    toolLists: await below('toolLists', toolListType),
  };
}
