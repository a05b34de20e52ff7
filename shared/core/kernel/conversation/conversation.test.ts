import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../../test/support/samples.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import type { Block, MessageDraft } from '../../schema/message.ts';
import { readMessages, writtenMessage } from './conversation.ts';
import { startBatch } from './executionBatch.ts';

const execution = sampleExecution({ lastMessage: 2 });
const { sessionId, executionId } = execution;

/** What is kept of messages that were written, and what is read of them. */
async function writeAndRead(drafts: MessageDraft[]) {
  const store = createMemoryStore();
  const batch = startBatch(execution, execution.createdAt);
  for (const draft of drafts) batch.appendMessage(draft);
  await store.commit(batch.writes);
  const kept = new Map(
    batch.messages.map((written) => [written.message.sequenceNumber, writtenMessage(written)]),
  );
  const { value: read } = await readMessages(store, sessionId, executionId);
  return { kept, read, store };
}

const big = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
const text = (textContent: string): Block => ({ blockType: 'text', textContent });
const replay = (data: string) => ({ provider: 'google', model: 'gemini', data });

describe('the kept form of a written message equals the form that is read', () => {
  it('whatever its texts are', async () => {
    // Texts may hold half a surrogate pair; absent and undefined fields are the same to a store.
    const anyText = fc.string({ unit: 'binary', maxLength: 20 });
    const optional = fc.option(anyText, { nil: undefined });
    const block = fc.oneof(
      fc.record({ blockType: fc.constant('text'), textContent: anyText, providerData: optional }),
      fc.record({
        blockType: fc.constant('tool_result'),
        toolUseId: fc.constant('call-1'),
        toolName: anyText,
        isError: fc.boolean(),
        textContent: anyText,
        result: optional,
        provider: fc.constantFrom('gemini', 'google', undefined),
        citations: fc.option(fc.constant([{ type: 'url_citation', url: undefined }]), { nil: undefined }),
      }),
    ) as fc.Arbitrary<Block>;
    const draft = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
      blocks: fc.array(block, { maxLength: 3 }),
      replay: anyText.map(replay),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 3 }), async (drafts) => {
        const { kept, read } = await writeAndRead(drafts);
        expect(kept).toStrictEqual(read);
      }),
    );
  });

  it.each([
    ['provider parts in pieces', [text('short')], big('part\ud83d ', 700_000)],
    ['blocks in pieces', [text(big('block é ', 1_300_000))], '[]'],
    ['both in pieces', [text(big('block\ud83d', 900_000))], big('[part]', 900_000)],
    ['parts that are left out', [text(big('block ', 1_600_000))], big('[part]', 1_600_000)],
    ['blocks that are cut', [text(big('block ', 3_300_000))], '[]'],
  ])('with %s', async (_, blocks, data) => {
    const { kept, read } = await writeAndRead([{ role: 'assistant', blocks, replay: replay(data) }]);
    expect(kept.size).toBe(1);
    expect(kept).toStrictEqual(read);
  });
});

it('a range of messages is read without the others', async () => {
  const drafts = Array.from({ length: 5 }, () => ({ role: 'user' as const, blocks: [text('hello')] }));
  const { store } = await writeAndRead(drafts);
  const { value } = await readMessages(store, sessionId, executionId, { first: 4, last: 6 });
  expect([...(value?.keys() ?? [])]).toEqual([4, 5, 6]);
});
