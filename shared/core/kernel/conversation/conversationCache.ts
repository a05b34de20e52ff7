// Caches the messages of executions that a process has read or written. Messages never change, so a process
// need not read them again. The execution itself stores how many messages there are.

import type { ConversationMessage } from '../../contract/llm.ts';
import { paths } from '../../schema/coreDocuments.ts';
import type { Execution } from '../../schema/execution.ts';
import { NOTHING, type NumberedMessages, type StoredMessage, writtenMessage } from './conversation.ts';

/**
 * Bytes of all kept messages: a quarter of a function's default memory of 256 MiB. A conversation that fills
 * a model's context of a million tokens has about 8 MB by this count.
 */
const MAX_BYTES = 64_000_000;

type ExecutionKey = Pick<Execution, 'sessionId' | 'executionId'>;
/** Identifies one execution: a restarted emulator repeats ids. */
type OneExecution = ExecutionKey & Pick<Execution, 'createdAt'>;

/** The messages that a process keeps, by execution and number: only those known to be stored. */
export interface ConversationCache {
  /** Whether any messages are kept under these ids, of this execution or of an earlier one. */
  has(execution: ExecutionKey): boolean;
  /** Returns the kept messages of an execution. Drops those of an earlier one with the same ids. */
  get(execution: OneExecution): NumberedMessages;
  /** The messages 1 to `last` in order, if exactly these are kept; else undefined. Does not check each. */
  all(execution: OneExecution, last: number): ConversationMessage[] | undefined;
  /** Keeps and freezes read messages. Evicts the least recently used executions without space. */
  keep(execution: OneExecution, messages: NumberedMessages): void;
  /** Adds copies of the messages of a confirmed commit, if the messages before them are kept. */
  append(execution: OneExecution, written: StoredMessage[]): void;
  /** Forgets an execution. */
  drop(execution: ExecutionKey): void;
}

interface Entry {
  /** Creation time of the execution in epoch milliseconds: ids can be used again on an emulator. */
  createdAt: number;
  /** The kept messages, by their sequence number. */
  messages: Map<number, ConversationMessage>;
  /** The first messages, up to the first missing one. */
  inOrder: ConversationMessage[];
  /** Estimated size of the messages. */
  bytes: number;
}

/**
 * Creates an empty cache.
 * @param maxBytes limit of all kept messages; a larger conversation is not kept. Default: 64 MB.
 */
export function createConversationCache(maxBytes = MAX_BYTES): ConversationCache {
  /** In order of use, the least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  const keyOf = ({ sessionId, executionId }: ExecutionKey): string => paths.execution(sessionId, executionId);

  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  /** Finds the entry of an execution and marks it as the most recently used. */
  const find = (execution: OneExecution): Entry | undefined => {
    const key = keyOf(execution);
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.createdAt !== execution.createdAt.getTime()) {
      drop(key);
      return undefined;
    }
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  };

  const add = (key: string, entry: Entry, messages: Iterable<[number, ConversationMessage]>): void => {
    for (const [number, message] of messages) {
      if (entry.messages.has(number)) continue;
      const size = freezeMessage(message);
      entry.messages.set(number, message);
      entry.bytes += size;
      bytes += size;
    }
    const { inOrder } = entry;
    for (
      let next = entry.messages.get(1 + inOrder.length);
      next;
      next = entry.messages.get(1 + inOrder.length)
    )
      inOrder.push(next);
    // An entry that can never fit must not evict the others.
    if (entry.bytes > maxBytes) drop(key);
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) return;
      drop(oldest);
    }
  };

  return {
    has: (execution) => entries.has(keyOf(execution)),
    get: (execution) => find(execution)?.messages ?? NOTHING,
    all(execution, last) {
      const { inOrder, messages } = find(execution) ?? {};
      return inOrder?.length === last && messages?.size === last ? inOrder.slice() : undefined;
    },
    keep(execution, messages) {
      const entry = find(execution) ?? {
        createdAt: execution.createdAt.getTime(),
        messages: new Map(),
        inOrder: [],
        bytes: 0,
      };
      entries.set(keyOf(execution), entry);
      add(keyOf(execution), entry, messages);
    },
    append(execution, written) {
      const entry = find(execution);
      if (entry === undefined) return;
      const messages = written.map((stored): [number, ConversationMessage] => [
        stored.message.sequenceNumber,
        writtenMessage(stored),
      ]);
      add(keyOf(execution), entry, messages);
    },
    drop: (execution) => drop(keyOf(execution)),
  };
}

/**
 * Freezes a message with all its content, because every later iteration gets the same object.
 * @returns the maximum of its bytes in memory: strings take one or two bytes per character.
 */
function freezeMessage(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (value === null || typeof value !== 'object') return 8;
  Object.freeze(value);
  return Object.values(value).reduce((sum: number, field) => sum + 8 + freezeMessage(field), 64);
}
