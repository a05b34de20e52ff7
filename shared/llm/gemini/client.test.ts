import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freezeDeep } from '../../../test/support/frozen.ts';
import type {
  CallReport,
  ConversationMessage,
  GenerateOptions,
  LlmRequest,
  Progress,
} from '../../core/contract/llm.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { endlessAnswer, IN_FLIGHT_BYTES } from '../endlessAnswer.fixture.ts';
import { createCircuits } from '../inline/circuits.ts';
import { createGeminiClient, type GeminiClientOptions } from './client.ts';
import { writeReplay } from './replay.ts';
import { DUMMY_SIGNATURE } from './replayableParts.ts';
import { STREAMS, sse } from './streams.fixture.ts';

const USER: ConversationMessage = { role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] };

function request(messages: ConversationMessage[] = [USER], model = 'gemini-3.8-flash'): LlmRequest {
  return {
    model: { provider: 'google', model, includeThoughts: true, thinkingLevel: 'low', maxOutputTokens: 900 },
    messages: freezeDeep(messages),
    tools: [{ name: 'k8s.logs', description: 'Reads logs', inputSchema: {}, readOnly: true }],
  };
}

function call(options: Partial<GenerateOptions> = {}): GenerateOptions & { report: CallReport } {
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  return { signal: new AbortController().signal, report, ...options };
}

/** What a rejected promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );
}

interface Asked {
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & { contents: { role: string; parts: Record<string, unknown>[] }[] };
}
type Reply = (response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A Gemini that gives its replies in turn (the last for ever), and a client. Waits are noted only. */
async function gemini(replies: Reply[], options: Partial<GeminiClientOptions> = {}) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    incoming.on('end', () => {
      asked.push({ url: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text) });
      replies[Math.min(asked.length, replies.length) - 1]?.(response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  return {
    asked,
    waits,
    url: env.GOOGLE_GEMINI_BASE_URL,
    client: createGeminiClient({ env, sleep, random: () => 0.5, ...options }),
  };
}

const stream =
  (text: string): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  };
const json =
  (status: number, body: unknown): Reply =>
  (response) => {
    response
      .writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
      .end(JSON.stringify(body));
  };
const error = (code: number, message: string, details: object[] = []) => ({
  error: { code, message, status: 'X', details },
});
const ended = (finishReason: string, parts: object[] = []) =>
  sse([{ candidates: [{ content: { parts }, finishReason }] }]);
const GOOD = stream(ended('STOP', [{ text: 'Because.' }]));

describe('the service tier that answered', () => {
  const answer =
    (usage: object, header?: string): Reply =>
    (response) => {
      const [chunk] = [
        { candidates: [{ content: { parts: [{ text: 'Because.' }] }, finishReason: 'STOP' }] },
      ];
      response
        .writeHead(200, {
          'content-type': 'text/event-stream',
          ...(header !== undefined && { 'x-gemini-service-tier': header }),
        })
        .end(sse([{ ...chunk, usageMetadata: { promptTokenCount: 1, ...usage } }]));
    };
  it.each<[string, 'flex' | 'priority' | undefined, object, string | undefined, string | undefined]>([
    ['the requested one, if the provider names none', 'flex', {}, undefined, 'flex'],
    ['that of the header', 'priority', {}, 'standard', 'standard'],
    ['the requested one, if the header has an unknown one', 'priority', {}, 'turbo', 'priority'],
    ['that of the billed tokens', 'priority', { serviceTier: 'standard' }, undefined, 'standard'],
    ['that of the billed tokens before the header', 'flex', { serviceTier: 'flex' }, 'standard', 'flex'],
    ['that of the traffic on Vertex AI', 'priority', { trafficType: 'ON_DEMAND' }, undefined, 'standard'],
    ['flex by its traffic', undefined, { trafficType: 'ON_DEMAND_FLEX' }, undefined, 'flex'],
    [
      'priority without a request for it',
      undefined,
      { trafficType: 'ON_DEMAND_PRIORITY' },
      undefined,
      'priority',
    ],
    ['none where none was requested', undefined, { serviceTier: 'standard' }, 'standard', undefined],
    ['the requested one for other traffic', 'flex', { trafficType: 'constructor' }, undefined, 'flex'],
  ])('is %s', async (_, asked, usage, header, tier) => {
    const { client } = await gemini([answer(usage, header)]);
    const made = call();
    const plain = request();
    await client.generate(
      { ...plain, model: { ...plain.model, ...(asked && { serviceTier: asked }) } },
      made,
    );
    expect(made.report.serviceTier).toBe(tier);
  });
});

it('a refusal of the tier flex is no fact about the model: the next call asks at flex again', async () => {
  const shed = json(503, error(503, 'Try later.'));
  const { client, asked } = await gemini([shed, GOOD, shed, GOOD], { circuits: createCircuits() });
  const plain = request();
  const flex = { ...plain, model: { ...plain.model, serviceTier: 'flex' as const } };
  for (let n = 0; n < 2; n++) await client.generate(flex, call());
  expect(asked.map(({ body }) => body.serviceTier)).toEqual(['flex', 'standard', 'flex', 'standard']);
});

it('the standard tier is asked once at once after flex, and then as often as without a tier', async () => {
  const shed = json(503, error(503, 'Try later.'));
  const { client, asked, waits } = await gemini([shed, shed, shed, shed, GOOD]);
  const plain = request();
  const flex = { ...plain, model: { ...plain.model, serviceTier: 'flex' as const } };
  expect(await failure(client.generate(flex, call()))).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(asked.map(({ body }) => body.serviceTier)).toEqual(['flex', 'standard', 'standard', 'standard']);
  expect(waits).toHaveLength(2);
});

describe('a request', () => {
  it('goes to the streaming endpoint of v1beta with a placeholder key', async () => {
    const { client, asked } = await gemini([GOOD]);
    await client.generate(request(), call());
    expect(asked[0]?.url).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
    expect(asked[0]?.headers['x-goog-api-key']).toBe('no-key');
  });

  it('carries instruction, contents, declarations and settings', async () => {
    const { client, asked } = await gemini([GOOD]);
    const system: ConversationMessage = {
      role: 'system',
      blocks: [{ blockType: 'text', textContent: 'Be brief.' }],
    };
    await client.generate(request([system, USER]), call());
    expect(asked[0]?.body).toEqual({
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Why?' }] }],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'k8s__logs',
              description: 'Reads logs',
              parametersJsonSchema: { type: 'object', properties: {} },
            },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 900,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
      },
    });
  });

  it.each(Object.entries(STREAMS))('replays %s on the wire as it came', async (_, chunks) => {
    const { client, asked } = await gemini([stream(sse(chunks)), GOOD]);
    const { replay } = await client.generate(request(), call());
    if (replay === undefined) expect.unreachable('nothing to replay');
    expect(replay).toMatchObject({ provider: 'google', model: 'gemini-3.8-flash' });
    await client.generate(request([USER, { role: 'assistant', blocks: [], replay }, USER]), call());
    const sent = asked[1]?.body.contents[1]?.parts.map(({ thoughtSignature, ...part }) =>
      thoughtSignature === DUMMY_SIGNATURE
        ? part
        : { ...part, ...(thoughtSignature !== undefined && { thoughtSignature }) },
    );
    expect(sent).toEqual(JSON.parse(replay.data));
  });

  it('without credentials fails before any network, naming the variables', async () => {
    const client = createGeminiClient({ env: {}, fetch: () => expect.unreachable('asked the network') });
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toMatchObject({
      code: 'MODEL_CREDENTIALS',
      message: expect.stringContaining('GEMINI_API_KEY'),
    });
  });
});

describe('an answer', () => {
  it('has its calls under the names of the tools', async () => {
    const { client } = await gemini([stream(sse(STREAMS.callsWithoutIds))]);
    const { toolCalls } = await client.generate(request(), call());
    expect(toolCalls).toEqual([
      { callId: 'call_1_0', name: 'k8s.logs', arguments: '{"pod":"api"}' },
      { callId: 'call_1_1', name: 'k8s.logs', arguments: '{"pod":"web"}' },
    ]);
  });

  it('keeps the finish message, which the SDK drops', async () => {
    const { client } = await gemini([stream(sse(STREAMS.parallelCallsInSeparateChunks))]);
    expect((await client.generate(request(), call())).finishMessage).toBe(
      'Model generated function call(s).',
    );
  });

  it('is marked when the output limit cut it', async () => {
    const { client } = await gemini([stream(ended('MAX_TOKENS', [{ text: 'Beca' }]))]);
    expect(await client.generate(request(), call())).toMatchObject({ text: 'Beca', truncated: true });
  });

  it('is reported with its sizes and tokens', async () => {
    const { client, asked } = await gemini([stream(sse(STREAMS.signedTextFirst))]);
    const { report, ...rest } = call();
    const { replay } = await client.generate(request(), { ...rest, report });
    expect(report).toMatchObject({
      attempts: 1,
      attemptErrors: [],
      finishReason: 'STOP',
      usage: { total: 50 },
    });
    expect(report.responseBytes).toBe(Buffer.byteLength(replay?.data ?? ''));
    expect(report.requestBytes).toBe(Buffer.byteLength(JSON.stringify(asked[0]?.body)));
  });
});

describe('a redirect', () => {
  const to =
    (location: string): Reply =>
    (response) =>
      response.writeHead(307, { location }).end();

  it('is not followed, because the key would go along; the failure names its target', async () => {
    const stolen = await gemini([stream(sse(STREAMS.signedTextFirst))]);
    const { client, asked } = await gemini([to(`${stolen.url}/steal?key=1`)]);
    const error = await failure(client.generate(request(), call()));
    expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect((error as Error).message).toContain(`redirects to ${stolen.url}, where`);
    expect(asked).toHaveLength(1);
    expect(stolen.asked).toEqual([]);
  });

  it.each(['/elsewhere', 'http://[', ''])('to %j is not followed either', async (location) => {
    const { client, asked } = await gemini([to(location)]);
    await expect(client.generate(request(), call())).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(asked).toHaveLength(1);
  });
});

describe('where the network cuts the stream', () => {
  let pieces: Uint8Array[] = [];
  const client = createGeminiClient({
    env: { GEMINI_API_KEY: 'k' },
    sleep: async () => {},
    fetch: async () =>
      new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } }),
  });
  const ask = async (bytes: Uint8Array, cut: number) => {
    pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    // One attempt is enough: a deadline that has passed allows no wait.
    return client.generate(request(), call({ deadline: 0 })).catch((thrown: unknown) => thrown);
  };

  /** Every place near the end of a line: that all others make no difference is shown of the frames. */
  const cutsOf = (bytes: Buffer): number[] =>
    Array.from({ length: bytes.length - 1 }, (_, index) => index + 1).filter((cut) =>
      /[\r\n]/.test(bytes.toString('latin1', Math.max(0, cut - 3), cut + 3)),
    );
  /** Of the places with the same three bytes on both sides the first: nothing tells them apart. */
  const distinct = (bytes: Buffer): number[] => {
    const around = (cut: number) => bytes.toString('latin1', Math.max(0, cut - 3), cut + 3);
    const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
    return [...new Map(cuts.toReversed().map((cut) => [around(cut), cut])).values()];
  };

  it.each(Object.entries(STREAMS))('makes no difference to %s', async (_, chunks) => {
    const bytes = Buffer.from(sse(chunks));
    const whole = await ask(bytes, bytes.length);
    expect(whole).toMatchObject({ finishReason: 'STOP' });
    for (const cut of cutsOf(bytes)) expect(await ask(bytes, cut)).toEqual(whole);
  });

  it('makes no difference to an error in the middle of the stream', async () => {
    const bare = JSON.stringify(error(499, 'The operation was cancelled.'), null, 2);
    const bytes = Buffer.from(`${sse(STREAMS.stopOnEveryChunk)}${bare}\r\n\r\n`);
    for (const cut of cutsOf(bytes)) {
      expect(await ask(bytes, cut)).toMatchObject({
        code: 'MODEL_STREAM_CUT',
        message: 'Gemini cancelled the answer: The operation was cancelled.',
      });
    }
  });

  it('the end of the bytes before the end of the answer is a cut, wherever it falls', async () => {
    const bytes = Buffer.from(sse(STREAMS.signedTextFirst));
    const lastFrame = bytes.lastIndexOf('data:');
    const isWhole = (end: number) => end >= bytes.length - '\r\n\r\n'.length;
    for (const end of distinct(bytes).filter((cut) => !isWhole(cut))) {
      const outcome = await ask(bytes.subarray(0, end), 1);
      expect(outcome, `${end} of ${bytes.length}, last frame at ${lastFrame}`).toMatchObject({
        code: 'MODEL_STREAM_CUT',
      });
    }
  });
});

describe('a failure that can be temporary', () => {
  it.each([
    ['503', json(503, error(503, 'overloaded')), 'MODEL_UNAVAILABLE'],
    ['429', json(429, [error(429, 'slow down')]), 'MODEL_QUOTA'],
    [
      'an error frame in the stream',
      stream(`${sse([STREAMS.signedTextFirst[0]])}${JSON.stringify(error(503, 'gone'))}`),
      'MODEL_UNAVAILABLE',
    ],
    ['a stream without an end', stream(sse(STREAMS.signedTextFirst.slice(0, 2))), 'MODEL_STREAM_CUT'],
    ['no bytes at all', stream(''), 'MODEL_EMPTY_ANSWER'],
    ['an answer without text', stream(ended('STOP', [{ text: '' }])), 'MODEL_EMPTY_ANSWER'],
    [
      'a broken connection',
      (response: ServerResponse) => {
        response.writeHead(200).write('data: {"candi');
        setImmediate(() => response.destroy());
      },
      'MODEL_STREAM_CUT',
    ],
  ])('%s is survived', async (_, bad, code) => {
    const { client, waits } = await gemini([bad, GOOD]);
    const { report, ...rest } = call();
    expect((await client.generate(request(), { ...rest, report })).text).toBe('Because.');
    expect(report).toMatchObject({ attempts: 2, attemptErrors: [expect.stringContaining(code)] });
    expect(waits).toEqual([500]);
  });

  it('is thrown after three attempts, with growing waits between', async () => {
    const { client, asked, waits } = await gemini([json(503, error(503, 'overloaded'))]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(asked).toHaveLength(3);
    expect(waits).toEqual([500, 1_000]);
  });

  it('closes its connection, also when the server would continue', async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = await gemini([
      (response) => {
        response.on('close', () => closed.resolve());
        response.writeHead(200).write(sse([error(503, 'gone')]));
      },
      GOOD,
    ]);
    await client.generate(request(), call());
    await closed.promise;
  });

  it('of the connection itself is one too', async () => {
    const { client } = await gemini([GOOD]);
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    expect(await failure(client.generate(request(), call()))).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  it('after an empty answer changes the request', async () => {
    const { client, asked } = await gemini([stream(ended('STOP')), GOOD]);
    await client.generate(request(), call());
    expect(asked[0]?.body.contents[0]?.parts).toHaveLength(1);
    expect(asked[1]?.body.contents[0]?.parts[1]?.text).toContain('empty');
  });

  it('after an output limit spent on thinking asks for the least thinking, once', async () => {
    const thought = stream(ended('MAX_TOKENS', [{ text: 'Hm.', thought: true }]));
    const { client, asked } = await gemini([thought]);
    expect(await failure(client.generate(request(), call()))).toMatchObject({ code: 'MODEL_TRUNCATED' });
    const levels = asked.map(
      ({ body }) => (body.generationConfig as { thinkingConfig?: object }).thinkingConfig,
    );
    expect(levels).toEqual([
      { includeThoughts: true, thinkingLevel: 'LOW' },
      { includeThoughts: true, thinkingLevel: 'MINIMAL' },
    ]);
  });

  it('is reported with the finish reason of the last attempt, not of one before it', async () => {
    const cut = stream(sse(STREAMS.signedTextFirst.slice(0, 2)));
    const { client } = await gemini([stream(ended('STOP')), cut]);
    const { report, ...rest } = call();
    await failure(client.generate(request(), { ...rest, report }));
    expect(report).toMatchObject({ attempts: 3 });
    expect(report).not.toHaveProperty('finishReason');
  });

  it('that was cut is reported with the tokens of the last chunk that came', async () => {
    const [first, second] = STREAMS.signedTextFirst;
    const earlier = { ...first, usageMetadata: { promptTokenCount: 999, totalTokenCount: 999 } };
    const { client } = await gemini([stream(sse([earlier, second]))], { now: () => 0 });
    const { report, ...rest } = call({ deadline: -1 });
    await failure(client.generate(request(), { ...rest, report }));
    expect(report).toMatchObject({ attempts: 1, usage: { total: 50 } });
  });

  it('counts the tokens of all attempts', async () => {
    const usageMetadata = { promptTokenCount: 10, totalTokenCount: 10 };
    const empty = stream(sse([{ candidates: [{ finishReason: 'STOP' }], usageMetadata }]));
    const { client } = await gemini([empty, stream(sse(STREAMS.signedTextFirst))]);
    const { report, ...rest } = call();
    await client.generate(request(), { ...rest, report });
    expect(report.usage?.total).toBe(60);
  });
});

describe('an answer that never ends', () => {
  const event = sse([STREAMS.signedTextFirst[1]]).replace('Step', 'Step'.repeat(50_000));

  it.each([
    ['of many events', event, 200],
    ['of one event', 'data: '.padEnd(100_000, 'x'), 200],
    ['of an error', ' '.repeat(100_000), 503],
  ])('%s is read up to the limit, fails, and is asked for once', async (_, piece, status) => {
    const { reply, sent } = endlessAnswer(piece, status);
    const { client, asked } = await gemini([reply]);
    const { model, ...rest } = request();
    const answerBytes = 2_000_000;
    const thrown = await failure(client.generate({ ...rest, model: { ...model, answerBytes } }, call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({
      code: 'MODEL_ANSWER_TOO_LARGE',
      message: expect.stringContaining('2000000 bytes'),
    });
    expect(asked).toHaveLength(1);
    expect(await sent).toBeLessThan(answerBytes + IN_FLIGHT_BYTES);
  });

  it('is read up to 32 MB when the model has no limit of its own', async () => {
    const { reply, sent } = endlessAnswer('data: '.padEnd(100_000, 'x'));
    const { client } = await gemini([reply]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toMatchObject({
      code: 'MODEL_ANSWER_TOO_LARGE',
      message: expect.stringContaining('32000000 bytes'),
    });
    expect(await sent).toBeLessThan(32_000_000 + IN_FLIGHT_BYTES);
  });
});

describe('a wait the API asks for', () => {
  const limited = (retryDelay: string) =>
    json(429, error(429, 'slow down', [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]));

  it('is kept, with jitter on top', async () => {
    const { client, waits } = await gemini([limited('34.4s'), GOOD]);
    await client.generate(request(), call());
    expect(waits).toEqual([34_900]);
  });

  it('is kept when it ends before the deadline', async () => {
    const { client, waits } = await gemini([limited('300s'), GOOD], { now: () => 1_000_000 });
    await client.generate(request(), call({ deadline: 1_400_000 }));
    expect(waits).toEqual([300_500]);
  });

  it.each([
    ['the deadline', '30s', { deadline: 1_020_000 }],
    ['a minute, when there is no deadline', '61s', {}],
  ])('is left to the caller when it passes %s', async (_, retryDelay, options) => {
    const { client, waits } = await gemini([limited(retryDelay), GOOD], { now: () => 1_000_000 });
    const thrown = await failure(client.generate(request(), call(options)));
    expect(thrown).toMatchObject({
      code: 'MODEL_QUOTA',
      retryAfterMs: Number.parseInt(retryDelay, 10) * 1_000,
    });
    expect(waits).toEqual([]);
  });
});

describe('a failure that will not pass', () => {
  it.each([
    ['400', json(400, [error(400, 'counts differ')]), 'MODEL_BAD_REQUEST'],
    ['403', json(403, error(403, 'no')), 'MODEL_CREDENTIALS'],
    ['404', json(404, error(404, 'no such model')), 'MODEL_UNKNOWN'],
    ['a refused prompt', stream(sse([{ promptFeedback: { blockReason: 'SAFETY' } }])), 'MODEL_BLOCKED'],
    [
      'a prompt refused by a sentence alone',
      stream(sse([{ promptFeedback: { blockReasonMessage: 'Not this.' }, candidates: [] }])),
      'MODEL_BLOCKED',
    ],
    [
      'a prompt refused by Model Armor',
      stream(
        sse([
          {
            promptFeedback: { blockReason: 'MODEL_ARMOR' },
            usageMetadata: { trafficType: 'ON_DEMAND' },
          },
        ]),
      ),
      'MODEL_BLOCKED',
    ],
    ['a refused answer', stream(ended('RECITATION', [{ text: 'Once upon' }])), 'MODEL_BLOCKED'],
  ])('%s is asked once', async (_, bad, code) => {
    const { client, asked } = await gemini([bad, GOOD]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({ code });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['a malformed call', 'MALFORMED_FUNCTION_CALL', 'MODEL_MALFORMED_CALL'],
    ['a call of a tool that was not offered', 'UNEXPECTED_TOOL_CALL', 'MODEL_MALFORMED_CALL'],
  ])('without more, %s, is for the next iteration', async (_, finishReason, code) => {
    const { client, asked } = await gemini([stream(ended(finishReason)), GOOD]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code });
    expect(asked).toHaveLength(1);
  });

  it('of a model that cannot think less, an output limit without an answer is for the next iteration', async () => {
    const { client, asked } = await gemini([stream(ended('MAX_TOKENS')), GOOD]);
    const thrown = await failure(client.generate(request([USER], 'gemini-2.0-flash'), call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code: 'MODEL_TRUNCATED' });
    expect(asked).toHaveLength(1);
  });

  it('of an answer that is only an image is asked once', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'QUJD' } };
    const { client, asked } = await gemini([stream(ended('STOP', [image]))]);
    expect(await failure(client.generate(request(), call()))).toMatchObject({
      code: 'MODEL_EMPTY_ANSWER',
      message: expect.stringContaining('only images or files (image/png)'),
    });
    expect(asked).toHaveLength(1);
  });

  it('describes the malformed call', async () => {
    const candidate = {
      content: {},
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: 'Malformed function call: print(x',
    };
    const { client } = await gemini([stream(sse([{ candidates: [candidate] }]))]);
    expect(await failure(client.generate(request(), call()))).toMatchObject({
      message: expect.stringContaining('print(x'),
    });
  });

  it('shows no key', async () => {
    const key = `AIza${'k'.repeat(35)}`;
    const logged: unknown[] = [];
    const fetchFailing = async () =>
      new Response(JSON.stringify(error(400, `key=${key} is bad, ${key}`)), { status: 400 });
    const client = createGeminiClient({
      env: { GEMINI_API_KEY: key },
      fetch: fetchFailing,
      log: (...entry) => logged.push(entry),
    });
    const { report, ...rest } = call();
    const thrown = await failure(client.generate(request(), { ...rest, report }));
    expect(logged).toHaveLength(1);
    expect(`${thrown} ${JSON.stringify([report, logged])}`).not.toContain(key);
  });
});

describe('requests that cannot be sent', () => {
  const lost: ConversationMessage = {
    role: 'assistant',
    blocks: [
      { blockType: 'text', textContent: 'Look.' },
      { blockType: 'image', mimeType: 'image/png', title: 'secret.png' },
    ],
  };

  it('is logged once a request, without content, however often it is sent', async () => {
    const logged: [string, object][] = [];
    const log = (...entry: [string, object]) => logged.push(entry);
    const { client } = await gemini([json(503, error(503, 'overloaded')), GOOD], { log });
    await client.generate(request([USER, lost, USER]), call());
    expect(logged.map(([message]) => message)).toEqual([
      'Gemini attempt failed',
      'Gemini could not be sent all of the conversation',
    ]);
    const notes = ['A block of type image (image/png) has neither data nor address.'];
    expect(logged[1]?.[1]).toEqual({ notes });
  });
});

describe('a conversation whose stored parts cannot be read', () => {
  it('is a damaged document, and nothing is sent', async () => {
    const { client, asked } = await gemini([GOOD]);
    const replay = { provider: 'google', model: 'gemini-3.8-flash', data: '[{"text":' };
    const history = [USER, { role: 'assistant', blocks: [], replay } satisfies ConversationMessage];
    const thrown = await failure(client.generate(request(history), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({ code: 'DOCUMENT_INVALID' });
    expect(asked).toHaveLength(0);
  });
});

describe('a refused signature', () => {
  const refused = json(400, error(400, 'Corrupted thought signature.'));
  const parts = [{ functionCall: { name: 'k8s__logs', args: {} }, thoughtSignature: 'old' }];
  const replay = writeReplay('gemini-3.8-flash', parts);
  const history = [USER, { role: 'assistant', blocks: [], replay } satisfies ConversationMessage];

  it('is repaired once, at once', async () => {
    const { client, asked, waits } = await gemini([refused, GOOD]);
    const { report, ...rest } = call();
    await client.generate(request(history), { ...rest, report });
    expect(report).toMatchObject({ attempts: 2, repairedSignatures: true });
    expect(asked.map((one) => one.body.contents[1]?.parts[0]?.thoughtSignature)).toEqual([
      'old',
      DUMMY_SIGNATURE,
    ]);
    expect(waits).toEqual([]);
  });

  it('of messages marked as refused is not sent', async () => {
    const { client, asked } = await gemini([GOOD]);
    const { report, ...rest } = call();
    const marked = history.map((message) => ({ ...message, signaturesRefused: true as const }));
    await client.generate(request(marked), { ...rest, report });
    expect(asked[0]?.body.contents[1]?.parts[0]?.thoughtSignature).toBe(DUMMY_SIGNATURE);
    expect(report).not.toHaveProperty('repairedSignatures');
  });

  it('that stays refused is terminal', async () => {
    const { client, asked } = await gemini([refused]);
    expect(await failure(client.generate(request(history), call()))).toMatchObject({
      code: 'MODEL_BAD_REQUEST',
    });
    expect(asked).toHaveLength(2);
  });
});

describe('an answer that is empty with signatures in the history', () => {
  const parts = [{ functionCall: { name: 'k8s__logs', args: {} }, thoughtSignature: 'own' }];
  const history = [USER, { role: 'assistant', blocks: [], replay: writeReplay('gemini-3.5-flash', parts) }];
  const sent = (asked: Asked[]) => asked.map(({ body }) => body.contents[1]?.parts[0]?.thoughtSignature);

  it('is asked for a third time without them', async () => {
    const empty = stream(ended('STOP', [{}]));
    const { client, asked } = await gemini([empty, empty, GOOD]);
    const made = call();
    const answer = await client.generate(request(history as ConversationMessage[], 'gemini-3.5-flash'), made);
    expect(answer.text).toBe('Because.');
    expect(sent(asked)).toEqual(['own', 'own', DUMMY_SIGNATURE]);
    expect(made.report).toMatchObject({ attempts: 3, repairedSignatures: true });
  });

  it('is asked for as before where the history has none', async () => {
    const { client, asked } = await gemini([stream(ended('STOP'))]);
    const made = call();
    expect(await failure(client.generate(request(), made))).toMatchObject({ code: 'MODEL_EMPTY_ANSWER' });
    expect(asked).toHaveLength(3);
    expect(made.report).not.toHaveProperty('repairedSignatures');
  });
});

describe('an answer that is longer than one request allows', () => {
  const usage = (output: number) => ({
    promptTokenCount: 10,
    candidatesTokenCount: output,
    totalTokenCount: 10 + output,
  });
  const piece = (text: string, continuationToken: string): Reply =>
    stream(
      sse([
        {
          candidates: [{ content: { parts: [{ text }] }, finishReason: 'CONTINUATION', continuationToken }],
          usageMetadata: usage(2),
        },
      ]),
    );
  const last = stream(
    sse([
      {
        candidates: [{ content: { parts: [{ text: ' here.' }] }, finishReason: 'STOP' }],
        usageMetadata: usage(1),
      },
    ]),
  );
  const tokens = (asked: Asked[]) => asked.map(({ body }) => body.continuationToken);

  it('is continued with the token of each piece, and counts the tokens of all', async () => {
    const { client, asked } = await gemini([piece('The disk', 't1'), piece(' is full', 't2'), last]);
    const made = call();
    const answer = await client.generate(request(), made);
    expect(answer).toMatchObject({
      text: 'The disk is full here.',
      truncated: false,
      finishReason: 'STOP',
      usage: { input: 30, output: 5, total: 35 },
    });
    expect(tokens(asked)).toEqual([undefined, 't1', 't2']);
    expect(asked.map(({ body }) => body.contents)).toEqual(Array(3).fill(asked[0]?.body.contents));
    expect(made.report).toMatchObject({ attempts: 1, usage: { total: 35 }, finishReason: 'STOP' });
  });

  it('has eight further pieces at most; then it is truncated', async () => {
    const { client, asked } = await gemini([piece('x', 'more')]);
    const answer = await client.generate(request(), call());
    expect(asked).toHaveLength(9);
    expect(answer).toMatchObject({ text: 'xxxxxxxxx', truncated: true, usage: { total: 9 * 12 } });
  });

  it('is truncated where the budget has no room for a piece, and where it has no token', async () => {
    const { client, asked } = await gemini([piece('The disk', 't1'), last]);
    const seen: unknown[] = [];
    const made = call();
    const mayRepeat = async () => {
      seen.push(made.report.usage?.total);
      return false;
    };
    const answer = await client.generate(request(), { ...made, mayRepeat });
    expect(answer).toMatchObject({ text: 'The disk', truncated: true, usage: { total: 12 } });
    expect([asked.length, seen]).toEqual([1, [12]]);
    const without = await gemini([stream(ended('CONTINUATION', [{ text: 'The disk' }]))]);
    expect(await without.client.generate(request(), call())).toMatchObject({ truncated: true });
  });

  it('is asked for again from the start after a failure of a piece', async () => {
    const { client, asked } = await gemini([piece('The disk', 't1'), json(503, error(503, 'Later.')), last]);
    const answer = await client.generate(request(), call());
    expect(answer.text).toBe(' here.');
    expect(tokens(asked)).toEqual([undefined, 't1', undefined]);
  });
});

describe('the text of the model while it streams', () => {
  const heard = () => {
    const said: Progress[] = [];
    return { said, onProgress: (progress: Progress) => void said.push(progress) };
  };

  it.each(Object.entries(STREAMS))(
    'is streamed as it comes, and changes nothing of the answer: %s',
    async (_, chunks) => {
      const { client } = await gemini([stream(sse(chunks))]);
      const { said, onProgress } = heard();
      const tools = ['k8s.logs', 'k8s.events', 'k8s.apply'].map((name) => ({
        name,
        description: 'Does it',
        inputSchema: {},
        readOnly: true,
      }));
      const asked = { ...request(), tools };
      const told = await client.generate(asked, call({ onProgress }));
      expect(told).toEqual(await client.generate(asked, call()));
      const joined = (kind: 'text' | 'thinking') =>
        said.map((one) => (one.kind === kind ? one.delta : '')).join('');
      expect([joined('text'), joined('thinking')]).toEqual([told.text, told.thinking]);
      expect(said[0]).toEqual({ kind: 'attempt' });
    },
  );

  it('starts again with each attempt', async () => {
    const cut: Reply = (response) => {
      response.writeHead(200).write(sse([STREAMS.signedTextFirst[0]]), () => response.destroy());
    };
    const { client } = await gemini([cut, GOOD]);
    const { said, onProgress } = heard();
    await client.generate(request(), call({ onProgress }));
    expect(said).toEqual([
      { kind: 'attempt' },
      { kind: 'text', delta: 'Step one.' },
      { kind: 'attempt' },
      { kind: 'text', delta: 'Because.' },
    ]);
  });
});

describe('an abort', () => {
  const reason = new RetryableError('ITERATION_TIMEOUT', 'The iteration took too long.');

  it.each([
    ['before the headers', () => {}],
    [
      'in the middle of the stream',
      (response: ServerResponse) => {
        response.writeHead(200).write(sse([STREAMS.signedTextFirst[0]]));
      },
    ],
  ])('%s of a model that hangs throws its reason and closes the connection', async (_, hang) => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { client, asked } = await gemini([
      (response) => {
        response.on('close', () => closed.resolve());
        hang(response);
        setImmediate(() => controller.abort(reason));
      },
    ]);
    expect(await failure(client.generate(request(), call({ signal: controller.signal })))).toBe(reason);
    await closed.promise;
    expect(asked).toHaveLength(1);
  });

  it('while waiting throws its reason', async () => {
    const controller = new AbortController();
    const { promise: never } = Promise.withResolvers<void>();
    const sleep = (_: number, signal: AbortSignal) => {
      const aborted = new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      });
      controller.abort(reason);
      return Promise.race([never, aborted]);
    };
    const { client, asked } = await gemini([json(503, error(503, 'overloaded'))], { sleep });
    expect(await failure(client.generate(request(), call({ signal: controller.signal })))).toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it('that came before makes no request', async () => {
    const { client, asked } = await gemini([GOOD]);
    expect(await failure(client.generate(request(), call({ signal: AbortSignal.abort(reason) })))).toBe(
      reason,
    );
    expect(asked).toHaveLength(0);
  });
});
