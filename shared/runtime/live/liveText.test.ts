import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sampleControl, sampleExecution } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { create, put, type Store } from '../../contract/store.ts';
import { createLogger } from '../../log.ts';
import { createMasker, type Masker } from '../../masking/masker.ts';
import { controlType, liveTextType, paths } from '../../schema/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { createLiveWriter } from './liveText.ts';

const execution = sampleExecution();
const { sessionId, executionId } = execution;
const PATH = paths.live(sessionId, executionId);
const WORDS = 'The pods of checkout restart since the new version was rolled out; memory is what they lack. ';
const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';

/** A writer on a store in memory, and what it has done to the store. */
function start({
  watchedMs = 45_000,
  isTakeover = false,
  mask,
  ...change
}: Partial<Store> & StartOptions = {}) {
  const clock = createTestClock();
  const memory = createMemoryStore(clock.now);
  const calls: string[] = [];
  const store: Store = {
    ...memory,
    get: (path, type) => {
      calls.push(`get ${path}`);
      return memory.get(path, type);
    },
    commit: (writes) => {
      calls.push(...writes.map(({ op }) => op));
      return memory.commit(writes);
    },
    ...change,
  };
  const lost = new AbortController();
  const masker = createMasker({ known: [SECRET], sessionKey: 'a' });
  const live = createLiveWriter(
    {
      held: { current: () => execution, signal: lost.signal },
      masker: { ...masker, mask: mask ?? masker.mask },
      verbatim: true,
      watchedUntil: watchedMs === 0 ? null : new Date(clock.now().getTime() + watchedMs),
      isTakeover,
    },
    { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) },
  );
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  };
  const say = async (delta: string, kind: 'text' | 'thinking' = 'text') => {
    live.onProgress?.({ kind, delta });
    await settle();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  const read = async () => (await memory.get(PATH, liveTextType))?.value;
  const end = () => memory.commit(live.deletion());
  return { live, memory, clock, calls, lost, say, pass, read, end, settle };
}

interface StartOptions {
  /** For how long the session is watched; 0 for not at all. */
  watchedMs?: number;
  isTakeover?: boolean;
  mask?: Masker['mask'];
}

describe('what a model says in a session that is not watched', () => {
  it.each([0, -1])('is not listened to, and costs nothing (%d ms)', async (watchedMs) => {
    const { live, calls, memory } = start({ watchedMs });
    expect(live.onProgress).toBeUndefined();
    expect(live.deletion()).toEqual([]);
    live.stop();
    live.confirmDeletion();
    await live.close();
    expect(calls).toEqual([]);
    expect(memory.documents()).toEqual([]);
  });
});

describe('what a model says in a session that is watched', () => {
  it('is there before it has ended, thoughts and text, and is replaced as it grows', async () => {
    const { say, pass, read, clock } = start();
    await say(WORDS.repeat(3), 'thinking');
    const first = await read();
    expect(first).toMatchObject({ sessionId, executionId, iteration: execution.iteration, verbatim: true });
    expect(first).toMatchObject({ text: '', textStart: 0, thinkingStart: 0 });
    expect(WORDS.repeat(3)).toContain(first?.thinking);
    expect(first?.freshUntil.getTime()).toBeGreaterThan(clock.now().getTime());
    expect(first?.expireAt).toEqual(execution.expireAt);
    await pass(500);
    await say(WORDS.repeat(4));
    const second = await read();
    expect(second?.thinking).toBe(first?.thinking);
    expect(second?.text.length).toBeGreaterThan(WORDS.length);
  });

  it('is written twice a second at most, and not when nothing of it has changed', async () => {
    const { say, pass, calls } = start();
    for (let ms = 0; ms < 2_000; ms += 20) {
      await say(WORDS);
      await pass(20);
    }
    expect(calls.length).toBeGreaterThanOrEqual(4);
    expect(calls.length).toBeLessThanOrEqual(5);
    const before = calls.length;
    await pass(2_000);
    expect(calls.length - before).toBeLessThanOrEqual(1);
  });

  it('is not written before there is something to show', async () => {
    const { say, pass, calls, live } = start();
    await say('Short.');
    await pass(5_000);
    expect(calls).toEqual([]);
    expect(live.deletion()).toEqual([]);
  });

  it('is renewed while the model is silent', async () => {
    const { say, pass, read, clock } = start();
    await say(WORDS.repeat(4));
    for (let seconds = 0; seconds < 40; seconds++) {
      await pass(1_000);
      expect((await read())?.freshUntil.getTime()).toBeGreaterThan(clock.now().getTime());
    }
  });

  it('begins anew with another attempt', async () => {
    const { live, say, pass, read } = start();
    await say(WORDS.repeat(4));
    expect((await read())?.text).not.toBe('');
    live.onProgress?.({ kind: 'attempt' });
    await pass(500);
    expect(await read()).toMatchObject({ text: '', thinking: '' });
  });

  it('is shown by its last 20 kB, cut between characters', async () => {
    const { say, read } = start();
    const text = `Größe 🔥 ${WORDS}`.repeat(400);
    await say(text);
    const { text: shown = '', textStart = 0 } = (await read()) ?? {};
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(20_000);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(19_900);
    expect(shown.isWellFormed()).toBe(true);
    expect(text.slice(textStart, textStart + shown.length)).toBe(shown);
  });

  it('never holds a secret, whole or in part, however it comes in pieces', async () => {
    const whole = `${WORDS.repeat(3)}They call it ${SECRET} here. ${WORDS.repeat(6)}`;
    for (const size of [1, 3, 7, 40]) {
      const { say, pass, read } = start({ watchedMs: 1e9 });
      for (let at = 0; at < whole.length; at += size) {
        await say(whole.slice(at, at + size));
        if (at % 5 === 0) await pass(500);
        expect(JSON.stringify(await read()) ?? '').not.toContain(SECRET.slice(0, 4));
      }
      await pass(500);
      expect((await read())?.text).toMatch(/They call it \[masked:known#\w+\] here/);
    }
  });

  it('says nothing more of an endless answer', async () => {
    const { say, pass, calls } = start();
    await say(WORDS.repeat(4));
    await say('x'.repeat(200_000));
    await pass(500);
    const before = calls.length;
    await say(WORDS);
    await pass(20_000);
    expect(calls).toHaveLength(before);
  });
});

describe('the end of what is said', () => {
  it('is deleted by the commit of the answer', async () => {
    const { live, say, end, read, calls } = start();
    await say(WORDS.repeat(4));
    live.stop();
    await end();
    live.confirmDeletion();
    await live.close();
    expect(await read()).toBeUndefined();
    expect(calls).toEqual(['put']);
  });

  it('is deleted by its writer when no commit has done it', async () => {
    const { live, say, read, calls } = start();
    await say(WORDS.repeat(4));
    await live.close();
    expect(await read()).toBeUndefined();
    expect(calls).toEqual(['put', 'delete']);
  });

  it('is deleted once more when a write was under way meanwhile', async () => {
    const memory = createMemoryStore();
    const late = Promise.withResolvers<void>();
    const commit: Store['commit'] = async (writes) => {
      if (writes.some(({ op }) => op === 'put')) await late.promise;
      return memory.commit(writes);
    };
    const { live, say } = start({ commit });
    await say(WORDS.repeat(4));
    live.stop();
    await memory.commit(live.deletion());
    live.confirmDeletion();
    late.resolve();
    await live.close();
    expect(memory.documents()).toEqual([]);
  });

  it('deletes what a holder before has left, also when nothing is said', () => {
    const { live } = start({ isTakeover: true });
    expect(live.deletion()).toMatchObject([{ op: 'delete', path: PATH }]);
  });

  it('waits for a store that hangs for 5 s at most', async () => {
    const { live, say, pass } = start({ commit: () => new Promise(() => {}) });
    await say(WORDS.repeat(4));
    const closed = live.close();
    await pass(5_000);
    await closed;
  });
});

describe('a writer', () => {
  it('shows nothing more of what cannot be masked, and throws nothing', async () => {
    let tries = 0;
    const { live, say, pass, calls } = start({
      mask: () => {
        tries++;
        throw new RangeError('out of memory');
      },
    });
    await say(WORDS.repeat(4));
    await pass(10_000);
    await say(WORDS.repeat(4));
    expect([tries, calls]).toEqual([1, []]);
    await live.close();
  });

  it('is hurt by no failure of the store, and tries again later', async () => {
    const memory = createMemoryStore();
    let failures = 0;
    const { live, say, pass } = start({
      commit: (writes) => (failures++ < 1 ? Promise.reject(new Error('down')) : memory.commit(writes)),
    });
    await say(WORDS.repeat(4));
    expect(failures).toBe(1);
    await pass(1_000);
    expect(failures).toBe(1);
    await pass(10_000);
    expect(await memory.get(PATH, liveTextType)).toBeDefined();
    await live.close();
  });

  it('takes the place of what a holder before it has written, or writes still', async () => {
    const { say, pass, read, memory } = start();
    await say(WORDS.repeat(4));
    const own = await read();
    if (own === undefined) throw new Error('nothing was written');
    await memory.commit([put(PATH, liveTextType, { ...own, text: 'of another' })]);
    await say(WORDS);
    await pass(500);
    expect((await read())?.text).toBe('of another');
    await pass(500);
    expect((await read())?.text).toContain(WORDS);
  });

  it('has one write under way at a time', async () => {
    let writes = 0;
    const { say, pass } = start({
      commit: () => {
        writes++;
        return new Promise(() => {});
      },
    });
    await say(WORDS.repeat(4));
    await pass(500);
    await say(WORDS.repeat(4));
    expect(writes).toBe(1);
  });

  it.each(['was never renewed', 'has ended'])('stops when the watch %s, having looked once', async (how) => {
    const { say, pass, calls, memory, clock } = start({ watchedMs: 1_000 });
    const watchedUntil = new Date(clock.now().getTime() + 1_000);
    const write = create(paths.control(sessionId), controlType, sampleControl({ watchedUntil }));
    if (how === 'has ended') await memory.commit([write]);
    await say(WORDS.repeat(4));
    await pass(1_000);
    const control = `get ${paths.control(sessionId)}`;
    expect(calls).toEqual(['put', control]);
    await say(WORDS.repeat(4));
    await pass(20_000);
    expect(calls).toEqual(['put', control]);
  });

  it('goes on as long as the watch is renewed', async () => {
    const { say, pass, memory, clock, read } = start({ watchedMs: 1_000 });
    const watchedUntil = new Date(clock.now().getTime() + 60_000);
    await memory.commit([create(paths.control(sessionId), controlType, sampleControl({ watchedUntil }))]);
    await say(WORDS.repeat(4));
    const before = (await read())?.text ?? '';
    await pass(1_000);
    await say(WORDS.repeat(4));
    await pass(500);
    expect((await read())?.text.length).toBeGreaterThan(before.length);
  });

  it('writes nothing for an execution that it has lost', async () => {
    const { say, lost, calls } = start();
    lost.abort();
    await say(WORDS.repeat(4));
    expect(calls).toEqual([]);
  });
});
