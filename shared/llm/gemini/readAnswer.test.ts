import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INLINE_PARTS_BYTES } from '../../core/kernel/conversation/fitMessage.ts';
import { blockSchema } from '../../core/schema/block.ts';
import { messageType } from '../../lists/documents.ts';
import { answerOf } from '../blocks/blocks.fixture.ts';
import { type CollectedAnswer, collectChunks } from './collectStream.ts';
import { readGroundings } from './grounding.ts';
import { blocksFromGemini } from './readAnswer.ts';
import { STREAMS } from './streams.fixture.ts';

const S = 'c2lnbmF0dXJl';
const google = { provider: 'google' };

function data(value: object): { provider: string; providerData: string } {
  return { provider: 'google', providerData: JSON.stringify(value) };
}

function blocksOf(answer: CollectedAnswer, answerId?: string) {
  const groundings = readGroundings(answer);
  return blocksFromGemini(
    answer,
    { groundings, citations: groundings.flatMap((one) => one.citations) },
    answerId,
  );
}

/** Blocks without their sequence, which has a test of its own. */
function received(parts: unknown[], candidate: object = {}) {
  return blocksOf(answerOf(parts, candidate), 'turn').map(({ sequence: _, ...block }) => block);
}

describe('thoughts and signatures of Gemini', () => {
  it('1.2 [C] a thought before signed text stays a thought, and the text keeps the signature', () => {
    expect(
      received([
        { text: 'Let me check', thought: true },
        { text: 'Hi', thoughtSignature: S },
      ]),
    ).toEqual([
      {
        blockType: 'thinking',
        textContent: 'Let me check',
        ...data({ thought_signature: S, carrier: 'text' }),
      },
      { blockType: 'text', textContent: 'Hi', ...data({ thought_signature: S }) },
    ]);
  });

  it('1.2 [C] in an answer without any signature a thought becomes text', () => {
    expect(received([{ text: 'x', thought: true }])).toEqual([
      { blockType: 'text', textContent: 'x', ...google },
    ]);
  });

  it('1.2 [C] a thought after the only signed part stays a thought', () => {
    const blocks = received([
      { text: 'a', thoughtSignature: S },
      { text: 'then', thought: true },
      { text: 'b' },
    ]);
    expect(blocks.map(({ blockType }) => blockType)).toEqual(['text', 'thinking', 'text']);
  });

  it.each([
    ['function_call', { functionCall: { name: 'k8s__logs', args: {} } }],
    ['empty_text', { text: '' }],
    ['tool_call', { toolCall: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB' } }],
    ['executable_code', { executableCode: { language: 'PYTHON', code: '1' } }],
    ['inline_data', { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
  ])('1.2 [C] the carrier %s is named', (carrier, part) => {
    const [thought] = received([
      { text: 'x', thought: true },
      { ...part, thoughtSignature: S },
    ]);
    expect(thought).toMatchObject({
      blockType: 'thinking',
      ...data({ thought_signature: S, carrier }),
    });
  });

  it('1.2 [M] a thought that is signed itself keeps its own signature, apart from its neighbours', () => {
    const parts = [
      { text: 'one', thought: true },
      { text: 'two', thought: true, thoughtSignature: S },
    ];
    expect(received(parts)).toEqual([
      { blockType: 'thinking', textContent: 'one', ...data({ thought_signature: S, carrier: 'thought' }) },
      { blockType: 'thinking', textContent: 'two', ...data({ thought_signature: S, carrier: 'thought' }) },
    ]);
  });

  it('1.2 [B] a signed call keeps its signature', () => {
    const parts = [{ functionCall: { name: 'k8s__logs', args: { pod: 'api' } }, thoughtSignature: S }];
    expect(received(parts)).toEqual([
      {
        blockType: 'tool_use',
        toolUseId: 'call-0',
        toolName: 'k8s__logs',
        input: '{"pod":"api"}',
        ...data({ thought_signature: S }),
      },
    ]);
  });

  it('1.2 [M] a final empty part adds its signature to the text, and no text', () => {
    expect(received([{ text: 'Hi' }, { text: '', thoughtSignature: S }])).toEqual([
      {
        blockType: 'text',
        textContent: 'Hi',
        ...data({
          thought_signature: S,
          carrier: 'empty_text',
          segments: [{ length: 2 }, { length: 0, thought_signature: S }],
        }),
      },
    ]);
  });

  it('1.2 [B] an empty part with only a signature is not lost', () => {
    expect(received([{ text: '', thoughtSignature: S }])).toEqual([
      { blockType: 'text', textContent: '', ...data({ thought_signature: S, carrier: 'empty_text' }) },
    ]);
  });

  it('2.5 signs the first text chunk: the answer is one block that knows where the signature was', () => {
    const [block] = blocksOf(collectChunks(STREAMS.signedTextFirst, { callIdPrefix: 'c' }));
    expect(block).toMatchObject({ blockType: 'text', textContent: 'Step one. Step two.' });
    expect(JSON.parse(block?.providerData ?? '')).toMatchObject({
      segments: [{ length: 9, thought_signature: expect.any(String) }, { length: 10 }],
    });
  });
});

describe('calls', () => {
  it('parallel calls are one block each, in the order of the response, with only the first one signed', () => {
    const response = collectChunks(STREAMS.parallelCallsInSeparateChunks, { callIdPrefix: 'c' });
    const blocks = blocksOf(response);
    expect(blocks.map((block) => block.blockType === 'tool_use' && block.toolUseId)).toEqual(
      response.toolCalls.map(({ callId }) => callId),
    );
    expect(blocks.map(({ providerData }) => providerData !== undefined)).toEqual([true, false]);
  });

  it('text between calls keeps its place', () => {
    const blocks = blocksOf(collectChunks(STREAMS.textBetweenCalls, { callIdPrefix: 'c' }));
    expect(blocks.map(({ blockType }) => blockType)).toEqual(['text', 'tool_use', 'text', 'tool_use']);
  });

  it('1.1 [M] blocks are numbered from 0 and fit the stored form', () => {
    for (const chunks of Object.values(STREAMS)) {
      const blocks = blocksOf(collectChunks(chunks, { callIdPrefix: 'c' }));
      expect(blocks.map(({ sequence }) => sequence)).toEqual(blocks.map((_, index) => index));
      expect(blocks.map((block) => blockSchema.parse(block))).toEqual(blocks);
    }
  });
});

describe('tools run by Google', () => {
  it('1.3 [M] code and its result are a provider-run call and its result, with the raw parts', () => {
    const code = { executableCode: { language: 'PYTHON', code: 'print(1)', id: 'x1' }, thoughtSignature: S };
    const output = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n', id: 'x1' } };
    expect(received([code, output])).toEqual([
      {
        blockType: 'tool_use',
        toolUseId: 'x1',
        toolName: 'code_execution',
        input: '{"language":"PYTHON","code":"print(1)"}',
        executionSide: 'provider',
        ...data(code),
      },
      {
        blockType: 'tool_result',
        toolUseId: 'x1',
        toolName: 'code_execution',
        isError: false,
        textContent: '1\n',
        executionSide: 'provider',
        ...data(output),
      },
    ]);
  });

  it('code without ids is paired by order, and code without a result has none', () => {
    const code = { executableCode: { language: 'PYTHON', code: 'print(file_search.query("x"))' } };
    const output = { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } };
    const blocks = received([code, code, output]);
    expect(blocks.map((block) => 'toolUseId' in block && block.toolUseId)).toEqual([
      'google_code_turn_0',
      'google_code_turn_1',
      'google_code_turn_1',
    ]);
    expect(blocks[2]).toMatchObject({ blockType: 'tool_result', isError: true });
  });

  it('1.3 [M] a server-side search is a provider-run call whose result has only its raw part', () => {
    const call = { toolCall: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['oom'] } } };
    const response = {
      toolResponse: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB', response: { search_suggestions: '<a>' } },
      thoughtSignature: S,
    };
    expect(received([call, response])).toMatchObject([
      { blockType: 'tool_use', toolUseId: 's1', toolName: 'web_search', input: '{"queries":["oom"]}' },
      {
        blockType: 'tool_result',
        toolUseId: 's1',
        textContent: '',
        ...data({ ...response, toolResponse: { ...response.toolResponse, response: {} } }),
      },
    ]);
  });

  it('1.3 [M] a function that is answered in the same response was run by the provider', () => {
    const response = collectChunks(STREAMS.callsRunByTheProvider, { callIdPrefix: 'c' });
    expect(blocksOf(response)).toMatchObject([
      { blockType: 'tool_use', toolUseId: 'mcp-1', executionSide: 'provider' },
      { blockType: 'tool_result', toolUseId: 'mcp-1', textContent: '{"hits":2}', executionSide: 'provider' },
      { blockType: 'text' },
    ]);
  });

  const code = (id?: string) => ({ executableCode: { code: '1', ...(id && { id }) } });
  const output = (fields: object) => ({ codeExecutionResult: fields });
  const tool = (toolType: string, id?: string, args?: object) => ({
    toolCall: { toolType, ...(id && { id }), ...(args && { args }) },
  });
  const answer = (toolType: string, response: object, id?: string) => ({
    toolResponse: { toolType, response, ...(id && { id }) },
  });
  const call = (name: string, id?: string) => ({ functionCall: { name, ...(id && { id }) } });
  const response = (name: string, value: object, id?: string) => ({
    functionResponse: { name, response: value, ...(id && { id }) },
  });

  it.each<[string, object[], string[]]>([
    [
      'code whose outcome is unknown did not fail, and needs no output',
      [code('a'), output({ id: 'a' }), code('b'), output({ id: 'b', outcome: 'OUTCOME_OK', output: 'x' })],
      [
        'a code_execution {"code":"1"}',
        'a code_execution = ',
        'b code_execution {"code":"1"}',
        'b code_execution = x',
      ],
    ],
    [
      'a result with the id of its code skips code before it',
      [code('a'), code('b'), output({ id: 'b', output: 'x' }), output({ output: 'y' })],
      [
        'a code_execution {"code":"1"}',
        'b code_execution {"code":"1"}',
        'b code_execution = x',
        'a code_execution = y',
      ],
    ],
    [
      'code with an id still waits when other code follows',
      [code('a'), code(), output({ output: 'x' })],
      [
        'a code_execution {"code":"1"}',
        'google_code_turn_0 code_execution {"code":"1"}',
        'a code_execution = x',
      ],
    ],
    [
      'tools without ids are paired by their names, each once',
      [
        tool('GOOGLE_MAPS'),
        tool('FILE_SEARCH', undefined, { q: 1 }),
        answer('FILE_SEARCH', { n: 1 }),
        answer('GOOGLE_MAPS', {}),
        answer('FILE_SEARCH', {}),
      ],
      [
        'google_tool_turn_0 google_maps {}',
        'google_tool_turn_1 file_search {"q":1}',
        'google_tool_turn_1 file_search = {"n":1}',
        'google_tool_turn_0 google_maps = ',
        'google_tool_turn_2 file_search = ',
      ],
    ],
    [
      'a tool pairs by its name where one of both has no id, and not where both have another',
      [
        tool('FILE_SEARCH'),
        answer('FILE_SEARCH', {}, 'a'),
        tool('FILE_SEARCH', 'b'),
        answer('FILE_SEARCH', {}, 'c'),
      ],
      [
        'google_tool_turn_0 file_search {}',
        'google_tool_turn_0 file_search = ',
        'b file_search {}',
        'c file_search = ',
      ],
    ],
    [
      'code is not paired with a tool of the same id',
      [tool('FILE_SEARCH', 'a'), output({ id: 'a', output: 'x' }), answer('FILE_SEARCH', {}, 'a')],
      ['a file_search {}', 'a code_execution = x', 'a file_search = '],
    ],
    [
      'a function has its only text as result, or all of it, or why it failed',
      [
        call('f', '1'),
        response('f', { output: 'x' }, '1'),
        call('f', '2'),
        response('f', { output: 'x', more: 1 }, '2'),
        call('f', '3'),
        response('f', { error: 'gone' }, '3'),
        call('f', '4'),
        response('f', { error: null }, '4'),
        call('f', '5'),
        response('f', {}, '5'),
      ],
      [
        '1 f {}',
        '1 f = x',
        '2 f {}',
        '2 f = {"output":"x","more":1}',
        '3 f {}',
        '3 f failed: gone',
        '4 f {}',
        '4 f = {"error":null}',
        '5 f {}',
        '5 f = ',
      ],
    ],
    [
      'a function pairs by its name even where the ids differ',
      [call('f', '1'), response('f', { output: 'x' }, '2')],
      ['1 f {}', '1 f = x'],
    ],
  ])('1.3 [M] %s', (_, parts, expected) => {
    const shown = received(parts).map((block) => {
      if (block.blockType === 'tool_use') return `${block.toolUseId} ${block.toolName} ${block.input}`;
      if (block.blockType !== 'tool_result') return block.blockType;
      return `${block.toolUseId} ${block.toolName} ${block.isError ? 'failed:' : '='} ${block.textContent}`;
    });
    expect(shown).toEqual(expected);
  });

  it('1.3 [M] a part of unknown kind is kept as a result with its raw form', () => {
    const part = { videoMetadata: { fps: 1 } };
    expect(received([part])).toMatchObject([
      { blockType: 'tool_result', toolName: 'video_metadata', ...data(part) },
    ]);
  });

  it.each([
    ['image/png', 'image'],
    ['application/pdf', 'document'],
  ])('inline data of type %s is a block of type %s', (mimeType, blockType) => {
    expect(received([{ inlineData: { mimeType, data: 'AAAA' } }])).toEqual([
      { blockType, mimeType, data: 'AAAA', ...google },
    ]);
  });

  it('raw parts that would fill a document are left to the message, small ones stay', () => {
    const big = {
      toolResponse: { id: 's1', toolType: 'FILE_SEARCH' },
      thoughtSignature: 'B'.repeat(250_000),
    };
    const blocks = received([{ toolCall: { id: 's1', toolType: 'FILE_SEARCH' } }, big]);
    expect(blocks.map(({ providerData }) => providerData !== undefined)).toEqual([true, false]);
  });
});

const U = 'https://vertexaisearch.example/redirect';

function grounded(metadata: object, parts: unknown[] = [{ text: 'Zürich is a city.' }]) {
  return received(parts, { groundingMetadata: metadata });
}

describe('grounding', () => {
  const chunks = [{ web: { uri: U, title: 'a.com' } }, { web: { title: 'b.com' } }];
  const supports = [{ segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0] }];

  it('1.4 [M] sources become a synthetic result before the text that cites them', () => {
    const metadata = { groundingChunks: chunks, groundingSupports: supports };
    expect(grounded(metadata)).toEqual([
      {
        blockType: 'tool_result',
        toolUseId: 'google_grounding_turn',
        toolName: 'web_search',
        isError: false,
        textContent: '',
        results: [{ title: 'a.com', url: U }],
        executionSide: 'provider',
        ...google,
      },
      {
        blockType: 'text',
        textContent: 'Zürich is a city.',
        citations: [
          {
            type: 'grounding_support',
            citedText: 'Zürich',
            startIndex: 0,
            endIndex: 6,
            resultIndex: 0,
            url: U,
            title: 'a.com',
          },
        ],
        ...data({ grounding_metadata: metadata }),
      },
    ]);
  });

  it('1.4 [M] no chunks, no result; the metadata is kept on the text', () => {
    const metadata = { webSearchQueries: ['poem'], searchEntryPoint: { renderedContent: '<a>' } };
    expect(grounded(metadata)).toEqual([
      {
        blockType: 'text',
        textContent: 'Zürich is a city.',
        ...data({ grounding_metadata: { webSearchQueries: ['poem'] } }),
      },
    ]);
  });

  it('1.4 [C] queries without chunks bring no sentence about a search', () => {
    expect(JSON.stringify(grounded({ webSearchQueries: ['poem'] }))).not.toContain('I searched Google');
  });

  it.each([[[{}]], [[{ web: { title: 'b.com' } }]]])(
    '1.4 [M] chunks that cannot be cited (%j) make no result',
    (groundingChunks) => {
      expect(
        grounded({ groundingChunks, webSearchQueries: ['q'] }).map(({ blockType }) => blockType),
      ).toEqual(['text']);
    },
  );

  it('1.4 [C] result_index counts results, not chunks', () => {
    const blocks = grounded({
      groundingChunks: [...chunks].reverse(),
      groundingSupports: [{ segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [1] }],
    });
    expect(blocks[1]?.citations).toMatchObject([{ resultIndex: 0, url: U }]);
  });

  it('1.4 [C] a quote that is not at its offsets is found; one that is nowhere loses its offsets', () => {
    const blocks = grounded({
      groundingChunks: chunks,
      groundingSupports: [
        { segment: { startIndex: 3, endIndex: 99, text: 'city' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 3, endIndex: 99, text: 'village' }, groundingChunkIndices: [0] },
      ],
    });
    const [citySpan, village] = blocks[1]?.citations ?? [];
    expect(citySpan).toMatchObject({ startIndex: 12, endIndex: 16 });
    expect(village).not.toHaveProperty('startIndex');
  });

  it('1.4 [B] an index out of range keeps the citation without url; further indices are kept', () => {
    const more = [...chunks, { web: { uri: `${U}/2`, title: 'b.com' } }];
    const blocks = grounded({
      groundingChunks: more,
      groundingSupports: [
        { segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [9] },
        { segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0, 2] },
      ],
    });
    const [none, both] = blocks[1]?.citations ?? [];
    expect(none).toEqual({ type: 'grounding_support', citedText: 'Zürich', startIndex: 0, endIndex: 6 });
    expect(both).toMatchObject({ resultIndex: 0, providerData: '{"other_result_indices":[1]}' });
  });

  it('1.4 [M] sources of other kinds are results with their kind', () => {
    const blocks = grounded({
      groundingChunks: [{ maps: { uri: U, title: 'Café' } }, { retrievedContext: { uri: 'gs://b/d' } }],
      webSearchQueries: ['q'],
    });
    expect(blocks[0]).toMatchObject({
      results: [
        { title: 'Café', url: U, kind: 'maps' },
        { title: '', url: 'gs://b/d', kind: 'retrieved_context' },
      ],
    });
  });

  it('a citation counts from the text it stands in, though the provider counts over all texts', () => {
    const parts = [
      { text: 'Before. ' },
      { functionCall: { name: 'k8s__logs', args: {} } },
      { text: 'Zürich is big.' },
    ];
    const support = { segment: { startIndex: 8, endIndex: 15, text: 'Zürich' }, groundingChunkIndices: [0] };
    const blocks = grounded({ groundingChunks: chunks, groundingSupports: [support] }, parts);
    expect(blocks.map(({ blockType }) => blockType)).toEqual(['text', 'tool_use', 'tool_result', 'text']);
    expect(blocks[3]?.citations).toMatchObject([{ startIndex: 0, endIndex: 6 }]);
  });

  it('a signed and grounded text keeps both in its provider data', () => {
    const metadata = { groundingChunks: chunks };
    const blocks = grounded(metadata, [{ text: 'Hi', thoughtSignature: S }]);
    expect(JSON.parse(blocks[1]?.providerData ?? '')).toEqual({
      thought_signature: S,
      grounding_metadata: metadata,
    });
  });
});

describe('an answer that is grounded sentence by sentence', () => {
  const address = `https://vertexaisearch.example/${'a'.repeat(200)}`;
  const sentence = 'Der Speicher ist erschöpft. ';
  const bytes = Buffer.byteLength(sentence);
  /** What is stored of an answer: blocks, and the raw parts beside them. */
  function stored(length: number) {
    const groundingSupports = Array.from({ length }, (_, n) => ({
      segment: { startIndex: n * bytes, endIndex: (n + 1) * bytes - 1, text: sentence.trim() },
      groundingChunkIndices: [n % 50, (n + 1) % 50],
    }));
    const groundingChunks = Array.from({ length: 50 }, (_, n) => ({
      web: { uri: `${address}/${n}`, title: `site-${n}.example` },
    }));
    const answer = answerOf([{ text: sentence.repeat(length), thoughtSignature: S }], {
      groundingMetadata: { webSearchQueries: ['q'], groundingChunks, groundingSupports },
    });
    const parts = JSON.stringify(answer.parts);
    const message = {
      sessionId: 's',
      executionId: 'e',
      sequenceNumber: 1,
      role: 'assistant' as const,
      iteration: 1,
      blocks: blocksOf(answer),
      providerParts: { provider: 'google' as const, model: 'gemini-3.8-flash', parts, partDocuments: 0 },
      blockDocuments: 0,
      expireAt: new Date(),
      createdAt: new Date(),
    };
    return { answer, message, parts };
  }

  it.each([190_000, INLINE_PARTS_BYTES - 2 * bytes])(
    'fits its document with %d bytes of text',
    (textBytes) => {
      const { answer, message, parts } = stored(Math.floor(textBytes / bytes));
      expect(Buffer.byteLength(parts)).toBeLessThanOrEqual(INLINE_PARTS_BYTES);
      expect(() => messageType.encode(message)).not.toThrow();
      expect(message.blocks).toMatchObject([
        { blockType: 'tool_result', results: { length: 50 } },
        {
          blockType: 'text',
          textContent: answer.text,
          providerData: JSON.stringify({ thought_signature: S }),
        },
      ]);
      expect(message.blocks[1]?.citations?.[0]).toMatchObject({ startIndex: 0, resultIndex: 0 });
    },
  );

  it('keeps everything when it is of ordinary length', () => {
    const { message } = stored(60);
    expect(message.blocks[1]?.citations).toHaveLength(60);
    expect(message.blocks[1]?.citations?.[59]).toMatchObject({
      citedText: sentence.trim(),
      url: `${address}/9`,
    });
    expect(message.blocks[1]?.providerData).toContain('grounding_metadata');
  });
});

describe('collected streams', () => {
  it('1.7 [B] a thought after text closes the text block', () => {
    const blocks = received([
      { text: 'a' },
      { text: 'hm', thought: true },
      { text: 'b', thoughtSignature: S },
    ]);
    expect(blocks.map((block) => 'textContent' in block && block.textContent)).toEqual(['a', 'hm', 'b']);
  });

  it('1.7 [B] a final chunk with only usage is read', () => {
    const usage = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
    const chunks = [{ candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }, { usageMetadata: usage }];
    const answer = collectChunks(chunks, { callIdPrefix: 'c' });
    expect(answer.usage).toMatchObject({ total: 5 });
    expect(blocksOf(answer)).toMatchObject([{ textContent: 'Hi' }]);
  });

  it('1.7 [B] streamed arguments that make no sense affect only their own block', () => {
    const fragment = { name: 'k8s__logs', partialArgs: [{ jsonPath: 'no path', stringValue: 'x' }] };
    const answer = answerOf([{ text: 'Hi' }, { functionCall: fragment }]);
    expect(blocksOf(answer)[0]).toMatchObject({ textContent: 'Hi' });
  });

  it('1.7 [B] a call without arguments is accepted', () => {
    expect(received([{ functionCall: { name: 'k8s__list' } }])).toMatchObject([{ input: '{}' }]);
  });
});

describe('any answer', () => {
  const signature = fc.option(fc.constantFrom('s1', 's2'), { nil: undefined });
  const words = fc.string({ maxLength: 5 });
  const content = fc.oneof(
    fc.record({ text: words, thought: fc.constantFrom(true, false) }),
    fc.record({ functionCall: fc.record({ name: fc.constantFrom('a', 'b') }) }),
    fc.record({ functionResponse: fc.record({ name: fc.constantFrom('a', 'b') }) }),
    fc.record({ executableCode: fc.record({ code: words }) }),
    fc.record({ codeExecutionResult: fc.record({ output: words, outcome: words }) }),
    fc.record({ toolCall: fc.record({ id: words, toolType: words }) }),
    fc.dictionary(words, fc.anything({ maxDepth: 1 })),
  );
  const parts = fc.array(
    fc.tuple(content, signature).map(([part, thoughtSignature]) => ({
      ...part,
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    })),
  );

  it('loses no text, has one call per call of the response, and fits the stored form', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const response = answerOf(JSON.parse(JSON.stringify(list)));
        const before = JSON.stringify(response);
        const blocks = blocksOf(response);
        const told = blocks.flatMap((block) =>
          block.blockType === 'text' || block.blockType === 'thinking' ? block.textContent : [],
        );
        const sent = response.parts.flatMap((part) => (typeof part.text === 'string' ? part.text : []));
        expect(told.join('')).toBe(sent.join(''));
        const calls = blocks.flatMap((block) =>
          block.blockType === 'tool_use' && block.executionSide === undefined ? block.toolUseId : [],
        );
        expect(calls).toEqual(response.toolCalls.map(({ callId }) => callId));
        expect(blocks.map((block) => blockSchema.parse(block))).toEqual(blocks);
        expect(JSON.stringify(response)).toBe(before);
      }),
    );
  });
});
