import { GoogleGenAI } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { MODEL, partsOf, refusal, replay, serve, TOOLS, textOf, user } from './serve.fixture.ts';

const LONG = `Größe überschritten — ${'the container was killed. '.repeat(12)}`;
const thinkingOn = { thinkingConfig: { includeThoughts: true } };

describe('a streamed answer', () => {
  it('sends the text in several chunks that join to the scripted text', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ text: LONG }] }] });
    const chunks = await stream();
    expect(chunks.length).toBeGreaterThan(3);
    expect(textOf(chunks)).toBe(LONG);
  });

  it('is CRLF-framed SSE', async () => {
    const { post } = await serve({ conversations: [{ turns: [{ text: 'hello' }] }] });
    const response = await post({ contents: [user('hi')] });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toMatch(/^(data: \{.*\}\r\n\r\n){2}$/);
  });

  it('brings thoughts when they are asked for, unsigned', async () => {
    const { stream } = await serve({
      conversations: [{ turns: [{ thinking: 'One.\n\nTwo.', text: 'ok' }] }],
    });
    expect(partsOf(await stream({ config: thinkingOn })).filter((part) => part.thought)).toEqual([
      { text: 'One.\n\n', thought: true },
      { text: 'Two.', thought: true },
    ]);
  });

  it('brings no thoughts when they are not asked for, but counts them', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ thinking: 'One. Two.', text: 'ok' }] }] });
    const chunks = await stream();
    expect(partsOf(chunks).filter((part) => part.thought)).toEqual([]);
    expect(chunks.at(-1)?.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });

  it('ends a Gemini 3 answer without calls with a signed empty text', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ text: 'ok' }] }] });
    const chunks = await stream();
    expect(partsOf(chunks).at(-1)).toEqual({ text: '', thoughtSignature: expect.any(String) });
    expect(chunks.map((chunk) => chunk.candidates?.[0]?.finishReason)).toEqual([undefined, 'STOP']);
  });

  it('signs the first visible text after thoughts of a Gemini 2.5 model', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ thinking: 'Hm.', text: LONG }] }] });
    const parts = partsOf(await stream({ model: 'gemini-2.5-pro', config: thinkingOn }));
    expect(parts.findIndex((part) => part.thoughtSignature)).toBe(1);
    expect(parts.filter((part) => part.thoughtSignature)).toHaveLength(1);
  });

  it('carries usage on every chunk whose total is the sum of its counts', async () => {
    const usage = { prompt: 100, candidates: 33, thoughts: 7, toolUse: 5, cached: 64 };
    const { stream } = await serve({ conversations: [{ turns: [{ text: LONG, usage }] }] });
    const counts = (await stream()).map((chunk) => chunk.usageMetadata ?? {});
    for (const { promptTokenCount = 0, candidatesTokenCount = 0, totalTokenCount } of counts) {
      expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + 7 + 5);
    }
    const written = counts.map(({ candidatesTokenCount = 0 }) => candidatesTokenCount);
    expect(written).toEqual(written.toSorted((a, b) => a - b));
    expect(written[0]).toBeLessThan(33);
    expect(counts.at(-1)).toMatchObject({
      promptTokenCount: 100,
      candidatesTokenCount: 33,
      cachedContentTokenCount: 64,
    });
  });

  it('can end without a finish reason', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ text: 'half', finishReason: null }] }] });
    const chunks = await stream();
    expect(textOf(chunks)).toBe('half');
    expect(chunks.some((chunk) => chunk.candidates?.[0]?.finishReason)).toBe(false);
  });

  it('can hold only a finish reason', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ finishReason: 'MAX_TOKENS' }] }] });
    expect((await stream()).map((chunk) => chunk.candidates)).toEqual([
      [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
    ]);
  });

  it('accepts raw chunks', async () => {
    const chunk = { candidates: [{ content: { parts: [{ text: 'raw' }] }, finishReason: 'RECITATION' }] };
    const { stream } = await serve({ conversations: [{ turns: [{ chunks: [chunk] }] }] });
    expect((await stream()).map((received) => received.candidates)).toEqual([chunk.candidates]);
  });

  it('survives being split at every byte', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ text: LONG, perWrite: 1 }] }] });
    expect(textOf(await stream())).toBe(LONG);
  });

  it('is split wherever the script asks for it, not only between frames', async () => {
    const { post } = await serve({ conversations: [{ turns: [{ text: LONG, perWrite: 100 }] }] });
    const pieces: string[] = [];
    for await (const piece of (await post({ contents: [user('hi')] })).body ?? []) {
      pieces.push(Buffer.from(piece).toString('latin1'));
    }
    expect(pieces.some((piece) => !piece.endsWith('\r\n\r\n'))).toBe(true);
  });

  it('waits as long as the script asks for', async () => {
    const turn = { text: LONG, firstDelayMs: 60, delayMs: 20 };
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const { stream } = await serve({ conversations: [{ turns: [turn] }] }, { sleep });
    const chunks = await stream();
    expect(waits).toEqual([60, ...chunks.slice(1).map(() => 20)]);
  });

  it('is the same when the request is repeated', async () => {
    const turn = { text: 'look', toolCalls: [{ name: 'k8s__get' }] };
    const { stream } = await serve({ conversations: [{ turns: [turn] }] });
    const [first, second] = [
      await stream({ config: { tools: TOOLS } }),
      await stream({ config: { tools: TOOLS } }),
    ];
    expect(second.map((chunk) => chunk.candidates)).toEqual(first.map((chunk) => chunk.candidates));
  });
});

describe('function calls', () => {
  const calls = [{ name: 'k8s__get', args: { kind: 'pod' } }, { name: 'k8s__logs' }];
  const responses = (parts: { functionCall?: { id?: string; name?: string } }[]) => ({
    role: 'user',
    parts: parts.flatMap(({ functionCall }) =>
      functionCall
        ? [{ functionResponse: { ...idOf(functionCall), name: functionCall.name ?? '', response: {} } }]
        : [],
    ),
  });
  const idOf = ({ id }: { id?: string }) => (id === undefined ? {} : { id });

  it.each([MODEL, 'gemini-4-argon', 'gemini-3.1-pro-preview', 'gemini-2.5-flash'])(
    'of %s are replayed with their signatures and answered',
    async (model) => {
      const turns = [{ thinking: 'Hm.', toolCalls: calls }, { toolCalls: calls }, { text: 'Memory.' }];
      const { gemini, stream } = await serve({ conversations: [{ turns }] });
      const ask = { model, config: { ...thinkingOn, tools: TOOLS } };
      const first = await stream(ask);
      const history = [user('Why does it crash?'), replay(first), responses(partsOf(first))];
      const second = await stream({ ...ask, contents: history });
      const third = await stream({
        ...ask,
        contents: [...history, replay(second), responses(partsOf(second))],
      });
      expect(textOf(third)).toBe('Memory.');
      expect(gemini.requests.map((request) => request.outcome)).toEqual(
        [1, 2, 3].map((turn) => ({ kind: 'answered', conversation: '1', turn })),
      );
    },
  );

  it('come in a chunk each, only the first of them signed', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ toolCalls: calls }] }] });
    const chunks = await stream({ config: { tools: TOOLS } });
    const parts = chunks.map((chunk) => chunk.candidates?.[0]?.content?.parts);
    expect(parts).toEqual([
      [
        {
          functionCall: { id: expect.any(String), name: 'k8s__get', args: { kind: 'pod' } },
          thoughtSignature: expect.any(String),
        },
      ],
      [{ functionCall: { id: expect.any(String), name: 'k8s__logs', args: {} } }],
      [{ text: '' }],
    ]);
  });

  it('come in one chunk when the script asks for it', async () => {
    const turn = { toolCalls: calls, callsTogether: true };
    const { stream } = await serve({ conversations: [{ turns: [turn] }] });
    const [chunk] = await stream({ config: { tools: TOOLS } });
    expect(chunk?.functionCalls).toHaveLength(2);
  });

  it.each([
    ['gemini-3.1-pro-preview', undefined, 0],
    ['gemini-3.5-flash', undefined, 2],
    ['gemini-3.5-flash', false, 0],
    ['gemini-2.5-pro', true, 2],
  ])('of %s with ids: %s have %i ids, none twice', async (model, ids, expected) => {
    const turn = { toolCalls: calls, ...(ids === undefined ? {} : { ids }) };
    const { stream } = await serve({ conversations: [{ turns: [turn] }] });
    const parts = partsOf(await stream({ model, config: { tools: TOOLS } }));
    expect(new Set(parts.flatMap((part) => part.functionCall?.id ?? [])).size).toBe(expected);
  });

  it('of raw chunks are accepted back when they were signed by $sign', async () => {
    const part = { functionCall: { name: 'k8s__get', args: { b: 1, a: [2] } }, thoughtSignature: '$sign' };
    const chunk = { candidates: [{ content: { parts: [part], role: 'model' }, finishReason: 'STOP' }] };
    const { stream } = await serve({ conversations: [{ turns: [{ chunks: [chunk] }, { text: 'ok' }] }] });
    const first = await stream({ config: { tools: TOOLS } });
    const contents = [user('Why does it crash?'), replay(first), responses(partsOf(first))];
    expect(textOf(await stream({ contents, config: { tools: TOOLS } }))).toBe('ok');
  });

  it('can carry signatures as large as server-side tools make them', async () => {
    const turn = { toolCalls: calls, signatureBytes: 100_000 };
    const { stream } = await serve({ conversations: [{ turns: [turn] }] });
    const [part] = partsOf(await stream({ config: { tools: TOOLS } }));
    expect(Buffer.from(part?.thoughtSignature ?? '', 'base64')).toHaveLength(100_000);
  });
});

describe('which turn answers', () => {
  const conversations = [
    { name: 'writer', when: 'You sum up', turns: [{ text: 'summary' }] },
    { name: 'lite', when: { model: 'lite' }, turns: [{ text: 'lite' }] },
    {
      name: 'expert',
      when: { system: 'expert', user: 'crash' },
      turns: [{ toolCalls: [{ name: 'k8s__get' }] }, { text: 'second' }],
      conclusion: { text: 'concluded' },
    },
    { name: 'plain', when: 'plain', turns: [{ text: 'no tools' }], conclusion: { text: 'never' } },
    { name: 'talk', when: 'small talk', turns: [{ text: 'one' }, { toolCalls: [{ name: 'k8s__get' }] }] },
  ];

  it.each([
    ['You sum up', MODEL, 'summary'],
    ['whatever', 'gemini-3.5-flash-lite', 'lite'],
    ['an expert', MODEL, 'concluded'],
    ['plain', MODEL, 'no tools'],
  ])('follows from system instruction %j and model %s', async (systemInstruction, model, text) => {
    const { stream } = await serve({ conversations });
    expect(textOf(await stream({ model, config: { systemInstruction } }))).toBe(text);
  });

  it('is the conclusion for a request without tools where turns call tools', async () => {
    const { gemini, stream } = await serve({ conversations });
    const contents = [user('a crash'), { role: 'model', parts: [{ text: 'hm' }] }, user('conclude')];
    expect(textOf(await stream({ contents, config: { systemInstruction: 'expert' } }))).toBe('concluded');
    expect(gemini.requests[0]?.outcome).toMatchObject({ kind: 'answered', turn: 'conclusion' });
  });

  it('is refused with the request and the scripted conversations, when none of them matches', async () => {
    const { stream } = await serve({ conversations });
    const { status, body } = await refusal(stream({ config: { systemInstruction: 'nobody' } }));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(
      /no conversation matches.*nobody.*Why does it crash.*writer.*You sum up/,
    );
  });

  it('is refused when the script has no such turn', async () => {
    const { stream } = await serve({ conversations });
    const contents = [user('a'), { role: 'model', parts: [{ text: 'b' }] }, user('c')];
    const call = stream({ contents, config: { systemInstruction: 'You sum up' } });
    expect(JSON.stringify(await refusal(call))).toMatch(/writer.* has 1 turns.* asks for turn 2/);
  });

  it('is refused when it calls tools and the request declares none', async () => {
    const { stream } = await serve({ conversations });
    const contents = [user('a'), { role: 'model', parts: [{ text: 'b' }] }, user('c')];
    const call = stream({ contents, config: { systemInstruction: 'small talk' } });
    expect(JSON.stringify(await refusal(call))).toMatch(/turn 2 of .*talk.* calls tools.* add a conclusion/);
  });
});

describe('the ways to ask', () => {
  const script = { conversations: [{ turns: [{ thinking: 'Hm.', text: LONG }] }] };

  it('generateContent answers in one body', async () => {
    const { client } = await serve(script);
    const answer = await client.models.generateContent({ model: MODEL, contents: 'hi', config: thinkingOn });
    expect(answer.text).toBe(LONG);
    expect(answer.candidates?.[0]?.content?.parts).toHaveLength(3);
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
  });

  it('the enterprise paths answer too', async () => {
    const { gemini } = await serve(script);
    const client = new GoogleGenAI({
      enterprise: true,
      apiKey: 'a-key',
      httpOptions: { baseUrl: gemini.url },
    });
    expect((await client.models.generateContent({ model: MODEL, contents: 'hi' })).text).toBe(LONG);
  });

  it('a project path with a token answers too', async () => {
    const { post } = await serve(script);
    const path = `/v1beta1/projects/p/locations/global/publishers/google/models/${MODEL}:generateContent`;
    const headers = { 'x-goog-api-key': '', authorization: 'Bearer token' };
    expect((await post({ contents: [user('hi')] }, { path, headers })).status).toBe(200);
  });

  it('requests are recorded in order', async () => {
    const { gemini, stream } = await serve(script);
    await stream({ contents: 'first' });
    await stream({ contents: 'second' });
    expect(gemini.requests.map(({ model, delivery, body }) => ({ model, delivery, body }))).toMatchObject([
      { model: MODEL, delivery: 'sse', body: { contents: [user('first')] } },
      { model: MODEL, delivery: 'sse', body: { contents: [user('second')] } },
    ]);
  });
});
