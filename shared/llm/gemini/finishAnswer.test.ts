import { describe, expect, it } from 'vitest';
import { fromWireName } from '../wireNames.ts';
import { type CollectedAnswer, collectChunks } from './collectStream.ts';
import { finishAnswer } from './finishAnswer.ts';

const MODEL = 'gemini-3.8-flash';
const A = 'https://a.example.com/1';
const B = 'https://b.example.com/2';

function collected(parts: unknown[], candidate: object = {}): CollectedAnswer {
  const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...candidate }] };
  const toolName = (wireName: string) => fromWireName(wireName, new Map());
  return collectChunks([chunk], { callIdPrefix: 'call_', toolName });
}
const finish = (parts: unknown[], candidate: object = {}, truncated = false) =>
  finishAnswer(collected(parts, candidate), { model: MODEL, truncated });

describe('a finished answer', () => {
  it('holds its blocks, and its parts as they came for replay', () => {
    const parts = [
      { text: 'Hm.', thought: true },
      { text: 'I look.' },
      { functionCall: { id: 'fc-1', name: 'k8s__logs', args: { pod: 'api' } }, thoughtSignature: 'c2ln' },
    ];
    const answer = finish(parts);
    expect(answer).toMatchObject({
      text: 'I look.',
      thinking: 'Hm.',
      toolCalls: [{ callId: 'fc-1', name: 'k8s.logs', arguments: '{"pod":"api"}' }],
      blocks: [
        { blockType: 'thinking', textContent: 'Hm.' },
        { blockType: 'text', textContent: 'I look.' },
        { blockType: 'tool_use', toolUseId: 'fc-1', toolName: 'k8s.logs', input: '{"pod":"api"}' },
      ],
      replay: { provider: 'google', model: MODEL },
    });
    expect(JSON.parse(answer.replay?.data ?? '')).toEqual(parts);
  });

  it('cites the sources that it quotes, on the text that quotes them', () => {
    const citationMetadata = { citations: [{ endIndex: 6, uri: A, license: 'mit' }] };
    const { citations, blocks } = finish([{ text: 'Quoted.' }], { citationMetadata });
    const citation = { type: 'url_citation', url: A, title: 'License: mit', startIndex: 0, endIndex: 6 };
    expect(citations).toMatchObject([citation]);
    expect(blocks).toMatchObject([{ blockType: 'text', citations: [citation] }]);
  });

  it('has none of the shapes it was collected in', () => {
    expect(Object.keys(finish([{ text: 'Hi' }])).sort()).toEqual([
      'blocks',
      'citations',
      'codeExecutions',
      'finishMessage',
      'finishReason',
      'groundings',
      'modelVersion',
      'replay',
      'searchEntryPoint',
      'text',
      'thinking',
      'toolCalls',
      'truncated',
      'usage',
    ]);
  });

  it('without parts has nothing to replay', () => {
    expect(finish([])).not.toHaveProperty('replay');
  });

  it('states whether it was cut', () => {
    expect(finish([{ text: 'Beca' }], {}, true).truncated).toBe(true);
    expect(finish([{ text: 'Because.' }]).truncated).toBe(false);
  });
});

describe('the groundings of an answer', () => {
  const groundingMetadata = {
    webSearchQueries: ['exit code 137', 'OOMKilled'],
    groundingChunks: [{ web: { uri: A, title: 'a.example.com' } }, { web: { uri: B } }],
    groundingSupports: [
      { segment: { startIndex: 12, endIndex: 18, text: 'crash.' }, groundingChunkIndices: [0] },
    ],
    searchEntryPoint: { renderedContent: '<div>chip</div>' },
  };
  const urlContextMetadata = {
    urlMetadata: [
      { retrievedUrl: A, urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { retrievedUrl: B, urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' },
    ],
  };
  const text = { text: 'Größe → crash.' };
  const citation = {
    type: 'grounding_support',
    url: A,
    title: 'a.example.com',
    startIndex: 8,
    endIndex: 14,
    citedText: 'crash.',
    resultIndex: 0,
  };

  it('are its search, with the citations of the text and the search suggestions beside it', () => {
    const answer = finish([text], { groundingMetadata });
    expect(answer.groundings).toEqual([
      {
        kind: 'search',
        queries: ['exit code 137', 'OOMKilled'],
        sources: [
          { uri: A, title: 'a.example.com' },
          { uri: B, title: '' },
        ],
        supports: [{ startIndex: 8, endIndex: 14, text: 'crash.', groundingChunkIndices: [0] }],
        statuses: [],
        citations: [citation],
      },
    ]);
    expect(answer.citations).toEqual([citation]);
    expect(answer.searchEntryPoint).toBe('<div>chip</div>');
    expect(answer.blocks[1]?.citations).toEqual([citation]);
  });

  it('leave the search suggestions nowhere but apart, and in the parts that are sent back as they came', () => {
    const toolType = 'GOOGLE_SEARCH_WEB';
    const chip = '<div>chip</div>';
    const search = { toolResponse: { id: 't1', toolType, response: { search_suggestions: chip } } };
    const { searchEntryPoint, replay, ...rest } = finish([search, text], { groundingMetadata });
    expect(searchEntryPoint).toBe(chip);
    expect(JSON.parse(replay?.data ?? '')).toEqual([search, text]);
    expect(JSON.stringify(rest)).toContain('exit code 137');
    expect(JSON.stringify(rest)).not.toContain('chip');
  });

  it('are the pages it read, with the status of each', () => {
    expect(finish([text], { urlContextMetadata }).groundings).toEqual([
      {
        kind: 'url_context',
        queries: [],
        sources: [{ uri: A, title: '' }],
        supports: [],
        statuses: [
          { uri: A, status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
          { uri: B, status: 'URL_RETRIEVAL_STATUS_ERROR' },
        ],
        citations: [],
      },
    ]);
  });

  it('are the search before the pages', () => {
    const { groundings } = finish([text], { groundingMetadata, urlContextMetadata });
    expect(groundings.map(({ kind }) => kind)).toEqual(['search', 'url_context']);
  });

  it('are none for an answer that rests on nothing', () => {
    expect(finish([text])).toMatchObject({ groundings: [], citations: [], searchEntryPoint: null });
  });

  it('are read exactly once: blocks, citations and events come of one reading', () => {
    const { groundingSupports, ...metadata } = groundingMetadata;
    let readings = 0;
    // Not enumerable: storing the metadata whole is no reading of it.
    Object.defineProperty(metadata, 'groundingSupports', {
      get() {
        readings += 1;
        return groundingSupports;
      },
    });
    const answer = finish([text], { groundingMetadata: metadata, urlContextMetadata });
    expect(answer.citations).not.toEqual([]);
    expect(readings).toBe(1);
  });
});
