import { describe, expect, it } from 'vitest';
import { wholeFrames } from './sseFrames.ts';

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

  it('gives the same frames wherever the network cut the stream', async () => {
    const bytes = Buffer.from('data: {"a":"ü🔥"}\r\n\r\ndata: {}\r\n\r\n{\n  "error": {}\n}\n');
    const whole = await chunks(wholeFrames(arriving(bytes)));
    expect(whole).toHaveLength(3);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(await chunks(wholeFrames(arriving(bytes.subarray(0, cut), bytes.subarray(cut))))).toEqual(whole);
    }
    expect(await chunks(wholeFrames(arriving(...[...bytes].map((byte) => Uint8Array.of(byte)))))).toEqual(
      whole,
    );
  });

  it('ends a last event that lacks its blank line', async () => {
    expect(await chunks(wholeFrames(arriving('data: {}\n')))).toEqual(['data: {}\n\n\n']);
  });

  it('tells of every frame', async () => {
    const seen: string[] = [];
    await chunks(wholeFrames(arriving('data: ä\n\n', 'rest'), (frame) => seen.push(frame)));
    expect(seen).toEqual(['data: ä\n\n', 'rest']);
  });

  it('leaves error responses alone', () => {
    const response = new Response('{}', { status: 503 });
    expect(wholeFrames(response)).toBe(response);
  });
});
