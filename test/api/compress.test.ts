// Compressed responses over a socket: JSON, streams of events, and readers that leave.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startApiBench } from '../support/apiBench.ts';
import { serveApi } from '../support/serveApi.ts';

const script = { conversations: Array(4).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

function request(url: string, accepted: string, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { method, headers: { 'accept-encoding': accepted } }, resolve).on('error', reject);
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function start() {
  const api = await startApiBench({ script });
  return { api, ...(await serveApi(api)) };
}

describe('a compressed response', () => {
  it('has the same JSON in less than half of the bytes', async () => {
    const { api, url } = await start();
    const address = `${url}/v1/sessions/${await api.investigate()}`;
    const plain = await bytesOf(await request(address, ''));
    const shape = (body: Buffer) => ({ ...JSON.parse(body.toString()), now: null });
    for (const [accepted, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const message = await request(address, accepted);
      expect(message.headers['content-encoding']).toBe(accepted);
      expect(message.headers.vary).toBe('Accept-Encoding');
      const body = await bytesOf(message);
      expect(body.length).toBeLessThan(plain.length / 2);
      expect(shape(decode(body))).toEqual(shape(plain));
    }
  });

  it('is not sent for short answers, to HEAD, or to clients that accept none', async () => {
    const { api, url } = await start();
    const address = `${url}/v1/sessions/${await api.investigate()}`;
    const codings = await Promise.all([
      request(`${url}/v1/me`, 'br'),
      request(address, 'br', 'HEAD'),
      request(address, 'deflate'),
      request(`${url}/v1/nothing`, 'br'),
    ]);
    expect(codings.map(({ headers }) => headers['content-encoding'])).toEqual(Array(4).fill(undefined));
    for (const message of codings) message.resume();
  });

  it.each([
    ['gzip', createGunzip],
    ['br', createBrotliDecompress],
  ] as const)('sends each event of a stream at once, in %s', async (coding, createDecoder) => {
    const { api, url } = await start();
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const message = await request(`${url}/v1/sessions/${sessionId}/events`, coding);
    expect(message.headers['content-encoding']).toBe(coding);
    const decoded = message.pipe(createDecoder());
    let text = '';
    decoded.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    await expect.poll(() => text).toContain('event: session');
    expect(text).not.toContain('event: end');
    await api.drain();
    await once(decoded, 'end');
    expect(text).toContain('event: end');
    expect(text).toContain('The disk is full of logs.');
  });

  it('ends the watches of a reader that leaves', async () => {
    const { api, url } = await start();
    const { store } = api.deps;
    let watches = 0;
    const watch = store.watch.bind(store);
    store.watch = (...args) => {
      watches += 1;
      const stop = watch(...(args as Parameters<typeof watch>));
      return () => {
        watches -= 1;
        stop();
      };
    };
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const message = await request(`${url}/v1/sessions/${sessionId}/events`, 'gzip');
    await once(message, 'data');
    expect(watches).toBeGreaterThan(0);
    message.destroy();
    await expect.poll(() => watches).toBe(0);
  });
});
