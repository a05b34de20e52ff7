import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import { messageType, paths } from '../../../lists/documents.ts';
import { createMemoryStore, type MemoryStore } from '../../../store/memory/memoryStore.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import {
  type ConversationCache,
  createConversationCache,
} from '../../kernel/conversation/conversationCache.ts';
import { startBatch } from '../../kernel/conversation/executionBatch.ts';
import type { Execution } from '../../schema/execution.ts';
import { loadConversation, readUnknownConversation } from './loadConversation.ts';

/** Five messages; the third is the reserved number of a result that has not come. */
const reserved = samplePendingCall({ state: 'running', resultMessage: 3 });
const execution = sampleExecution({ lastMessage: 5, pendingCalls: [reserved] });
const { sessionId, executionId } = execution;
const STORED = [1, 2, 4, 5];

let store: MemoryStore;
let conversations: ConversationCache;

beforeEach(async () => {
  store = createMemoryStore();
  conversations = createConversationCache();
  await write(STORED);
});

const texts = (numbers: number[]) => numbers.map((number) => `message ${number}`);

async function write(numbers: number[]): Promise<void> {
  const batch = startBatch(execution, execution.createdAt);
  for (const number of numbers) {
    const [textContent = ''] = texts([number]);
    batch.appendMessage({ role: 'user', blocks: [{ blockType: 'text', textContent }] }, number);
  }
  await store.commit(batch.writes);
}

/** Keeps these numbers, with the texts that are stored or others. */
function keep(numbers: number[], of: Pick<Execution, 'createdAt'> = execution, suffix = ''): void {
  const message = (number: number): ConversationMessage => ({
    role: 'user',
    blocks: [{ blockType: 'text', textContent: texts([number]) + suffix }],
  });
  const kept = new Map(numbers.map((number) => [number, message(number)]));
  conversations.keep({ ...execution, ...of }, kept);
}

/** Loads the conversation as a delivery does: the texts, and the ranges that were read. */
async function load(of: Execution = execution) {
  const list = vi.spyOn(store, 'list');
  const deps = { store, conversations };
  const whole = await readUnknownConversation(sessionId, executionId, deps);
  const loaded = await loadConversation(of, whole, deps);
  const reads = list.mock.calls.map(([{ idRange, idPrefix }]) =>
    idRange === undefined ? idPrefix : `${idRange.from}-${idRange.to}`,
  );
  list.mockRestore();
  const shown =
    loaded.kind === 'complete'
      ? loaded.messages.map(({ blocks: [block] }) => block?.blockType === 'text' && block.textContent)
      : loaded.kind;
  return { shown, reads };
}

const range = (from: string, to: string) => `${executionId}.${from}-${executionId}.${to}`;
const keptNumbers = () => [...conversations.get(execution).keys()].sort();

describe('the conversation of an execution', () => {
  it('is read whole by a process that knows nothing of it, and then not again', async () => {
    expect(await load()).toEqual({ shown: texts(STORED), reads: [`${executionId}.`] });
    expect(await load()).toEqual({ shown: texts(STORED), reads: [] });
  });

  it('is read from the first message that is missing on', async () => {
    keep([1, 2]);
    expect(await load()).toEqual({ shown: texts(STORED), reads: [range('000004', '000005')] });
    expect(keptNumbers()).toEqual(STORED);
  });

  it('is read between kept messages where results came in another order', async () => {
    keep([1, 4, 5]);
    expect(await load()).toEqual({ shown: texts(STORED), reads: [range('000002', '000002')] });
  });

  it('has the result of a reserved number as soon as the execution has it', async () => {
    await load();
    await write([3]);
    const settled = { ...execution, pendingCalls: [{ ...reserved, state: 'done' as const }] };
    expect(await load(settled)).toEqual({
      shown: texts([1, 2, 3, 4, 5]),
      reads: [range('000003', '000003')],
    });
  });
});

describe('the kept conversation is not used, and all is read again,', () => {
  it('when it is of another execution with the same id', async () => {
    keep([1, 2, 4, 5], { createdAt: new Date(0) }, ' of another');
    expect(await load()).toEqual({ shown: texts(STORED), reads: [range('000001', '000005')] });
    expect(await load()).toEqual({ shown: texts(STORED), reads: [] });
  });

  it.each([
    ['beyond the last one', 6],
    ['under a reserved number', 3],
  ])('when it has a message %s', async (_, number) => {
    keep([...STORED, number], execution, ' that is wrong');
    expect(await load()).toEqual({ shown: texts(STORED), reads: [range('000001', '000005')] });
    expect(keptNumbers()).toEqual(STORED);
  });
});

describe('a conversation is incomplete, and nothing of it stays kept,', () => {
  const remove = (number: number) =>
    store.rewrite(paths.message(sessionId, executionId, number), () => undefined);

  it('when a message is missing in the store', async () => {
    remove(4);
    expect((await load()).shown).toBe('incomplete');
    expect(conversations.has(execution)).toBe(false);
  });

  it('when a message is missing in the store behind those that are kept', async () => {
    keep([1, 2]);
    remove(5);
    expect((await load()).shown).toBe('incomplete');
    expect(conversations.has(execution)).toBe(false);
  });

  it('when the store has a message more, because the execution was read before a commit', async () => {
    await write([6]);
    expect((await load()).shown).toBe('incomplete');
    expect(conversations.has(execution)).toBe(false);
  });

  it('when a result was stored after the execution was read', async () => {
    keep([1]);
    await write([3]);
    expect((await load()).shown).toBe('incomplete');
    expect(conversations.has(execution)).toBe(false);
  });
});

describe('a message that is missing among those that are kept', () => {
  beforeEach(() => keep([1, 2, 4]));
  const corrupt = (change: object) =>
    store.rewrite(paths.message(sessionId, executionId, 5), (data) => ({ ...data, ...change }));

  it('makes the conversation unreadable when it is broken', async () => {
    corrupt({ role: 'nobody' });
    expect((await load()).shown).toBe('unreadable');
  });

  it('stops a process whose code is older than it', async () => {
    corrupt({ schemaVersion: messageType.version + 1 });
    await expect(load()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
  });
});
