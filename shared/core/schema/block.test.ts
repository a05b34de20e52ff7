import { describe, expect, it } from 'vitest';
import { type Block, blockSchema, citationSchema, isOwnCall, isProviderRunUse, isSigned } from './block.ts';

const result = { toolUseId: 't1', toolName: 'web_search', isError: false, textContent: '' };

describe('blocks', () => {
  it.each([
    { blockType: 'text', textContent: 'Hi' },
    { blockType: 'thinking', textContent: 'Hm' },
    { blockType: 'tool_use', toolUseId: 't1', toolName: 'k8s.logs', input: '{"pod":"api"}' },
    { blockType: 'tool_result', toolUseId: 't1', toolName: 'k8s.logs', isError: false, textContent: 'ok' },
  ])('the plain form of $blockType is read without any of the optional fields', (block) => {
    expect(blockSchema.parse(block)).toEqual(block);
  });

  it('1.1 [M] a block carries sequence, side, provider, provider data and citations', () => {
    const block = {
      blockType: 'tool_use',
      toolUseId: 't1',
      toolName: 'web_search',
      input: '{}',
      sequence: 0,
      executionSide: 'provider',
      provider: 'anthropic',
      providerData: '{"type":"server_tool_use"}',
      citations: [{ type: 'url_citation', url: 'https://a.example', title: 'A' }],
    };
    expect(blockSchema.parse(block)).toEqual(block);
  });

  it.each(['text', 'thinking', 'tool_use', 'tool_result', 'image', 'document', 'web_search_use'])(
    '1.1 [M] %s is a block type',
    (blockType) => {
      const fields: Record<string, object> = {
        text: { textContent: '' },
        thinking: { textContent: '' },
        tool_use: { toolUseId: 't', toolName: 'x', input: '{}' },
        web_search_use: { toolUseId: 't', toolName: 'web_search', input: '{}' },
        tool_result: result,
        image: { mimeType: 'image/png', data: 'AAAA' },
        document: { mimeType: 'application/pdf', uri: 'gs://bucket/report.pdf' },
      };
      expect(blockSchema.parse({ blockType, ...fields[blockType] }).blockType).toBe(blockType);
    },
  );

  it('1.1 [M] a web_search_result is read as tool_result', () => {
    const results = [{ title: 'A', url: 'https://a.example' }];
    expect(blockSchema.parse({ blockType: 'web_search_result', toolUseId: 't1', results })).toEqual({
      blockType: 'tool_result',
      ...result,
      results,
    });
  });

  it('1.1 [M] any other block type is refused', () => {
    expect(blockSchema.safeParse({ blockType: 'video', textContent: '' }).success).toBe(false);
  });

  it.each(['startIndex', 'endIndex', 'resultIndex'])('1.1 [M] a citation keeps a %s of 0', (key) => {
    const citation = { type: 'grounding_support', [key]: 0 };
    expect(JSON.parse(JSON.stringify(citationSchema.parse(citation)))).toEqual(citation);
  });

  it.each(['web_search_result', 'url_citation', 'grounding_support'])(
    '1.1 [M] %s is a citation type',
    (type) => {
      const citation = { type, url: 'u', title: 't', citedText: 'c', snippet: 's', providerData: '{}' };
      expect(citationSchema.parse(citation)).toEqual(citation);
    },
  );

  it('1.1 [M] the sources of a search are a list of title, url, age and kind', () => {
    const results = [{ title: 'A', url: 'https://a.example', pageAge: 'April 2017', kind: 'maps' }];
    expect(blockSchema.parse({ blockType: 'tool_result', ...result, results })).toMatchObject({ results });
  });

  it('1.1 [C] a signature beside the content is refused: its place is the provider data', () => {
    const block = { blockType: 'thinking', textContent: 'Hm', signature: 'S' };
    expect(blockSchema.safeParse(block).success).toBe(false);
  });

  it('1.1 [C] the provider gemini is read as google', () => {
    const block = { blockType: 'text', textContent: 'Hi', provider: 'gemini' };
    expect(blockSchema.parse(block)).toMatchObject({ provider: 'google' });
  });
});

describe('a call', () => {
  const use = { toolUseId: 't1', toolName: 'k8s.logs', input: '{}' };

  it.each<[Block, 'own' | 'provider' | undefined]>([
    [{ ...use, blockType: 'tool_use' }, 'own'],
    [{ ...use, blockType: 'tool_use', executionSide: 'server' }, 'own'],
    [{ ...use, blockType: 'tool_use', executionSide: 'provider' }, 'provider'],
    [{ ...use, blockType: 'web_search_use' }, 'provider'],
    [{ ...result, blockType: 'tool_result', executionSide: 'provider' }, undefined],
    [{ blockType: 'text', textContent: '' }, undefined],
  ])('%j is run by: %s', (block, runner) => {
    expect([isOwnCall(block), isProviderRunUse(block)]).toEqual([runner === 'own', runner === 'provider']);
  });
});

it.each([
  [undefined, false],
  ['not JSON', false],
  ['{}', false],
  ['{"signature": ""}', false],
  ['{"signature": "a"}', true],
  ['{"thought_signature": "a"}', true],
  ['{"segments": []}', false],
  ['{"segments": [{"text": "a"}, {"thought_signature": "b"}]}', true],
  ['{"segments": [{"text": "a"}, null]}', false],
  ['{"segments": {"thought_signature": "b"}}', false],
])('a block with the data %s of its provider is signed: %s', (providerData, signed) => {
  const block = { blockType: 'text' as const, textContent: 'a', ...(providerData && { providerData }) };
  expect(isSigned(block)).toBe(signed);
});
