import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../contract/llm.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { fitConversation } from './fitConversation.ts';

const said = (text: string): ConversationMessage => textMessage('assistant', text);
const result = (text: string): ConversationMessage => ({
  role: 'tool',
  blocks: [{ blockType: 'tool_result', toolUseId: 'c', toolName: 's.t', textContent: text, isError: false }],
});
const textOf = ({ blocks: [block] }: ConversationMessage) =>
  block !== undefined && 'textContent' in block ? block.textContent : '';
const bytesOf = (messages: ConversationMessage[]) => JSON.stringify(messages).length;

describe('a conversation within its limit', () => {
  it('is repeated as it is, and so is one without a limit', () => {
    const conversation = [said('a'), result('x'.repeat(9_000))];
    expect(fitConversation(conversation, 10_000)).toEqual(conversation);
    expect(fitConversation(conversation, undefined)).toEqual(conversation);
  });
});

describe('a conversation above its limit', () => {
  it('keeps head and tail of the oldest results, and the newest whole', () => {
    const conversation = [1, 2, 3, 4].map((number) => result(`<${number}${'x'.repeat(9_000)}${number}>`));
    const fitted = fitConversation(conversation, 30_000);
    expect(fitted.map((message) => textOf(message).length < 2_001)).toEqual([true, true, false, false]);
    expect(textOf(fitted[0] as ConversationMessage)).toMatch(
      /^<1x+\n\[\.\.\. \d+ of 9004 bytes left out \.\.\.\]\nx+1>$/,
    );
    expect(fitted.slice(2)).toEqual(conversation.slice(2));
    expect(textOf(conversation[0] as ConversationMessage)).toHaveLength(9_004);
  });

  it('loses no text, however long it is', () => {
    const conversation = [said('y'.repeat(50_000)), result('x'.repeat(9_000)), said('z')];
    const fitted = fitConversation(conversation, 10_000);
    expect([fitted[0], fitted[2]]).toEqual([conversation[0], conversation[2]]);
  });

  it('counts the own form of the provider where there is one', () => {
    const replay = { provider: 'google', model: 'm', data: 'd'.repeat(9_000) };
    const conversation = [result('x'.repeat(5_000)), { ...said('short'), replay }];
    expect(textOf(fitConversation(conversation, 10_000)[0] as ConversationMessage).length).toBeLessThan(
      2_001,
    );
  });
});

describe('a conversation that grows', () => {
  const message = fc.oneof(
    fc.integer({ min: 1, max: 20_000 }).map((length) => result('x'.repeat(length))),
    fc.integer({ min: 1, max: 500 }).map((length) => said('y'.repeat(length))),
  );
  const conversations = fc.array(message, { minLength: 1, maxLength: 60 });

  it('repeats the texts that it showed before: it changes only where the limit is passed, and never back', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 30_000, max: 200_000 }), (conversation, limit) => {
        let changes = 0;
        for (let length = 1; length < conversation.length; length++) {
          const before = fitConversation(conversation.slice(0, length), limit);
          const after = fitConversation(conversation.slice(0, length + 1), limit);
          const repeated = after.slice(0, length);
          if (JSON.stringify(repeated) === JSON.stringify(before)) continue;
          changes++;
          for (const [index, one] of repeated.entries()) {
            expect(textOf(one).length).toBeLessThanOrEqual(
              textOf(before[index] as ConversationMessage).length,
            );
          }
        }
        // Each time a quarter of the limit is cut, or all there is.
        expect(changes).toBeLessThanOrEqual(Math.ceil(bytesOf(conversation) / (limit / 4)) + 1);
      }),
      { numRuns: 100 },
    );
  });
});
