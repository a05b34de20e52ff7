// Loads the conversation of an execution: cached messages of this process, and the others from the store.

import type { ConversationMessage } from '../../contract/llm.ts';
import { NOTHING, type NumberedMessages, readMessages } from '../../kernel/conversation/conversation.ts';
import type { RuntimeDeps } from '../../kernel/deps.ts';
import type { Reading } from '../../kernel/documents/reading.ts';
import { isSettled } from '../../kernel/state/pendingCalls.ts';
import type { Failure } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';

type ConversationDeps = Pick<RuntimeDeps, 'store' | 'conversations'>;

/** A conversation, or the reason why there is none. */
type LoadedConversation =
  | { kind: 'complete'; messages: ConversationMessage[] }
  /** The store has other messages than the execution counts: one was read before a commit. */
  | { kind: 'incomplete' }
  /** A message can never be read. */
  | { kind: 'unreadable'; failure: Failure };

/**
 * Reads the whole conversation of an execution without cached messages, at the same time as the execution.
 * @returns undefined if some messages are cached: the execution then shows which ones are missing.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function readUnknownConversation(
  sessionId: string,
  executionId: string,
  { store, conversations }: ConversationDeps,
): Promise<Reading<NumberedMessages> | undefined> {
  if (conversations.has({ sessionId, executionId })) return undefined;
  return readMessages(store, sessionId, executionId);
}

/**
 * Returns the messages that the execution has counted, in order. Reads the uncached ones with one query.
 * @param whole the result of `readUnknownConversation`.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function loadConversation(
  execution: Execution,
  whole: Reading<NumberedMessages> | undefined,
  { store, conversations }: ConversationDeps,
): Promise<LoadedConversation> {
  const all = whole === undefined && conversations.all(execution, execution.lastMessage);
  if (all && execution.pendingCalls.every(isSettled)) return { kind: 'complete', messages: all };
  const expected = expectedNumbers(execution);
  const kept = whole === undefined ? keptMessages(execution, expected, conversations) : NOTHING;
  if (whole === undefined && kept.size === expected.length)
    return { kind: 'complete', messages: inOrder(kept, expected) };
  const { value: read, failure } = whole ?? (await readMissing(execution, kept, expected, store));
  if (failure !== undefined) return { kind: 'unreadable', failure };
  const found = new Map([...read, ...kept]);
  if (!isComplete(found, expected)) {
    conversations.drop(execution);
    return { kind: 'incomplete' };
  }
  conversations.keep(execution, found);
  return { kind: 'complete', messages: inOrder(found, expected) };
}

function inOrder(found: NumberedMessages, expected: number[]): ConversationMessage[] {
  return expected.map((number) => found.get(number) as ConversationMessage);
}

/** The numbers of all messages that are stored: those of calls without a result are only reserved. */
function expectedNumbers({ lastMessage, pendingCalls }: Execution): number[] {
  const reserved = new Set(
    pendingCalls.filter((call) => !isSettled(call)).map(({ resultMessage }) => resultMessage),
  );
  return Array.from({ length: lastMessage }, (_, index) => index + 1).filter(
    (number) => !reserved.has(number),
  );
}

/** The cached messages, if all are expected. If there is one too many, none is trusted. */
function keptMessages(
  execution: Execution,
  expected: number[],
  conversations: ConversationDeps['conversations'],
): NumberedMessages {
  const kept = conversations.get(execution);
  if (isComplete(kept, expected)) return kept;
  // Another delivery can add to the cache while the store is read.
  if (expected.filter((number) => kept.has(number)).length === kept.size) return new Map(kept);
  conversations.drop(execution);
  return NOTHING;
}

/** Results arrive in any order: the missing range can contain cached messages. One query reads all. */
async function readMissing(
  { sessionId, executionId }: Execution,
  kept: NumberedMessages,
  expected: number[],
  store: ConversationDeps['store'],
): Promise<Reading<NumberedMessages>> {
  const missing = expected.filter((number) => !kept.has(number));
  const [first] = missing;
  const last = missing.at(-1);
  if (first === undefined || last === undefined) return { value: NOTHING };
  return readMessages(store, sessionId, executionId, { first, last });
}

/** Whether the messages are exactly those that the execution has counted. */
function isComplete(found: NumberedMessages, expected: number[]): boolean {
  return found.size === expected.length && expected.every((number) => found.has(number));
}
