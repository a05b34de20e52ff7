import { describe, expect, it } from 'vitest';
import { answer } from '../../core/contract/llm.fixture.ts';
import type { Grounding, LlmResponse } from '../../core/contract/llm.ts';
import { createMasker } from '../masker.ts';
import { maskAnswer } from './maskAnswer.ts';

const SECRET = 'zebra mountain 77 quartz';
const masker = createMasker({ sessionKey: 'session-1', known: [SECRET] });
const MARK = masker.mask(SECRET).text;
const mask = (fields: Partial<LlmResponse>) => maskAnswer(answer(fields), masker).response;

const QUOTE = 'Version 2.8 leaks connections.';
const TEXT = `The login was ${SECRET}. ${QUOTE} End.`;
const place = (text: string, piece: string) => ({
  startIndex: text.indexOf(piece),
  endIndex: text.indexOf(piece) + piece.length,
});
const citation = (text: string) => ({
  type: 'grounding_support' as const,
  url: `https://docs.example/?u=${encodeURIComponent(SECRET)}`,
  title: `Notes of ${SECRET}\u202e`,
  citedText: QUOTE,
  resultIndex: 0,
  ...place(text, QUOTE),
});
const grounding = (text: string): Grounding => ({
  kind: 'search',
  queries: [`who uses ${SECRET}\u200b`],
  sources: [{ uri: `https://docs.example/${encodeURIComponent(SECRET)}`, title: SECRET }],
  supports: [{ text: `${SECRET} ${QUOTE}`, groundingChunkIndices: [0], ...place(text, QUOTE) }],
  statuses: [{ uri: `https://docs.example/${SECRET}`, status: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
  citations: [citation(text)],
});

describe('the grounding of an answer', () => {
  it('holds no secrets and no hidden characters: queries, sources, supports, pages, citations, suggestions', () => {
    const masked = mask({ text: TEXT, groundings: [grounding(TEXT)], searchEntryPoint: `<b>${SECRET}</b>` });
    const written = JSON.stringify(masked);
    for (const form of [SECRET, encodeURIComponent(SECRET)]) expect(written).not.toContain(form);
    for (const hidden of ['\u200b', '\u202e']) expect(written).not.toContain(hidden);
    expect(masked.groundings[0]?.queries).toEqual([`who uses ${MARK}\ufffd`]);
    expect(masked.searchEntryPoint).toBe(`<b>${MARK}</b>`);
  });

  it('gives the place of its words in the stored text', () => {
    const masked = mask({ text: TEXT, groundings: [grounding(TEXT)] });
    const [read] = masked.groundings;
    for (const one of [read?.supports[0], read?.citations[0], masked.citations[0]])
      expect(masked.text.slice(one?.startIndex, one?.endIndex)).toBe(QUOTE);
  });

  it('does so after hidden characters, too, and drops offsets that are not sure', () => {
    const text = `a\r\nb ${QUOTE} c\r\nd ${QUOTE} \r\n`;
    const second = { ...citation(text), startIndex: text.lastIndexOf(QUOTE) };
    const twice = mask({ text, citations: [{ ...second, endIndex: second.startIndex + QUOTE.length }] });
    expect(twice.citations[0]).not.toHaveProperty('startIndex');
    expect(twice.citations[0]?.citedText).toBe(QUOTE);
    const once = `a\r\nb ${QUOTE} c\r\n`;
    const found = mask({ text: once, citations: [citation(once)] });
    expect(found.text.slice(found.citations[0]?.startIndex, found.citations[0]?.endIndex)).toBe(QUOTE);
  });

  it('is unchanged in an answer without secrets, and the replay is kept', () => {
    const replay = { provider: 'google', model: 'gemini-3.8-flash', data: '[]' };
    const clean = {
      ...grounding(QUOTE),
      queries: ['connections'],
      sources: [],
      supports: [],
      statuses: [],
      citations: [],
    };
    const given = answer({ text: QUOTE, groundings: [clean], replay });
    expect(maskAnswer(given, masker).response).toEqual(given);
    expect(mask({ text: QUOTE, groundings: [grounding(QUOTE)], replay })).not.toHaveProperty('replay');
  });
});

describe('a block', () => {
  const metadata = {
    webSearchQueries: [SECRET],
    groundingSupports: [{ segment: { startIndex: 3, endIndex: 9, text: QUOTE }, groundingChunkIndices: [0] }],
  };

  it("holds no secrets of its provider's text; signatures stay, and so do offsets unless its text changed", () => {
    const signature = Buffer.from('a signature, random bytes 0123456789').toString('base64');
    const providerData = JSON.stringify({ thought_signature: signature, grounding_metadata: metadata });
    const blocks = [TEXT, QUOTE].map((textContent) => ({
      blockType: 'text' as const,
      textContent,
      providerData,
    }));
    const read = mask({ blocks }).blocks.map((block) => JSON.parse(block.providerData ?? '{}'));
    expect(JSON.stringify(read)).not.toContain(SECRET);
    expect(read.map((data) => data.thought_signature)).toEqual([signature, signature]);
    const segments = read.map((data) => data.grounding_metadata.groundingSupports[0].segment);
    expect(segments).toEqual([{ text: QUOTE }, { startIndex: 3, endIndex: 9, text: QUOTE }]);
  });

  it('without secrets keeps every byte of it', () => {
    const providerData = '{ "thought_signature": "YQ==",  "grounding_metadata": {"n": 1.0} }';
    const [block] = mask({ blocks: [{ blockType: 'text', textContent: QUOTE, providerData }] }).blocks;
    expect(block?.providerData).toBe(providerData);
  });

  it('holds none in names of tools, results of the provider and citations either', () => {
    const written = mask({
      toolCalls: [{ callId: 'c', name: SECRET, arguments: '{}' }],
      blocks: [
        { blockType: 'tool_use', toolUseId: 'c', toolName: SECRET, input: JSON.stringify({ q: SECRET }) },
        {
          blockType: 'tool_result',
          toolUseId: 'c',
          toolName: 'web_search',
          isError: false,
          textContent: SECRET,
          results: [{ title: SECRET, url: `https://x.example/${SECRET}` }],
        },
        { blockType: 'text', textContent: TEXT, citations: [{ ...citation(TEXT), snippet: SECRET }] },
      ],
    });
    expect(JSON.stringify(written)).not.toContain(SECRET);
  });
});
