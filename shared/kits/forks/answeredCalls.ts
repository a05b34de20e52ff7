// The calls of a stored session that were answered, with their results.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Store } from '../../core/contract/store.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import type { Reading } from '../../core/kernel/documents/reading.ts';
import type { ToolResultBlock } from '../../core/schema/block.ts';
import { messageType, paths } from '../../core/schema/coreDocuments.ts';
import { isAfterEnd, type Stage } from '../../core/schema/stage.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { readPieces } from '../claims/readPieces.ts';

/** A result of a call as it was stored. */
export interface StoredCallResult {
  block: ToolResultBlock;
  executionId: string;
  /** When it was stored. */
  at: Date;
}

/** A conversation by the numbers of its messages, each with its time. */
export type TimedConversation = ReadonlyMap<number, ConversationMessage & { at: Date }>;

/** The key of a call among results. ReAct repeats ids in each execution. */
export const callKey = (executionId: string, callId: string): string => `${executionId} ${callId}`;

/** The stored conversation of an execution. @throws as `readMessages`. */
export async function readTimedConversation(
  sessionId: string,
  executionId: string,
  store: Store,
): Promise<Reading<TimedConversation>> {
  const query = { collection: paths.messages(sessionId), idPrefix: `${executionId}.` };
  const [{ value, failure }, stored] = await Promise.all([
    readMessages(store, sessionId, executionId),
    store.list(query, messageType),
  ]);
  if (failure !== undefined) return { failure };
  const times = new Map(stored.map(({ value: one }) => [one.sequenceNumber, one.createdAt]));
  const at = (number: number) => times.get(number) ?? new Date(0);
  return { value: new Map([...value].map(([number, message]) => [number, { ...message, at: at(number) }])) };
}

/** The results of a conversation that this system's tools returned, by `callKey`. */
export function listCallResults(
  executionId: string,
  conversation: TimedConversation,
): [string, StoredCallResult][] {
  return [...conversation.values()].flatMap(({ blocks, at }) =>
    blocks.flatMap((block): [string, StoredCallResult][] =>
      block.blockType === 'tool_result' && block.executionSide !== 'provider'
        ? [[callKey(executionId, block.toolUseId), { block, executionId, at }]]
        : [],
    ),
  );
}

/** The text of a result, with all pieces of a large one. @throws RetryableError when the store fails. */
export async function readWholeResult(
  sessionId: string,
  { executionId, block }: StoredCallResult,
  store: Store,
): Promise<string> {
  if (block.stored === undefined) return block.textContent;
  return (await readPieces({ sessionId, executionId }, block.stored, store)).join('');
}

/**
 * The calls that a tool answered, in the order of their results. Those after the end of the session, of
 * checks and of questions, show another state of the system.
 */
export function listAnsweredCalls<R extends StoredCallResult>({
  timeline,
  stages,
  results,
}: {
  timeline: readonly TimelineEvent[];
  stages: readonly Stage[];
  results: ReadonlyMap<string, R>;
}): { toolName: string; arguments: string; result: R; timedOut: boolean }[] {
  const late = new Set(stages.filter(isAfterEnd).map(({ stageId }) => stageId));
  const timedOut = new Set(
    timeline.flatMap((event) =>
      event.eventType === 'tool_result' && event.status === 'timed_out'
        ? [callKey(event.executionId, event.metadata.callId)]
        : [],
    ),
  );
  return timeline
    .flatMap((event) => {
      if (late.has(event.stageId)) return [];
      if (event.eventType !== 'llm_tool_call' && event.eventType !== 'mcp_tool_call') return [];
      const { toolName, callId, arguments: given } = event.metadata;
      const key = callKey(event.executionId, callId);
      const result = results.get(key);
      if (result === undefined || result.block.noAnswer) return [];
      return [{ toolName, arguments: given, result, timedOut: timedOut.has(key) }];
    })
    .toSorted((a, b) => a.result.at.getTime() - b.result.at.getTime());
}
