// The messages of executions that a process has read or written. Messages never change, so that a process that knows them
// need not read them again; how many there are, and of which execution, stands in the execution.

import type { ConversationMessage } from '../../../contract/llm.ts';
import { paths } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import { NOTHING, type NumberedMessages, type StoredMessage, writtenMessage } from './conversation.ts';

/**
 * Bytes of all kept messages: a quarter of the 256 MiB that a function has unless it is given more. A conversation that
 * fills a model's context of a million tokens has some 8 MB by this count.
 */
const MAX_BYTES = 64_000_000;

type ExecutionKey = Pick<Execution, 'sessionId' | 'executionId'>;
/** Another execution may have the same ids: an emulator that is started anew repeats them. */
type OneExecution = ExecutionKey & Pick<Execution, 'createdAt'>;

/** The messages that a process keeps, by execution and number. Only what is known to be stored may be kept. */
export interface ConversationCache {
  /** Whether anything is kept under these ids, be it of this execution or of an earlier one. */
  has(execution: ExecutionKey): boolean;
  /** What is kept of an execution; nothing of another one that had its ids, which is dropped. */
  get(execution: OneExecution): NumberedMessages;
  /** Keeps messages that were read. They are frozen. Executions that were used least recently make room. */
  keep(execution: OneExecution, messages: NumberedMessages): void;
  /** Adds copies of what a confirmed commit wrote, if the messages before them are kept. */
  append(execution: OneExecution, written: StoredMessage[]): void;
  /** Forgets an execution. */
  drop(execution: ExecutionKey): void;
}

interface Entry {
  createdAt: number;
  messages: Map<number, ConversationMessage>;
  bytes: number;
}

/**
 * An empty cache.
 * @param maxBytes bytes of all kept messages; a conversation of more is not kept. 64 MB when absent.
 */
export function createConversationCache(maxBytes = MAX_BYTES): ConversationCache {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  const keyOf = ({ sessionId, executionId }: ExecutionKey): string => paths.execution(sessionId, executionId);

  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  /** The entry of an execution, as the one that was used last. */
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
      const size = freeze(message);
      entry.messages.set(number, message);
      entry.bytes += size;
      bytes += size;
    }
    // One that can never fit must not drive the others out.
    if (entry.bytes > maxBytes) drop(key);
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) return;
      drop(oldest);
    }
  };

  return {
    has: (execution) => entries.has(keyOf(execution)),
    get: (execution) => find(execution)?.messages ?? NOTHING,
    keep(execution, messages) {
      const entry = find(execution) ?? {
        createdAt: execution.createdAt.getTime(),
        messages: new Map(),
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
 * Freezes a message with all it holds, because every later iteration is given the same one.
 * @returns its bytes in memory at most: strings have one or two a character.
 */
function freeze(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (value === null || typeof value !== 'object') return 8;
  Object.freeze(value);
  return Object.values(value).reduce((sum: number, field) => sum + 8 + freeze(field), 64);
}
