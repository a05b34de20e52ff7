import { describe, expect, it } from 'vitest';
import { wholeFrames } from './sseFrames.ts';
import { STREAMS, sse } from './streams.fixture.ts';

/** A response whose body arrives in the given pieces. */
function arriving(...pieces: (string | Uint8Array)[]): Response {
  return new Response(
    ReadableStream.from(pieces.map((one) => (typeof one === 'string' ? Buffer.from(one) : one))),
  );
}
async function chunks(response: Response): Promise<string[]> {
  const result: string[] = [];
  for await (const chunk of response.body ?? []) result.push(Buffer.from(chunk).toString());
  return result;
}

describe('wholeFrames', () => {
  it.each(['\n\n', '\r\r', '\r\n\r\n'])('cuts behind %j', async (end) => {
    expect(await chunks(wholeFrames(arriving(`data: 1${end}data: 2${end}`)))).toEqual([
      `data: 1${end}`,
      `data: 2${end}`,
    ]);
  });

  it.each([
    [
      'characters of several bytes and an error',
      'data: {"a":"ü🔥"}\r\n\r\ndata: {}\r\n\r\n{\n  "error": {}\n}\n',
    ],
    ...Object.entries(STREAMS).map(([name, all]): [string, string] => [name, sse(all)]),
  ])('gives the same frames wherever the network cut the stream: %s', async (_, text) => {
    const bytes = Buffer.from(text);
    const whole = await chunks(wholeFrames(arriving(bytes)));
    expect(whole.length).toBe(text.trimEnd().split('\r\n\r\n').length);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const frames = await chunks(wholeFrames(arriving(bytes.subarray(0, cut), bytes.subarray(cut))));
      if (frames.join('|') !== whole.join('|')) expect(frames, `cut at ${cut}`).toEqual(whole);
    }
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await chunks(wholeFrames(arriving(...single)))).toEqual(whole);
  });

  it('ends a last event that lacks its blank line', async () => {
    expect(await chunks(wholeFrames(arriving('data: {}\n')))).toEqual(['data: {}\n\n\n']);
  });

  it('reports every frame', async () => {
    const seen: string[] = [];
    await chunks(wholeFrames(arriving('data: ä\n\n', 'rest'), (frame) => seen.push(frame)));
    expect(seen).toEqual(['data: ä\n\n', 'rest']);
  });

  it('leaves error responses unchanged', () => {
    const response = new Response('{}', { status: 503 });
    expect(wholeFrames(response)).toBe(response);
  });
});
