import { describe, expect, it } from 'vitest';
import type { LlmResponse } from '../contract/llm.ts';
import { finalAnalysis } from './drafts.ts';
import { nativeToolEvents } from './nativeToolEvents.ts';

const A = 'https://a.example.com/1';
const B = 'https://b.example.com/2';
const answer = (overrides: Partial<LlmResponse>): LlmResponse => ({
  text: '',
  thinking: '',
  toolCalls: [],
  parts: [],
  usage: null,
  finishReason: 'STOP',
  modelVersion: null,
  ...overrides,
});
const contents = (overrides: Partial<LlmResponse>) =>
  nativeToolEvents(answer(overrides)).map(({ content }) => content);

describe('a code execution', () => {
  it('is told as code and output', () => {
    const codeExecutions = [
      { id: 'x', code: 'print(2 + 2)', language: 'PYTHON', result: '4\n', outcome: 'OUTCOME_OK' },
    ];
    expect(nativeToolEvents(answer({ codeExecutions }))).toEqual([
      {
        eventType: 'code_execution',
        content: '```python\nprint(2 + 2)\n```\n\nOutput:\n```\n4\n\n```',
        metadata: { source: 'gemini', outcome: 'OUTCOME_OK' },
      },
    ]);
  });

  it.each([
    ['without output', { code: 'x = 1' }, '```python\nx = 1\n```\n'],
    ['with empty output', { code: 'x = 1', result: '' }, '```python\nx = 1\n```\n'],
    ['without code', { result: '4' }, '\nOutput:\n```\n4\n```'],
  ])('%s is told by what there is', (_, execution, content) => {
    expect(contents({ codeExecutions: [execution] })).toEqual([content]);
  });

  it('without anything to tell is none', () => {
    expect(contents({ codeExecutions: [{ code: '', result: '' }] })).toEqual([]);
  });
});

describe('a grounding', () => {
  const groundingChunks = [{ web: { uri: A, title: 'a.example.com' } }, { web: { uri: B } }];

  it('of a search is told with queries and sources', () => {
    const groundingMetadata = {
      webSearchQueries: ['exit code 137', 'OOMKilled'],
      groundingChunks,
      groundingSupports: [{ segment: { endIndex: 2, text: 'It' }, groundingChunkIndices: [0] }],
      searchEntryPoint: { renderedContent: '<div>chip</div>' },
    };
    expect(nativeToolEvents(answer({ text: 'It is.', groundingMetadata }))).toEqual([
      {
        eventType: 'google_search_result',
        content: `Google Search: 'exit code 137', 'OOMKilled' → Sources: a.example.com (${A}), ${B}`,
        metadata: {
          source: 'gemini',
          queries: ['exit code 137', 'OOMKilled'],
          sources: [
            { uri: A, title: 'a.example.com' },
            { uri: B, title: '' },
          ],
          supports: [{ startIndex: 0, endIndex: 2, text: 'It', groundingChunkIndices: [0] }],
        },
      },
    ]);
  });

  it('of pages is told with its sources, and the status of each page', () => {
    const urlContexts = [
      { url: A, status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { url: B, status: 'URL_RETRIEVAL_STATUS_ERROR' },
    ];
    expect(nativeToolEvents(answer({ urlContexts }))).toEqual([
      {
        eventType: 'url_context_result',
        content: `URL Context → Sources: ${A}`,
        metadata: {
          source: 'gemini',
          sources: [{ uri: A, title: '' }],
          supports: [],
          statuses: [
            { uri: A, status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
            { uri: B, status: 'URL_RETRIEVAL_STATUS_ERROR' },
          ],
        },
      },
    ]);
  });

  it('without sources says so', () => {
    expect(contents({ groundingMetadata: { webSearchQueries: ['x'] } })).toEqual([
      "Google Search: 'x' → Sources: none",
    ]);
    expect(contents({ urlContexts: [{ url: A, status: 'URL_RETRIEVAL_STATUS_UNSAFE' }] })).toEqual([
      'URL Context → Sources: none',
    ]);
  });

  it('comes after the code, and the search before the pages', () => {
    const events = nativeToolEvents(
      answer({
        codeExecutions: [{ code: 'a' }, { code: 'b' }],
        groundingMetadata: { webSearchQueries: ['x'], groundingChunks },
        urlContexts: [{ url: A }],
      }),
    );
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'code_execution',
      'code_execution',
      'google_search_result',
      'url_context_result',
    ]);
  });
});

describe('the final analysis', () => {
  it('cites its sources', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: A, title: 'a.example.com' } }],
      groundingSupports: [
        { segment: { startIndex: 9, endIndex: 15, text: 'crash.' }, groundingChunkIndices: [0] },
      ],
    };
    expect(finalAnalysis(answer({ text: 'Größe → crash.', groundingMetadata }))).toEqual({
      eventType: 'final_analysis',
      content: 'Größe → crash.',
      metadata: {
        citations: [
          {
            type: 'grounding_support',
            url: A,
            title: 'a.example.com',
            startIndex: 8,
            endIndex: 14,
            citedText: 'crash.',
            resultIndex: 0,
          },
        ],
      },
    });
  });
});
