// The documents of a recorded session, in the current version of their types.

import type { ConversationMessage } from '../core/contract/llm.ts';
import type { Store } from '../core/contract/store.ts';
import { TerminalError } from '../core/errors.ts';
import { readMessages } from '../core/kernel/conversation/conversation.ts';
import type { AgentSnapshot } from '../core/schema/agent.ts';
import type { Approval } from '../core/schema/approval.ts';
import type { ToolResultBlock } from '../core/schema/block.ts';
import type { Guidance } from '../core/schema/control.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import type { Execution } from '../core/schema/execution.ts';
import type { Interaction } from '../core/schema/interaction.ts';
import type { Session } from '../core/schema/session.ts';
import type { Stage } from '../core/schema/stage.ts';
import type { TimelineEvent } from '../core/schema/timelineEvent.ts';
import type { ToolList } from '../kits/agents/toolList.ts';
import { readPieces } from '../kits/claims/readPieces.ts';
import {
  agentSnapshotType,
  approvalType,
  executionType,
  guidanceType,
  interactionType,
  messageType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
  toolListType,
} from '../lists/documents.ts';
import type { Recording } from './recording.ts';

/** A result of a call as it was stored, with the whole text of a large one. */
interface RecordedResult {
  block: ToolResultBlock;
  text: string;
  /** When it was stored. */
  at: Date;
}

type Conversation = ReadonlyMap<number, ConversationMessage & { at: Date }>;

/** A recorded session. */
export interface RecordedSession {
  session: Session;
  stages: readonly Stage[];
  executions: readonly Execution[];
  /** By execution. */
  agents: ReadonlyMap<string, AgentSnapshot>;
  timeline: readonly TimelineEvent[];
  /** By execution. */
  conversations: ReadonlyMap<string, Conversation>;
  interactions: readonly Interaction[];
  /** By the id of the call, in the order of storing. ReAct repeats ids in each execution. */
  results: ReadonlyMap<string, RecordedResult>;
  guidance: readonly Guidance[];
  approvals: readonly Approval[];
  toolLists: readonly ToolList[];
}

/** The key of a call in `results`. */
export const callKey = (executionId: string, callId: string): string => `${executionId} ${callId}`;

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
  const conversations = new Map<string, Conversation>();
  const results = new Map<string, RecordedResult>();
  for (const { executionId } of executions) {
    const conversation = await readRecordedConversation(store, sessionId, executionId);
    conversations.set(executionId, conversation);
    for (const { blocks, at } of conversation.values())
      for (const block of blocks) {
        if (block.blockType !== 'tool_result' || block.executionSide === 'provider') continue;
        const pieces = block.stored && (await readPieces({ sessionId, executionId }, block.stored, store));
        const text = pieces === undefined ? block.textContent : pieces.join('');
        results.set(callKey(executionId, block.toolUseId), { block, text, at });
      }
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

async function readRecordedConversation(
  store: Store,
  sessionId: string,
  executionId: string,
): Promise<Conversation> {
  const { value, failure } = await readMessages(store, sessionId, executionId);
  if (failure !== undefined)
    throw new TerminalError('CASE_INVALID', `the messages of ${executionId}: ${failure.message}`);
  const stored = await store.list(
    { collection: paths.messages(sessionId), idPrefix: `${executionId}.` },
    messageType,
  );
  const times = new Map(stored.map(({ value: one }) => [one.sequenceNumber, one.createdAt]));
  const at = (number: number) => times.get(number) ?? new Date(0);
  return new Map([...value].map(([number, message]) => [number, { ...message, at: at(number) }]));
}
