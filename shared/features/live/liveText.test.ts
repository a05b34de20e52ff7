import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sampleControl, sampleExecution } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import type { Masker } from '../../core/contract/guard.ts';
import { createDocument, putDocument, type Store } from '../../core/contract/store.ts';
import { RENEW_EVERY_MS } from '../../core/kernel/execution/lease.ts';
import { controlType, liveTextType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMasker } from '../../masking/masker.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { LiveWriter } from './liveText.ts';

const execution = sampleExecution();
const { sessionId, executionId } = execution;
const PATH = paths.live(sessionId, executionId);
const CONTROL = paths.control(sessionId);
const LOOK = `get ${CONTROL}`;
const WORDS = 'The pods of checkout restart since the new version was rolled out; memory is what they lack. ';
const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';

/** A writer on a store in memory, and what it has done to the store. */
function start({
  watchedMs = 45_000,
  isTakeover = false,
  isAsked = true,
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
  const live = new LiveWriter(
    {
      held: {
        current: () => execution,
        signal: lost.signal,
        onRenewal: (listener) => void clock.every(RENEW_EVERY_MS, listener),
      },
      masker: { ...masker, mask: mask ?? masker.mask },
      verbatim: true,
      watchedUntil: watchedMs === 0 ? null : new Date(clock.now().getTime() + watchedMs),
      isTakeover,
    },
    { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) },
  );
  const take = isAsked ? live.listen() : undefined;
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  };
  const say = async (delta: string, kind: 'text' | 'thinking' = 'text') => {
    take?.({ kind, delta });
    await settle();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  const read = async () => (await memory.get(PATH, liveTextType))?.value;
  const end = () => memory.commit(live.deletion());
  /** A reader comes, for 45 s. */
  const watch = () => {
    const watchedUntil = new Date(clock.now().getTime() + 45_000);
    return memory.commit([putDocument(CONTROL, controlType, sampleControl({ watchedUntil }))]);
  };
  return { live, take, memory, clock, calls, lost, say, pass, read, end, settle, watch };
}

interface StartOptions {
  /** For how long the session is watched; 0 for not at all. */
  watchedMs?: number;
  isTakeover?: boolean;
  /** Whether the model is asked. */
  isAsked?: boolean;
  mask?: Masker['mask'];
}

describe('the text of a model in a session that is not watched', () => {
  it.each([0, -1])('costs nothing where it ends before the lease is renewed (%d ms)', async (watchedMs) => {
    const { live, say, pass, end, calls, memory } = start({ watchedMs, isTakeover: true });
    await say(WORDS.repeat(4));
    await pass(RENEW_EVERY_MS - 1);
    live.stop();
    expect(live.deletion()).toEqual([]);
    await end();
    live.confirmDeletion();
    await pass(60_000);
    await live.close();
    expect(calls).toEqual([]);
    expect(memory.documents()).toEqual([]);
  });

  it('costs a read with each renewal of the lease, and no write', async () => {
    const { live, say, pass, calls, memory } = start({ watchedMs: 0 });
    for (let second = 0; second < 21; second++) {
      await say(WORDS);
      await pass(1_000);
    }
    expect(calls).toEqual([LOOK, LOOK, LOOK, LOOK]);
    await live.close();
    expect(live.deletion()).toEqual([]);
    expect(memory.documents()).toEqual([]);
  });

  it('costs nothing before the model is asked, and after it has spoken', async () => {
    const before = start({ watchedMs: 0, isAsked: false });
    await before.pass(RENEW_EVERY_MS);
    expect(before.calls).toEqual([]);
    const after = start({ watchedMs: 0 });
    await after.say(WORDS.repeat(4));
    after.live.stop();
    await after.pass(RENEW_EVERY_MS);
    expect(after.calls).toEqual([]);
  });

  it('is shown so far to a reader who comes meanwhile, and grows for them', async () => {
    const { say, pass, read, watch, live, end, memory, clock } = start({ watchedMs: 0 });
    await say(WORDS.repeat(5), 'thinking');
    await say(WORDS.repeat(5));
    await pass(RENEW_EVERY_MS);
    await watch();
    await pass(RENEW_EVERY_MS - 1);
    expect(await read()).toBeUndefined();
    await pass(1);
    const first = await read();
    expect(first).toMatchObject({ textStart: 0, thinkingStart: 0, verbatim: true });
    for (const shown of [first?.thinking ?? '', first?.text ?? '']) {
      expect(WORDS.repeat(5).startsWith(shown)).toBe(true);
      expect(shown.length).toBeGreaterThan(2 * WORDS.length);
    }
    for (let half = 0; half < 80; half++) {
      await say(WORDS);
      await pass(500);
      expect((await read())?.freshUntil.getTime()).toBeGreaterThan(clock.now().getTime());
    }
    expect((await read())?.text.length).toBeGreaterThan(50 * WORDS.length);
    live.stop();
    await end();
    live.confirmDeletion();
    await live.close();
    expect(memory.documents().map(({ path }) => path)).toEqual([CONTROL]);
  });

  it('is that of the last attempt for who comes meanwhile', async () => {
    const { take, say, pass, read, watch } = start({ watchedMs: 0 });
    await say(`It is the disk. ${WORDS.repeat(4)}`);
    take?.({ kind: 'attempt' });
    await say(WORDS.repeat(4));
    await watch();
    await pass(RENEW_EVERY_MS);
    const text = (await read())?.text;
    expect(text).toContain(WORDS);
    expect(text).not.toContain('disk');
  });

  it('is masked from its first word on for who comes meanwhile', async () => {
    const { say, pass, read, watch } = start({ watchedMs: 0 });
    const whole = `They call it ${SECRET} here. ${WORDS.repeat(6)}`;
    for (const piece of whole.match(/.{1,7}/gs) ?? []) await say(piece);
    await watch();
    await pass(RENEW_EVERY_MS);
    expect((await read())?.text).toMatch(/^They call it \[masked:known#\w+\] here/);
  });

  it('is neither kept nor asked about where it is endless', async () => {
    const { say, pass, calls, watch } = start({ watchedMs: 0 });
    await say('x'.repeat(150_000), 'thinking');
    await say('x'.repeat(50_001));
    await watch();
    await say(WORDS.repeat(4));
    await pass(RENEW_EVERY_MS);
    expect(calls).toEqual([]);
  });

  it('is asked about once at a time, and again after a failure', async () => {
    const hanging = Promise.withResolvers<never>();
    const memory = createMemoryStore();
    let looks = 0;
    const get: Store['get'] = (path, type) => (++looks === 1 ? hanging.promise : memory.get(path, type));
    const { say, pass, settle } = start({ watchedMs: 0, get });
    await say(WORDS.repeat(4));
    await pass(RENEW_EVERY_MS);
    await pass(RENEW_EVERY_MS);
    expect(looks).toBe(1);
    hanging.reject(new Error('down'));
    await settle();
    await pass(RENEW_EVERY_MS);
    expect(looks).toBe(2);
  });

  it('is not written where a reader is found only as the model has spoken', async () => {
    const memory = createMemoryStore();
    const late = Promise.withResolvers<void>();
    const get: Store['get'] = async (path, type) => {
      await late.promise;
      return memory.get(path, type);
    };
    const { live, clock, say, pass, end, calls, settle } = start({ watchedMs: 0, get });
    const watchedUntil = new Date(clock.now().getTime() + 45_000);
    await memory.commit([putDocument(CONTROL, controlType, sampleControl({ watchedUntil }))]);
    await say(WORDS.repeat(4));
    await pass(RENEW_EVERY_MS);
    live.stop();
    await end();
    live.confirmDeletion();
    await live.close();
    late.resolve();
    await settle();
    expect(calls).toEqual([]);
  });

  it('is not asked about for an execution that is lost', async () => {
    const { say, pass, lost, calls } = start({ watchedMs: 0 });
    await say(WORDS.repeat(4));
    lost.abort();
    await pass(RENEW_EVERY_MS);
    expect(calls).toEqual([]);
  });
});

describe('the text of a model in a session that is watched', () => {
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

  it('starts again with another attempt', async () => {
    const { take, say, pass, read } = start();
    await say(WORDS.repeat(4));
    expect((await read())?.text).not.toBe('');
    take?.({ kind: 'attempt' });
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

  it('shows no further text of an endless answer', async () => {
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

describe('the end of a live text', () => {
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

  it('is deleted again when a write was under way meanwhile', async () => {
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

  it('deletes the text of an earlier holder, also when no text follows', () => {
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
  it('shows no further text when masking fails, and throws nothing', async () => {
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

  it('replaces the text that an earlier holder has written, or still writes', async () => {
    const { say, pass, read, memory } = start();
    await say(WORDS.repeat(4));
    const own = await read();
    if (own === undefined) throw new Error('nothing was written');
    await memory.commit([putDocument(PATH, liveTextType, { ...own, text: 'of another' })]);
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

  it.each(['was never renewed', 'has ended'])('writes nothing after the watch %s', async (how) => {
    const { say, pass, calls, memory, clock } = start({ watchedMs: 1_000 });
    const watchedUntil = new Date(clock.now().getTime() + 1_000);
    const write = createDocument(CONTROL, controlType, sampleControl({ watchedUntil }));
    if (how === 'has ended') await memory.commit([write]);
    await say(WORDS.repeat(4));
    await pass(1_000);
    await say(WORDS.repeat(4));
    await pass(RENEW_EVERY_MS);
    await say(WORDS.repeat(4));
    await pass(500);
    expect(calls).toEqual(['put', LOOK]);
  });

  it('reads nothing while the watch that it knows lasts', async () => {
    const { say, pass, calls } = start({ watchedMs: 45_000 });
    await say(WORDS.repeat(4));
    for (let second = 0; second < 39; second++) await pass(1_000);
    expect(calls).not.toContain(LOOK);
    await pass(1_000);
    expect(calls).toContain(LOOK);
  });

  it('continues as long as the watch is renewed', async () => {
    const { say, pass, read, watch } = start({ watchedMs: 6_000 });
    await say(WORDS.repeat(4));
    const before = (await read())?.text ?? '';
    await watch();
    await pass(RENEW_EVERY_MS);
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
