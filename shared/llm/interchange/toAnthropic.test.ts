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

  it('names a search of its own, other tools of its own, and calls of ours by their wire name', () => {
    const call = { toolUseId: 'c', toolName: 'k8s.logs', input: '{}' };
    const own = { ...call, executionSide: 'provider' as const };
    expect([
      anthropicBlock({ blockType: 'web_search_use', ...call, toolName: 'web_search' }),
      anthropicBlock({ blockType: 'tool_use', ...own }),
      anthropicBlock({ blockType: 'tool_use', ...call }),
    ]).toEqual([
      { type: 'server_tool_use', id: 'c', name: 'web_search', input: {} },
      { type: 'server_tool_use', id: 'c', name: 'k8s.logs', input: {} },
      { type: 'tool_use', id: 'c', name: 'k8s__logs', input: {} },
    ]);
  });

  it('has results of its own search only from its own search', () => {
    const found = { blockType: 'tool_result', toolUseId: 'c', isError: false, textContent: 'x' } as const;
    const sent = { type: 'tool_result', tool_use_id: 'c', content: 'x' };
    expect([
      anthropicBlock({ ...found, toolName: 'web_search' }),
      anthropicBlock({ ...found, toolName: 'web_fetch', executionSide: 'provider' }),
      anthropicBlock({ ...found, toolName: 'web_search', executionSide: 'provider', isError: true }),
    ]).toEqual([
      sent,
      sent,
      {
        type: 'web_search_tool_result',
        tool_use_id: 'c',
        content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
      },
    ]);
  });

  it('sends back its own signed thought and raw blocks, not those of others', () => {
    const signed = { provider: 'anthropic', providerData: '{"signature":"S"}' };
    const raw = { providerData: '{"type":"hologram"}' };
    expect([
      anthropicBlock(thinking('x', signed)),
      anthropicBlock({ ...text('x'), ...raw, provider: 'anthropic' }),
      anthropicBlock({ ...text('x'), ...raw, provider: 'google' }),
    ]).toEqual([
      { type: 'thinking', thinking: 'x', signature: 'S' },
      { type: 'hologram' },
      { type: 'text', text: 'x' },
    ]);
    expect(anthropicConversation([user(text('Q'))])).toStrictEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Q' }] }],
    });
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
