import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import type { Progress } from '../../core/contract/llm.ts';
import { classifyAnswer } from './classifyAnswer.ts';
import { collectChunks } from './collectStream.ts';
import { SIGNATURE, STREAMS } from './streams.fixture.ts';

const collect = (chunks: unknown[]) => collectChunks(chunks, { callIdPrefix: 'call_' });
const one = (parts: unknown[], candidate: object = { finishReason: 'STOP' }) => ({
  candidates: [{ content: { parts }, ...candidate }],
});

describe('parts', () => {
  it('merges the deltas of a text and of a thought, each for itself', () => {
    const answer = collect(STREAMS.thoughtsThenTextThenSignedEmptyText);
    expect(answer.parts).toEqual([
      { text: 'The pod was OOM-killed…', thought: true },
      { text: 'Speicher von „zürich-01“ ist erschöpft 🔥.' },
      { text: '', thoughtSignature: SIGNATURE },
    ]);
    expect(answer.thinking).toBe('The pod was OOM-killed…');
    expect(answer.text).toBe('Speicher von „zürich-01“ ist erschöpft 🔥.');
  });

  it('merges nothing into or over a signed text', () => {
    const answer = collect(STREAMS.signedTextFirst);
    expect(answer.parts).toEqual([
      { text: 'Step one.', thoughtSignature: SIGNATURE },
      { text: ' Step two.' },
    ]);
    expect(answer.text).toBe('Step one. Step two.');
  });

  it('merges nothing over keys it does not know', () => {
    const parts = [{ text: 'a', partMetadata: { x: 1 } }, { text: 'b' }];
    expect(collect([one(parts)]).parts).toEqual(parts);
  });

  it('keeps text and calls in the order in which they came', () => {
    const { parts, toolCalls } = collect(STREAMS.textBetweenCalls);
    expect(parts.map((part) => Object.keys(part)[0])).toEqual([
      'text',
      'functionCall',
      'text',
      'functionCall',
    ]);
    expect(toolCalls.map((call) => call.name)).toEqual(['k8s__logs', 'k8s__events']);
  });

  it('keeps the parts of server-side tools and makes no calls of them', () => {
    const answer = collect(STREAMS.serverSideTools);
    expect(answer.parts.map((part) => Object.keys(part)[0])).toEqual([
      'functionCall',
      'toolCall',
      'toolResponse',
    ]);
    expect(answer.toolCalls.map((call) => call.callId)).toEqual(['fc-1']);
  });

  it('reads the first candidate only, wherever it stands', () => {
    const chunk = {
      candidates: [
        { index: 1, content: { parts: [{ text: 'no' }] } },
        { content: { parts: [{ text: 'yes' }] }, finishReason: 'STOP' },
      ],
    };
    expect(collect([chunk]).text).toBe('yes');
  });
});

describe('calls', () => {
  it('keeps the ids of the provider and defaults missing arguments', () => {
    expect(collect(STREAMS.parallelCallsInSeparateChunks).toolCalls).toEqual([
      { callId: 'fc-1', name: 'k8s__logs', arguments: '{"pod":"api"}' },
      { callId: 'fc-2', name: 'k8s__events', arguments: '{}' },
    ]);
  });

  it('gives calls without id an id of ours, which does not enter the parts', () => {
    const answer = collect(STREAMS.callsWithoutIds);
    expect(answer.toolCalls.map((call) => call.callId)).toEqual(['call_0', 'call_1']);
    expect(JSON.stringify(answer.parts)).not.toContain('call_0');
  });

  it('keeps two calls apart to which the provider gave one id', () => {
    const call = { functionCall: { name: 'a', args: {}, id: 'same' } };
    const ids = collect([one([call, call])]).toolCalls.map((one) => one.callId);
    expect(new Set(ids).size).toBe(2);
  });

  it('translates wire names', () => {
    const toolName = (wire: string) => wire.replace('__', '.');
    const answer = collectChunks(STREAMS.callsWithoutIds, { callIdPrefix: 'call_', toolName });
    expect(answer.toolCalls[0]?.name).toBe('k8s.logs');
  });

  it('makes no call of a tool that the provider has run itself, and reads on after its STOP', () => {
    const answer = collect(STREAMS.callsRunByTheProvider);
    expect(answer.toolCalls).toEqual([]);
    expect(answer.parts).toHaveLength(3);
    expect(answer.text).toBe('The documents say…');
  });
});

describe('streamed arguments', () => {
  it('become one call part with its signature, without the keys of the fragments', () => {
    const answer = collect(STREAMS.streamedArguments);
    expect(answer.parts).toEqual([
      {
        functionCall: {
          name: 'k8s__apply',
          args: { name: 'zürich', ports: [{ port: 8080 }, { open: true }], note: null },
        },
        thoughtSignature: SIGNATURE,
      },
      { functionCall: { name: 'k8s__logs', args: { pod: 'api' } } },
    ]);
    expect(answer.malformedCall).toBe(false);
  });

  const start = { functionCall: { name: 'a', willContinue: true } };
  const piece = (text: string) => ({
    functionCall: { partialArgs: [{ jsonPath: '$.x', stringValue: text }], willContinue: true },
  });

  it('end with the next call, with text, or with the stream, when no terminator comes', () => {
    const calls = collect([one([start, piece('1'), { ...start }, piece('2'), { text: 'and' }])]).toolCalls;
    expect(calls.map((call) => call.arguments)).toEqual(['{"x":"1"}', '{"x":"2"}']);
  });

  it('continue after an empty text', () => {
    const answer = collect([one([start, piece('1'), { text: '' }, piece('2')])]);
    expect(answer.toolCalls.map((call) => call.arguments)).toEqual(['{"x":"12"}']);
  });

  it('that belong to no call make the answer malformed', () => {
    expect(collect([one([piece('1')])]).malformedCall).toBe(true);
  });

  it('that cannot be placed make the answer malformed', () => {
    const bad = { functionCall: { partialArgs: [{ jsonPath: 'x', stringValue: '1' }] } };
    expect(collect([one([start, bad])]).malformedCall).toBe(true);
  });

  it('that the output limit cut make the answer malformed', () => {
    expect(collect([one([start, piece('1')], { finishReason: 'MAX_TOKENS' })]).malformedCall).toBe(true);
  });
});

describe('answers of gemini-3.6-flash', () => {
  it('are read with their calls, signatures, tokens and tier', () => {
    const call = collectChunks(STREAMS.signedCallOf36, { callIdPrefix: 'c' });
    expect(call).toMatchObject({
      toolCalls: [{ callId: 'g98os1Jf', name: 'k8s__logs', arguments: '{"id":"refunds"}' }],
      parts: [{ thoughtSignature: SIGNATURE }],
      usage: { input: 168, output: 17, thinking: 72, total: 257 },
      serviceTier: 'standard',
      modelVersion: 'gemini-3.6-flash',
      finishReason: 'STOP',
    });
    expect(classifyAnswer(call)).toEqual({ kind: 'ok' });
    const text = collectChunks(STREAMS.signedTextOf36, { callIdPrefix: 'c' });
    expect(text).toMatchObject({
      text: 'The refund is allowed.',
      usage: { input: 432, output: 9, thinking: 84, total: 525 },
    });
    expect(classifyAnswer(text)).toEqual({ kind: 'ok' });
  });
});

describe('metadata', () => {
  it('keeps the last grounding that was not empty and all URL contexts', () => {
    const answer = collect(STREAMS.grounding);
    expect(answer.groundingMetadata).toEqual({ webSearchQueries: ['grüße', ''], groundingChunks: [{}] });
    expect(answer.urlContexts).toEqual([
      { url: 'https://a.example', status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { status: 'URL_RETRIEVAL_STATUS_ERROR' },
    ]);
  });

  it('keeps each URL context once, with the parts that it has, and no empty ones', () => {
    const a = { retrievedUrl: 'https://a.example', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' };
    const b = { retrievedUrl: 'https://b.example' };
    const chunk = (...urlMetadata: unknown[]) => ({ candidates: [{ urlContextMetadata: { urlMetadata } }] });
    expect(collect([chunk({}, a, null, { retrievedUrl: 7 }), chunk(a, b)]).urlContexts).toEqual([
      { url: 'https://a.example', status: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { url: 'https://b.example' },
    ]);
  });

  it('keeps the sources of quoted words of all chunks, each once, under both names', () => {
    const [a, b] = [
      { endIndex: 4, uri: 'https://a.example' },
      { startIndex: 5, endIndex: 9 },
    ];
    const quoting = (citationMetadata: object) => ({ candidates: [{ citationMetadata }] });
    const chunks = [quoting({ citationSources: [a] }), quoting({ citations: [a, b] }), quoting({})];
    expect(collect(chunks).citationSources).toEqual([a, b]);
  });

  it('takes the usage of the last chunk, also when it is smaller', () => {
    const usage = (total: number) => ({ usageMetadata: { promptTokenCount: total, totalTokenCount: total } });
    expect(
      collect([usage(447), usage(52), { usageMetadata: { trafficType: 'ON_DEMAND' } }]).usage?.total,
    ).toBe(52);
  });

  it('counts the input that server-side tools read, and thoughts apart from output', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      cachedContentTokenCount: 64,
      totalTokenCount: 132,
    };
    expect(collect([{ usageMetadata }]).usage).toEqual({
      input: 120,
      output: 5,
      thinking: 7,
      cached: 64,
      total: 132,
    });
  });

  it('knows no usage without counts', () => {
    expect(collect([{ usageMetadata: { trafficType: 'ON_DEMAND' } }]).usage).toBeNull();
  });

  it.each([
    [{ blockReason: 'SAFETY' }, 'SAFETY'],
    [{ blockReasonMessage: 'Not this.' }, 'Not this.'],
    [{ blockReason: 'OTHER', blockReasonMessage: 'Not this.' }, 'OTHER: Not this.'],
    [{ safetyRatings: [] }, null],
  ])('reads the block reason of %j', (promptFeedback, expected) => {
    expect(collect([{ promptFeedback }]).blockReason).toBe(expected);
  });

  it('keeps finish reasons it does not know', () => {
    expect(collect([one([], { finishReason: 'NEVER_SEEN' })]).finishReason).toBe('NEVER_SEEN');
  });
});

describe('text streamed before the end', () => {
  it.each(Object.entries(STREAMS))('is, joined, text and thinking of the answer: %s', (_, chunks) => {
    const said: Progress[] = [];
    const options = { callIdPrefix: 'call_', onProgress: (progress: Progress) => void said.push(progress) };
    const answer = collectChunks(chunks, options);
    expect(answer).toEqual(collect(chunks));
    const joined = (kind: 'text' | 'thinking') =>
      said.map((one) => (one.kind === kind ? one.delta : '')).join('');
    expect(joined('text')).toBe(answer.text);
    expect(joined('thinking')).toBe(answer.thinking);
  });
});

describe('whatever arrives', () => {
  it('is read past unknown keys', () => {
    const candidate = {
      finishReason: 'STOP',
      avgLogprobs: -0.1,
      score: 1,
      logprobsResult: {},
      turnToken: 't',
    };
    const chunk = {
      ...one([{ text: 'Hi.' }], candidate),
      createTime: '2026-01-01T00:00:00Z',
      usageMetadata: {
        promptTokenCount: 1,
        totalTokenCount: 1,
        trafficType: 'ON_DEMAND',
        serviceTier: 'standard',
        billablePromptUsage: { textCount: 9 },
      },
    };
    expect(collect([chunk])).toMatchObject({ text: 'Hi.', finishReason: 'STOP', usage: { total: 1 } });
  });

  it.each([
    [[]],
    [[{}]],
    [[{ candidates: [] }]],
    [[{ candidates: [{ content: {} }] }]],
    [[{ candidates: [{ content: { parts: [null, 1, {}, { functionCall: null }] } }] }]],
  ])('%j is no answer, and no error', (chunks) => {
    const answer = collect(chunks);
    expect(answer).toMatchObject({ text: '', toolCalls: [], parts: [], chunkCount: chunks.length });
  });

  const keys = fc.constantFrom(
    'text',
    'thought',
    'thoughtSignature',
    'functionCall',
    'functionResponse',
    'executableCode',
  );
  const callKeys = fc.constantFrom(
    'name',
    'id',
    'args',
    'partialArgs',
    'willContinue',
    'response',
    'code',
    'output',
  );
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('a', '', true, [{ jsonPath: '$.a[1].b', numberValue: 1 }]),
  );
  const part = fc.dictionary(keys, fc.oneof(leaf, fc.dictionary(callKeys, leaf)));
  const likely = fc.array(part).map((parts) => one(parts));

  it('no JSON makes collecting or judging throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), likely)), (chunks) => {
        const answer = collect(chunks);
        expect(classifyAnswer(answer).kind).toBeTypeOf('string');
        for (const call of answer.toolCalls) expect(() => JSON.parse(call.arguments)).not.toThrow();
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it('arguments nested beyond the stack make the answer malformed', () => {
    const depth = 200_000;
    const args = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(collect([one([{ functionCall: { name: 'a', args } }])])).toMatchObject({
      malformedCall: true,
      toolCalls: [],
    });
  });
});
