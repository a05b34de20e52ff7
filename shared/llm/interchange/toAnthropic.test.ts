import { describe, expect, it } from 'vitest';
import { assistant, result, search, text, thinking, use, user } from '../blocks/blocks.fixture.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import { anthropicBlock, anthropicConversation } from './toAnthropic.ts';

describe('a conversation for Anthropic', () => {
  it('has system texts apart, calls by their wire name, and results as the user’s', () => {
    const { messages } = convertForProvider(
      [
        { role: 'system', blocks: [text('Be brief.'), text('Be kind.')] },
        user(text('Q')),
        assistant(use('c:1')),
        { role: 'tool', blocks: [result('c:1', { isError: true, textContent: 'no such pod' })] },
      ],
      'anthropic',
    );
    expect(anthropicConversation(messages)).toEqual({
      system: 'Be brief.\n\nBe kind.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Q' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c_1', name: 'k8s__logs', input: { pod: 'api' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c_1', content: 'no such pod', is_error: true }],
        },
      ],
    });
  });

  it("1.3 [B] Google's search is retold as an exchange, not an error", () => {
    const { messages } = convertForProvider([assistant(search('s1', { provider: 'google' }))], 'anthropic');
    expect(anthropicConversation(messages).messages.map(({ role }) => role)).toEqual(['assistant', 'user']);
  });

  it("1.2 [M] Google's signature counts as none", () => {
    const block = thinking('x', { provider: 'anthropic', providerData: '{"thought_signature":"S"}' });
    expect(anthropicBlock(block)).toEqual({ type: 'text', text: '<thinking>\nx\n</thinking>' });
  });

  it.each([
    [
      { blockType: 'image', mimeType: 'image/png', data: 'AAAA' } as const,
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      { blockType: 'document', mimeType: 'application/pdf', uri: 'https://a.example/r.pdf' } as const,
      { type: 'document', source: { type: 'url', url: 'https://a.example/r.pdf' } },
    ],
  ])('files are sent by content or address', (block, expected) => {
    expect(anthropicBlock(block)).toEqual(expected);
  });
});
