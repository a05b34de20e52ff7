import { describe, expect, it } from 'vitest';
import { blockSchema } from '../../core/schema/block.ts';
import { blocksFromAnthropic } from './fromAnthropic.ts';
import { anthropicBlock } from './toAnthropic.ts';

const RAW = {
  search: { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'poem' } },
  code: { type: 'server_tool_use', id: 'srv2', name: 'code_execution', input: { code: '1' } },
  found: {
    type: 'web_search_tool_result',
    tool_use_id: 'srv1',
    content: [
      { type: 'web_search_result', title: 'A', url: 'https://a.example', encrypted_content: 'E1' },
      { type: 'web_search_result', title: 'B', url: 'https://b.example', page_age: 'April 20, 2017' },
    ],
  },
  failed: {
    type: 'web_search_tool_result',
    tool_use_id: 'srv1',
    content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
  },
  cited: {
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://a.example',
        title: 'A',
        cited_text: 'roses',
        encrypted_index: 'I1',
      },
    ],
    type: 'text',
    text: 'Roses are red.',
  },
  fetched: {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srv3',
    content: { type: 'web_fetch_result', url: 'https://a.example', encrypted_note: 'E2' },
  },
  redacted: { type: 'redacted_thinking', data: 'E3' },
  image: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
};

function one(raw: object) {
  const { sequence: _, ...block } = blocksFromAnthropic([raw])[0] ?? { sequence: 0, blockType: undefined };
  return block;
}

describe('content of Anthropic', () => {
  it('1.2 [M] signed thinking is thinking, unsigned thinking is text', () => {
    expect(one({ type: 'thinking', thinking: 'x', signature: 'S' })).toEqual({
      blockType: 'thinking',
      textContent: 'x',
      provider: 'anthropic',
      providerData: '{"signature":"S"}',
    });
    expect(one({ type: 'thinking', thinking: 'x', signature: '' })).toEqual({
      blockType: 'text',
      textContent: 'x',
      provider: 'anthropic',
    });
  });

  it('1.3 [M] server_tool_use named web_search is web_search_use with its raw block', () => {
    expect(one(RAW.search)).toEqual({
      blockType: 'web_search_use',
      toolUseId: 'srv1',
      toolName: 'web_search',
      input: '{"query":"poem"}',
      executionSide: 'provider',
      provider: 'anthropic',
      providerData: JSON.stringify(RAW.search),
    });
  });

  it('1.3 [M] any other server_tool_use is tool_use run by the provider', () => {
    expect(one(RAW.code)).toMatchObject({
      blockType: 'tool_use',
      toolName: 'code_execution',
      executionSide: 'provider',
      providerData: JSON.stringify(RAW.code),
    });
  });

  it('1.3 [C] a search result is a tool_result of web_search', () => {
    expect(one(RAW.found)).toMatchObject({ blockType: 'tool_result', toolName: 'web_search' });
  });

  it('1.3 [M] sources have a page age only when there is one; encrypted content is only in the raw block', () => {
    const block = one(RAW.found);
    expect(block).toMatchObject({
      toolUseId: 'srv1',
      isError: false,
      providerData: JSON.stringify(RAW.found),
    });
    const { providerData: _, ...readable } = blockSchema.parse(block);
    expect('results' in readable && readable.results).toEqual([
      { title: 'A', url: 'https://a.example' },
      { title: 'B', url: 'https://b.example', pageAge: 'April 20, 2017' },
    ]);
    expect(JSON.stringify(readable)).not.toContain('E1');
  });

  it('1.3 [M] a failed search is an error with its code', () => {
    expect(one(RAW.failed)).toMatchObject({ isError: true, errorCode: 'max_uses_exceeded' });
    expect(one(RAW.failed)).not.toHaveProperty('results');
  });

  it('1.3 [M] a block of unknown type is a result with its raw form', () => {
    const raw = { type: 'hologram', frames: 3 };
    expect(one(raw)).toMatchObject({
      blockType: 'tool_result',
      toolName: 'hologram',
      providerData: JSON.stringify(raw),
    });
  });

  it('results of other server tools contain their readable text', () => {
    const block = one(RAW.fetched);
    expect(block).toMatchObject({ toolUseId: 'srv3', toolName: 'web_fetch' });
    expect('textContent' in block && block.textContent).toBe(
      '{"type":"web_fetch_result","url":"https://a.example"}',
    );
  });

  it('1.1 [M] citations of a text keep source and words, and the encrypted part for their provider', () => {
    expect(one(RAW.cited)).toMatchObject({
      textContent: 'Roses are red.',
      citations: [
        {
          type: 'web_search_result',
          url: 'https://a.example',
          title: 'A',
          citedText: 'roses',
          providerData: '{"encrypted_index":"I1"}',
        },
      ],
    });
  });

  const base = { provider: 'anthropic' };
  const raw = (value: object) => ({ provider: 'anthropic', providerData: JSON.stringify(value) });
  const image = { type: 'image', title: 'A chart', source: { type: 'url', url: 'https://a.example/c.png' } };
  const pdf = { type: 'document', source: { data: 'AAAA' } };
  const cited = {
    type: 'text',
    text: 'x',
    citations: [null, { type: 'char_location', document_title: 'Report', cited_text: 'y' }],
  };
  const failed = { type: 'web_fetch_tool_result', tool_use_id: 's', content: { error_code: 'too_long' } };
  const asked = { type: 'mcp_tool_use', id: 'm', name: 'web_search', input: { a: 1 } };
  const result = { blockType: 'tool_result', toolUseId: 'r', toolName: '', isError: false, ...base };
  const found = (content?: unknown, rest: object = {}) => ({
    type: 'tool_result',
    tool_use_id: 'r',
    content,
    ...rest,
  });

  it.each<[string, object, object]>([
    ['a text', { type: 'text', text: 'x', citations: [] }, { blockType: 'text', textContent: 'x', ...base }],
    [
      'a cited document',
      cited,
      {
        blockType: 'text',
        textContent: 'x',
        citations: [{ type: 'url_citation', title: 'Report', citedText: 'y' }],
        ...raw(cited),
      },
    ],
    [
      'a call without an id, a name or arguments',
      { type: 'tool_use' },
      { blockType: 'tool_use', toolUseId: 'anthropic_call_0', toolName: '', input: '{}', ...base },
    ],
    [
      'a search by a server of MCP',
      asked,
      {
        blockType: 'tool_use',
        toolUseId: 'm',
        toolName: 'web_search',
        input: '{"a":1}',
        executionSide: 'provider',
        ...raw(asked),
      },
    ],
    ['a result with text', found('x'), { ...result, textContent: 'x' }],
    ['a result with nothing', found(null), { ...result, textContent: '' }],
    ['a result without content', found(), { ...result, textContent: '' }],
    [
      'a result with texts',
      found([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
      { ...result, textContent: 'a\nb' },
    ],
    [
      'a result with a text and something else',
      found([{ type: 'text', text: 'a' }, { type: 'image' }]),
      { ...result, textContent: '[{"type":"text","text":"a"},{"type":"image"}]' },
    ],
    [
      'a result that is an error',
      found('no such pod', { is_error: true }),
      { ...result, textContent: 'no such pod', isError: true },
    ],
    [
      'a failed result of a server tool',
      failed,
      {
        blockType: 'tool_result',
        toolUseId: 's',
        toolName: 'web_fetch',
        isError: true,
        textContent: '',
        errorCode: 'too_long',
        executionSide: 'provider',
        ...raw(failed),
      },
    ],
    [
      'an image with an address',
      image,
      {
        blockType: 'image',
        mimeType: 'image/*',
        uri: 'https://a.example/c.png',
        title: 'A chart',
        ...raw(image),
      },
    ],
    [
      'a document with content',
      pdf,
      { blockType: 'document', mimeType: 'application/pdf', data: 'AAAA', ...raw(pdf) },
    ],
  ])('1.3 [M] %s is this block', (_, value, block) => {
    expect(one(value)).toStrictEqual(block);
  });

  it('entries of lists that are no objects are skipped', () => {
    const search = { ...RAW.found, content: [null, { title: 'A', url: 'https://a.example' }] };
    expect(one(search)).toMatchObject({ results: [{ title: 'A', url: 'https://a.example' }] });
  });

  it('blocks are numbered from 0 and fit the stored form; entries that are no objects are skipped', () => {
    const blocks = blocksFromAnthropic([...Object.values(RAW), null, 'x']);
    expect(blocks.map(({ sequence }) => sequence)).toEqual(Object.keys(RAW).map((_, index) => index));
    expect(blocks.map((block) => blockSchema.parse(block))).toEqual(blocks);
  });
});

describe('replay to Anthropic', () => {
  it.each(Object.entries(RAW))('1.3 [M] %s goes back byte for byte', (_, raw) => {
    const [block] = blocksFromAnthropic([raw]);
    expect(block && JSON.stringify(anthropicBlock(block))).toBe(JSON.stringify(raw));
  });

  it.each([
    [RAW.search, { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'poem' } }],
    [
      RAW.found,
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srv1',
        content: [
          { type: 'web_search_result', title: 'A', url: 'https://a.example' },
          { type: 'web_search_result', title: 'B', url: 'https://b.example', page_age: 'April 20, 2017' },
        ],
      },
    ],
    [RAW.failed, RAW.failed],
  ])('1.3 [M] with broken provider data it is made of the fields', (raw, expected) => {
    const [block] = blocksFromAnthropic([raw]);
    expect(block && anthropicBlock({ ...block, providerData: '{"type":' })).toEqual(expected);
  });

  it('1.2 [M] an empty signed thought goes back natively', () => {
    const raw = { type: 'thinking', thinking: '', signature: 'S' };
    const [block] = blocksFromAnthropic([raw]);
    expect(block && anthropicBlock(block)).toEqual(raw);
  });
});
