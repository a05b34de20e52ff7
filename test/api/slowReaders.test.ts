// Streams over a socket: readers that stop reading for a while, and connections that are cut anywhere.

import { get, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocument, replaceDocument } from '../../shared/core/contract/store.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { randomRuns } from '../support/fullTests.ts';
import { sampleEvent, sampleSession } from '../support/samples.ts';
import { serveApi } from '../support/serveApi.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

interface Sent {
  event: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests name what they expect
  data: any;
}

/** Of a stream: its session, its timeline, and what is said live. */
const WATCHES = 3;

/** A running session, an API with a socket, and the number of watches for its readers. */
async function start() {
  const api = await startApiBench({ script });
  const { store } = api.deps;
  let watches = 0;
  const watch = store.watch.bind(store);
  store.watch = (...args) => {
    watches += 1;
    const stop = watch(...(args as Parameters<typeof watch>));
    let isOver = false;
    return () => {
      if (!isOver) watches -= 1;
      isOver = true;
      stop();
    };
  };
  const session = sampleSession({ openStage: null });
  const { sessionId } = session;
  await store.commit([createDocument(paths.session(sessionId), sessionType, session)]);
  const { url } = await serveApi(api);
  let last = 0;
  return {
    watches: () => watches,
    last: () => last,
    /** Adds events with contents of so many bytes. */
    async add(count: number, bytes: number): Promise<void> {
      const perCommit = Math.max(1, Math.min(300, Math.floor(2_000_000 / bytes)));
      for (let left = count; left > 0; left -= perCommit) {
        const writes = Array.from({ length: Math.min(left, perCommit) }, () => {
          last += 1;
          const event = sampleEvent('llm_response', {
            sessionId,
            sequenceNumber: last,
            content: 'x'.repeat(bytes),
          });
          return createDocument(paths.event(sessionId, event.executionId, last), timelineEventType, event);
        });
        expect(await store.commit(writes)).toMatchObject({ ok: true });
      }
    },
    async end(): Promise<void> {
      const stored = await store.get(paths.session(sessionId), sessionType);
      if (stored === undefined) throw new Error('the session is gone');
      const ended = { ...stored.value, status: 'completed' as const, endedAt: new Date() };
      await store.commit([replaceDocument(stored.path, sessionType, ended, stored.version)]);
    },
    /** Opens the stream; nothing of it is read yet. */
    open(lastId = ''): Promise<IncomingMessage> {
      const headers = lastId === '' ? {} : { 'last-event-id': lastId };
      return new Promise((resolve, reject) => {
        get(`${url}/v1/sessions/${sessionId}/events`, { headers }, resolve).on('error', reject);
      });
    },
  };
}

/** Reads a stream to its end or a number of bytes, then cuts; partial data is lost. */
async function read(response: IncomingMessage, bytes = Number.POSITIVE_INFINITY): Promise<Sent[]> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response) {
      pieces.push((piece as Buffer).subarray(0, bytes - length));
      length += (piece as Buffer).length;
      if (length >= bytes) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
  const blocks = Buffer.concat(pieces).toString('utf8').split('\n\n').slice(0, -1);
  return blocks.map((block) => {
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    return {
      event: fields.event,
      id: fields.id,
      data: JSON.parse(fields.data),
    };
  });
}

const numbersOf = (sent: Sent[]): number[] =>
  sent.filter(({ event }) => event === 'timeline').map(({ data }) => data.sequenceNumber);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const lastIdOf = (sent: Sent[]): string => sent.findLast(({ id }) => id !== undefined)?.id ?? '';

describe('a reader that reads nothing for a while', () => {
  it('gets every event once when it reads again', async () => {
    const session = await start();
    await session.add(10, 100);
    const response = await session.open();
    await session.add(800, 20_000);
    await session.end();
    const sent = await read(response);
    expect(numbersOf(sent)).toEqual(upTo(session.last()));
    expect(sent.at(-1)?.event).toBe('end');
    await expect.poll(session.watches).toBe(0);
  });

  it('and is 5,000 events behind is released, nothing is kept for it, and it continues where it was', async () => {
    const session = await start();
    await session.add(1, 100);
    const response = await session.open();
    await expect.poll(session.watches).toBe(WATCHES);
    // More than all buffers on the way hold, so that the server has to wait for the reader.
    await session.add(200, 90_000);
    await session.add(5_300, 10);
    await expect.poll(session.watches).toBe(0);
    await session.end();
    const first = await read(response);
    expect(first.at(-1)).toMatchObject({
      event: 'error',
      data: { detail: expect.stringContaining('too far behind') },
    });
    expect(first.some(({ event }) => event === 'end')).toBe(false);
    const second = await read(await session.open(lastIdOf(first)));
    expect(numbersOf([...first, ...second])).toEqual(upTo(session.last()));
    expect(second.at(-1)?.event).toBe('end');
  });

  it('is not taken for one that is behind where a long session had ended before it came', async () => {
    const session = await start();
    await session.add(5_600, 10);
    await session.end();
    const sent = await read(await session.open());
    expect(sent.at(-1)?.event).toBe('end');
    expect(numbersOf(sent)).toEqual(upTo(session.last()));
  });

  it('and goes away leaves nothing behind', async () => {
    const session = await start();
    const responses = await Promise.all(Array.from({ length: 20 }, () => session.open()));
    await expect.poll(session.watches).toBe(20 * WATCHES);
    await session.add(50, 90_000);
    for (const response of responses) response.destroy();
    await expect.poll(session.watches).toBe(0);
  });
});

describe('a connection that is cut', () => {
  it('at any byte is resumed to the same events in the same order, none twice', async () => {
    const session = await start();
    await session.add(40, 150);
    await session.end();
    const cuts = fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (lengths) => {
        const sent: Sent[] = [];
        for (const length of [...lengths, Number.POSITIVE_INFINITY])
          sent.push(...(await read(await session.open(lastIdOf(sent)), length)));
        expect(numbersOf(sent)).toEqual(upTo(40));
        expect(sent.at(-1)?.event).toBe('end');
      }),
      { numRuns: randomRuns(40), endOnFailure: true },
    );
    await expect.poll(session.watches).toBe(0);
  });

  it('while the session continues loses nothing', async () => {
    const session = await start();
    const sent: Sent[] = [];
    const following = (async () => {
      for (let round = 0; sent.at(-1)?.event !== 'end'; round++)
        sent.push(...(await read(await session.open(lastIdOf(sent)), 500 + ((round * 7_919) % 5_000))));
    })();
    for (let round = 0; round < 30; round++) await session.add(5, 200);
    await session.end();
    await following;
    expect(numbersOf(sent).sort((a, b) => a - b)).toEqual(upTo(150));
  });
});
