import { describe, expect, it } from 'vitest';
import { answer, emptySearch } from '../contract/llm.fixture.ts';
import type { Grounding, LlmResponse } from '../contract/llm.ts';
import { finalAnalysis } from './drafts.ts';
import { nativeToolEvents } from './nativeToolEvents.ts';

const A = { uri: 'https://a.example.com/1', title: 'a.example.com' };
const B = { uri: 'https://b.example.com/2', title: '' };
const contents = (overrides: Partial<LlmResponse>) =>
  nativeToolEvents(answer(overrides)).map(({ content }) => content);

describe('a code execution', () => {
  it('shows code and output', () => {
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
  ])('%s shows the half there is', (_, execution, content) => {
    expect(contents({ codeExecutions: [execution] })).toEqual([content]);
  });

  it('without code and output gives no event', () => {
    expect(contents({ codeExecutions: [{ code: '', result: '' }] })).toEqual([]);
  });
});

describe('a grounding', () => {
  const pages = (statuses: Grounding['statuses'], sources = [A]): Grounding => ({
    kind: 'url_context',
    queries: [],
    sources,
    supports: [],
    statuses,
    citations: [],
  });

  it('of a search shows queries and sources', () => {
    const queries = ['exit code 137', 'OOMKilled'];
    const supports = [{ startIndex: 0, endIndex: 2, text: 'It', groundingChunkIndices: [0] }];
    const search = { ...emptySearch(), queries, sources: [A, B], supports };
    expect(nativeToolEvents(answer({ text: 'It is.', groundings: [search] }))).toEqual([
      {
        eventType: 'google_search_result',
        content: `Google Search: 'exit code 137', 'OOMKilled' → Sources: a.example.com (${A.uri}), ${B.uri}`,
        metadata: { source: 'gemini', queries, sources: [A, B], supports },
      },
    ]);
  });

  it('of pages shows its sources, and the status of each page', () => {
    const statuses = [
      { uri: B.uri, status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { uri: A.uri, status: 'URL_RETRIEVAL_STATUS_ERROR' },
    ];
    expect(nativeToolEvents(answer({ groundings: [pages(statuses, [B])] }))).toEqual([
      {
        eventType: 'url_context_result',
        content: `URL Context → Sources: ${B.uri}`,
        metadata: { source: 'gemini', sources: [B], supports: [], statuses },
      },
    ]);
  });

  it('names a document without an address by its title', () => {
    const runbook = { uri: '', title: 'Runbook', kind: 'retrieved_context' as const };
    expect(contents({ groundings: [pages([], [runbook])] })).toEqual(['URL Context → Sources: Runbook']);
  });

  it('without sources is marked as such', () => {
    expect(contents({ groundings: [emptySearch()] })).toEqual(["Google Search: 'x' → Sources: none"]);
    const unsafe = [{ uri: A.uri, status: 'URL_RETRIEVAL_STATUS_UNSAFE' }];
    expect(contents({ groundings: [pages(unsafe, [])] })).toEqual(['URL Context → Sources: none']);
  });

  it('comes after the code, and the search before the pages', () => {
    const events = nativeToolEvents(
      answer({
        codeExecutions: [{ code: 'a' }, { code: 'b' }],
        groundings: [emptySearch(), pages([])],
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
    const citations = [
      {
        type: 'grounding_support' as const,
        url: A.uri,
        title: A.title,
        startIndex: 8,
        endIndex: 14,
        citedText: 'crash.',
        resultIndex: 0,
      },
    ];
    expect(finalAnalysis(answer({ text: 'Größe → crash.', citations }))).toEqual({
      eventType: 'final_analysis',
      content: 'Größe → crash.',
      metadata: { citations },
    });
  });
});
