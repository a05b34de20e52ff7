import { describe, expect, it } from 'vitest';
import type { Script } from './script.ts';
import { MODEL, refusal, serve, textOf } from './serve.fixture.ts';

type Turn = Script['conversations'][number]['turns'][number];
const text = 'the container was killed because it ran out of memory. '.repeat(6);
const script = (turn: Turn): Script => ({ conversations: [{ turns: [{ text, ...turn }] }] });
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('a scripted failure', () => {
  it('fails once, then the turn answers', async () => {
    const { gemini, stream } = await serve(script({ failures: [{ status: 503 }, { empty: true }] }));
    expect((await refusal(stream())).status).toBe(503);
    expect(await stream()).toEqual([]);
    expect(textOf(await stream())).toBe(text);
    expect(gemini.requests.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'failed', failure: 'status' },
      { kind: 'failed', failure: 'empty' },
      { kind: 'answered' },
    ]);
  });

  it('repeats for ever when the turn has nothing else', async () => {
    const { stream } = await serve({ conversations: [{ turns: [{ failures: [{ status: 503 }] }] }] });
    await refusal(stream());
    await refusal(stream());
    expect((await refusal(stream())).status).toBe(503);
  });

  it('of status 429 brings RetryInfo and the quota', async () => {
    const { stream } = await serve(
      script({ failures: [{ status: 429, retryDelay: '2s', quotaId: 'RequestsPerDay' }] }),
    );
    expect(await refusal(stream())).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          details: [{ violations: [{ quotaId: 'RequestsPerDay' }] }, { retryDelay: '2s' }],
        },
      },
    });
  });

  it('of status 400 can have a message and an array body', async () => {
    const { stream } = await serve(
      script({ failures: [{ status: 400, message: 'too long', asArray: true }] }),
    );
    expect(await refusal(stream())).toEqual({
      status: 400,
      body: [{ error: { code: 400, message: 'too long', status: 'INVALID_ARGUMENT' } }],
    });
  });

  it('cuts the socket after some chunks', async () => {
    const { client, gemini } = await serve(script({ failures: [{ cut: true, afterChunks: 2 }] }));
    let received = 0;
    const read = async () => {
      for await (const _ of await client.models.generateContentStream({
        model: MODEL,
        contents: 'hi',
      })) {
        received += 1;
      }
    };
    expect(await errorOf(read())).toMatchObject({ message: 'terminated' });
    expect(received).toBe(2);
    expect(gemini.requests[0]?.outcome).toMatchObject({ kind: 'failed', failure: 'cut' });
  });

  it('cuts the socket in the middle of a frame', async () => {
    const { post } = await serve(script({ failures: [{ cut: true, midFrame: true }] }));
    const response = await post({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
    const received: string[] = [];
    const read = async () => {
      for await (const piece of response.body ?? []) received.push(Buffer.from(piece).toString());
    };
    expect(await errorOf(read())).toMatchObject({ message: 'terminated' });
    expect(received.join('')).toMatch(/\r\n\r\ndata: \{.*[^\n]$/);
  });

  it('cuts the one body of generateContent', async () => {
    const { client } = await serve(script({ failures: [{ cut: true }] }));
    const call = client.models.generateContent({ model: MODEL, contents: 'hi' });
    expect(await errorOf(call)).toBeInstanceOf(Error);
  });

  it.each([0, 1])('hangs after %i chunks until the client goes', async (afterChunks) => {
    const { gemini, stream } = await serve(script({ failures: [{ hang: true, afterChunks }] }));
    const client = new AbortController();
    const call = errorOf(stream({ config: { abortSignal: client.signal } }));
    await expect.poll(() => gemini.requests[0]?.outcome).toMatchObject({ kind: 'failed', failure: 'hang' });
    client.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
  });

  it('brings an error frame in mid-stream', async () => {
    const midStreamError = { code: 503, status: 'UNAVAILABLE', message: 'overloaded' };
    const { stream } = await serve(script({ failures: [{ midStreamError, afterChunks: 2 }] }));
    expect(await errorOf(stream())).toMatchObject({
      status: 503,
      message: expect.stringContaining('overloaded'),
    });
  });

  it('brings an error in mid-stream as bare JSON over many lines', async () => {
    const midStreamError = { code: 499, status: 'CANCELLED', message: 'cancelled', bare: true };
    const { post } = await serve(script({ failures: [{ midStreamError }] }));
    const body = await (await post({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })).text();
    const [frame, bare = ''] = body.split('\r\n\r\n');
    expect(frame).toMatch(/^data: /);
    expect(bare).toMatch(/^\{\n {2}"error"/);
    expect(JSON.parse(bare)).toEqual({ error: { code: 499, status: 'CANCELLED', message: 'cancelled' } });
  });

  it('blocks the prompt', async () => {
    const { stream } = await serve(script({ failures: [{ blockReason: 'SAFETY' }] }));
    const [chunk, ...others] = await stream();
    expect(chunk?.promptFeedback).toEqual({ blockReason: 'SAFETY' });
    expect(chunk?.candidates).toBeUndefined();
    expect(others).toEqual([]);
  });

  it('does not hold up stop()', async () => {
    const { gemini, stream } = await serve(script({ failures: [{ hang: true, afterChunks: 1 }] }));
    const call = errorOf(stream());
    await expect.poll(() => gemini.requests[0]?.outcome.kind).toBe('failed');
    await gemini.stop();
    expect(await call).toBeInstanceOf(Error);
  });
});

it('a client that goes in mid-answer is recorded as such', async () => {
  const { gemini, client } = await serve(script({ delayMs: 3_600_000 }));
  const gone = new AbortController();
  const ask = { model: MODEL, contents: 'hi', config: { abortSignal: gone.signal } };
  const read = async () => {
    for await (const _ of await client.models.generateContentStream(ask)) gone.abort();
  };
  expect(await errorOf(read())).toMatchObject({ name: 'AbortError' });
  await expect.poll(() => gemini.requests[0]?.outcome.kind).toBe('abandoned');
});
