import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { timelineEventSchema } from '../../core/schema/timelineEvent.ts';
import type { CollectedAnswer } from './collectStream.ts';
import { readGroundings, readSearchEntryPoint } from './grounding.ts';

const A = 'https://a.example.com/1';
const B = 'https://b.example.com/2';
const web = (uri?: string, title?: string) => ({ web: { ...(uri && { uri }), ...(title && { title }) } });
const support = (text: string, indices?: unknown[], startIndex?: number) => ({
  segment: {
    ...(startIndex !== undefined && { startIndex }),
    endIndex: (startIndex ?? 0) + Buffer.byteLength(text),
    text,
  },
  ...(indices && { groundingChunkIndices: indices }),
});
const answer = (
  groundingMetadata: object | null,
  rest: Partial<Pick<CollectedAnswer, 'text' | 'urlContexts'>> = {},
) => ({
  text: '',
  groundingMetadata: groundingMetadata as Record<string, unknown> | null,
  urlContexts: [],
  ...rest,
});
const citationsOf = (given: ReturnType<typeof answer>) =>
  readGroundings(given).flatMap(({ citations }) => citations);
const SUCCESS = 'URL_RETRIEVAL_STATUS_SUCCESS';
const ERROR = 'URL_RETRIEVAL_STATUS_ERROR';

describe('a grounding', () => {
  it('is a search when there are queries, and URL context when there are none', () => {
    const groundingChunks = [web(A, 'a.example.com')];
    const queries = { webSearchQueries: ['exit code 137'], groundingChunks };
    expect(readGroundings(answer(queries))).toMatchObject([{ kind: 'search', queries: ['exit code 137'] }]);
    expect(readGroundings(answer({ groundingChunks }))).toMatchObject([
      { kind: 'url_context', queries: [], sources: [{ uri: A, title: 'a.example.com' }] },
    ]);
  });

  it('of thousands of quotes stays small enough for its events', () => {
    const quote = 'é'.repeat(5_000);
    const groundingSupports = Array.from({ length: 7_000 }, () => support(quote, [0], 0));
    const given = answer(
      { webSearchQueries: ['q'], groundingChunks: [web(A, 'a')], groundingSupports },
      { text: quote },
    );
    const [grounding] = readGroundings(given);
    expect(grounding?.supports).toHaveLength(500);
    expect(Buffer.byteLength(JSON.stringify(grounding?.supports))).toBeLessThan(700_000);
    expect(Buffer.byteLength(JSON.stringify(citationsOf(given)))).toBeLessThan(800_000);
  });

  it.each([
    ['no metadata', null],
    ['empty metadata', {}],
    [
      'chunks without an address',
      { groundingChunks: [{}, web(), web('', 'a.example.com'), { retrievedContext: {} }] },
    ],
    ['empty queries', { webSearchQueries: ['', ' '] }],
  ])('is not there for %s', (_, metadata) => {
    expect(readGroundings(answer(metadata))).toEqual([]);
  });

  it('has documents without an address as sources by their titles, each once', () => {
    const documents = ['Runbook', 'Postmortem', 'Runbook'].map((title) => ({ retrievedContext: { title } }));
    const groundingSupports = [support('Restart it.', [2]), support('It broke.', [1, 0], 12)];
    const text = 'Restart it. It broke.';
    const given = answer({ groundingChunks: documents, groundingSupports }, { text });
    expect(readGroundings(given)).toMatchObject([
      {
        sources: [
          { uri: '', title: 'Runbook', kind: 'retrieved_context' },
          { uri: '', title: 'Postmortem', kind: 'retrieved_context' },
        ],
        supports: [{ groundingChunkIndices: [0] }, { groundingChunkIndices: [1, 0] }],
      },
    ]);
    expect(citationsOf(given)).toEqual([
      {
        type: 'grounding_support',
        title: 'Runbook',
        startIndex: 0,
        endIndex: 11,
        citedText: 'Restart it.',
        resultIndex: 0,
      },
      {
        type: 'grounding_support',
        title: 'Postmortem',
        startIndex: 12,
        endIndex: 21,
        citedText: 'It broke.',
        resultIndex: 1,
        otherResultIndices: [0],
      },
    ]);
  });

  it('is there for a search that found nothing: it did happen', () => {
    expect(readGroundings(answer({ webSearchQueries: ['', 'x'], groundingChunks: [{}] }))).toEqual([
      { kind: 'search', queries: ['x'], sources: [], supports: [], statuses: [], citations: [] },
    ]);
  });

  it('reads URL context from both metadata, each address once', () => {
    const urlContexts = [
      { url: A, status: SUCCESS },
      { url: B, status: SUCCESS },
    ];
    const [grounding] = readGroundings(answer({ groundingChunks: [web(A, 'A')] }, { urlContexts }));
    expect(grounding).toMatchObject({
      kind: 'url_context',
      sources: [
        { uri: A, title: 'A' },
        { uri: B, title: '' },
      ],
      statuses: [
        { uri: A, status: SUCCESS },
        { uri: B, status: SUCCESS },
      ],
    });
  });

  it('does not call a page a source that could not be read, but states its status', () => {
    const urlContexts = [{ url: A, status: ERROR }, { status: ERROR }, { url: B }];
    expect(readGroundings(answer(null, { urlContexts }))).toMatchObject([
      {
        sources: [{ uri: B, title: '' }],
        statuses: [
          { uri: A, status: ERROR },
          { uri: '', status: ERROR },
          { uri: B, status: 'URL_RETRIEVAL_STATUS_UNSPECIFIED' },
        ],
      },
    ]);
    expect(readGroundings(answer(null, { urlContexts: [{ url: A, status: ERROR }] }))).toMatchObject([
      { kind: 'url_context', sources: [] },
    ]);
  });

  it('is there twice when the model searched and read pages', () => {
    const metadata = {
      webSearchQueries: ['x'],
      groundingChunks: [web(A, 'A'), web(B, 'B')],
      groundingSupports: [support('One.', [0]), support('Two.', [1, 0], 5)],
    };
    const urlContexts = [{ url: B, status: SUCCESS }];
    const both = readGroundings(answer(metadata, { text: 'One. Two.', urlContexts }));
    expect(both).toMatchObject([
      {
        kind: 'search',
        sources: [{ uri: A }, { uri: B }],
        statuses: [],
        citations: [{ url: A }, { url: B }],
      },
      {
        kind: 'url_context',
        queries: [],
        sources: [{ uri: B, title: 'B' }],
        supports: [{ text: 'Two.', groundingChunkIndices: [0] }],
        statuses: [{ uri: B }],
        citations: [],
      },
    ]);
    expect(both[1]?.supports).toHaveLength(1);
  });

  it('keeps addresses as they are, spaces too, and knows maps and documents', () => {
    const groundingChunks = [
      web('https://a.example.com/a b'),
      { retrievedContext: { uri: 'gs://docs/runbook.pdf', title: 'runbook' } },
      { maps: { uri: 'https://maps.example.com/1' } },
    ];
    expect(readGroundings(answer({ groundingChunks }))[0]?.sources).toEqual([
      { uri: 'https://a.example.com/a b', title: '' },
      { uri: 'gs://docs/runbook.pdf', title: 'runbook', kind: 'retrieved_context' },
      { uri: 'https://maps.example.com/1', title: '', kind: 'maps' },
    ]);
  });
});

describe('indices', () => {
  const indicesOf = (groundingChunks: object[], indices?: unknown[]) =>
    readGroundings(answer({ groundingChunks, groundingSupports: [support('x', indices)] }, { text: 'x' }));

  it('count chunks on the wire and sources here', () => {
    const [grounding] = indicesOf([web('', 'b.com'), web(A, 'a.com')], [1]);
    expect(grounding?.supports[0]?.groundingChunkIndices).toEqual([0]);
    expect(grounding?.citations).toEqual([
      {
        type: 'grounding_support',
        url: A,
        title: 'a.com',
        startIndex: 0,
        endIndex: 1,
        citedText: 'x',
        resultIndex: 0,
      },
    ]);
  });

  it('can be several: the first is the citation, the others are kept', () => {
    const [grounding] = indicesOf([web(A), web(B), web(A)], [1, 0, 2]);
    expect(grounding?.sources.map(({ uri }) => uri)).toEqual([A, B]);
    expect(grounding?.citations).toMatchObject([{ url: B, resultIndex: 1, otherResultIndices: [0] }]);
  });

  it.each([
    ['out of range', [5, -1]],
    ['no numbers', ['0', null, 0.5]],
    ['missing', undefined],
  ])('that are %s leave a citation without address', (_, indices) => {
    expect(indicesOf([web(A)], indices)[0]?.citations).toEqual([
      { type: 'grounding_support', startIndex: 0, endIndex: 1, citedText: 'x' },
    ]);
  });

  it('of which some are out of range lead to the source that is there', () => {
    expect(indicesOf([web(A)], [7, 0])[0]?.citations).toMatchObject([{ url: A, resultIndex: 0 }]);
  });
});

describe('offsets', () => {
  const located = (text: string, ...groundingSupports: object[]) =>
    readGroundings(answer({ groundingChunks: [web(A)], groundingSupports }, { text }))[0]?.citations.map(
      ({ startIndex, endIndex }) => [startIndex, endIndex],
    );

  it('are bytes on the wire, and start at 0 when the start is missing', () => {
    expect(located('Zürich is …', support('Zürich'))).toEqual([[0, 6]]);
    expect(located('€€ Zürich', support('Zürich', [0], 7))).toEqual([[3, 9]]);
  });

  it('that drift by some bytes are mended by the nearest occurrence of the quote', () => {
    const text = 'on on on';
    expect(located(text, support('on', [0], 4), support('on', [0], 2), support('on', [0], 7))).toEqual([
      [3, 5],
      [3, 5],
      [6, 8],
    ]);
  });

  it('beyond the text are mended too', () => {
    expect(located('Out of memory.', support('memory.', [0], 9_000))).toEqual([[7, 14]]);
  });

  it('are dropped when the quote is not in the text or not there; the citation stays', () => {
    const unquoted = { segment: { startIndex: 0, endIndex: 3 }, groundingChunkIndices: [0] };
    expect(located('Out of memory.', support('disk', [0], 3), unquoted)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('slice the quote out of any text, however many bytes its characters have', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.nat(11),
        fc.nat(40),
        (words, at, drift) => {
          const index = at % words.length;
          const quote = words[index] ?? '';
          const text = words.join('');
          const start = words.slice(0, index).join('').length;
          const bytes = Buffer.byteLength(text.slice(0, start));
          const [exact, drifted] =
            located(text, support(quote, [0], bytes), support(quote, [0], bytes + drift)) ?? [];
          expect(exact).toEqual([start, start + quote.length]);
          expect(text.slice(...(drifted as [number, number]))).toBe(quote);
        },
      ),
    );
  });
});

describe('whatever the JSON', () => {
  const deep = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    object: fc.record(
      {
        webSearchQueries: tie('value'),
        groundingChunks: tie('value'),
        groundingSupports: tie('value'),
        web: tie('value'),
        uri: tie('value'),
        title: tie('value'),
        segment: tie('value'),
        startIndex: tie('value'),
        text: tie('value'),
        groundingChunkIndices: tie('value'),
        searchEntryPoint: tie('value'),
      },
      { requiredKeys: [] },
    ),
  }));

  it('reading it never throws, and its result can be stored', () => {
    const page = fc.record({ url: fc.string(), status: fc.string() }, { requiredKeys: [] });
    const ids = { sessionId: 's', stageId: 's', executionId: 'e', parentExecutionId: null };
    const place = { ...ids, sequenceNumber: 1, iteration: 1, status: 'completed' };
    const times = { content: 'x', expireAt: new Date(0), createdAt: new Date(0) };
    fc.assert(
      fc.property(
        deep.object,
        fc.string(),
        fc.array(page, { maxLength: 3 }),
        (metadata, text, urlContexts) => {
          const given = answer(metadata as object, { text, urlContexts });
          readSearchEntryPoint(given);
          for (const { queries, sources, supports, statuses } of readGroundings(given)) {
            const events = [
              {
                eventType: 'google_search_result',
                metadata: { source: 'gemini', queries, sources, supports },
              },
              {
                eventType: 'url_context_result',
                metadata: { source: 'gemini', sources, supports, statuses },
              },
              { eventType: 'final_analysis', metadata: { citations: citationsOf(given) } },
            ];
            for (const event of events) timelineEventSchema.parse({ ...place, ...times, ...event });
          }
        },
      ),
      { numRuns: randomRuns(150) },
    );
  });
});

describe('readSearchEntryPoint', () => {
  it('is the HTML of the search suggestions, or null', () => {
    const searchEntryPoint = { renderedContent: '<div>chip</div>' };
    expect(readSearchEntryPoint(answer({ searchEntryPoint }))).toBe('<div>chip</div>');
    expect(readSearchEntryPoint(answer({ searchEntryPoint: {} }))).toBeNull();
  });
});
