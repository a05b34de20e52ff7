// What models say while they speak: a stream over HTTP, a real database, and a scripted Gemini that says as
// much as a test lets it say.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, Write } from '../../../shared/core/contract/store.ts';
import { LEASE_MS, RENEW_EVERY_MS } from '../../../shared/core/kernel/execution/lease.ts';
import type { LiveText } from '../../../shared/kits/live/liveText.ts';
import { controlType, liveTextType, paths } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { type BenchOptions, EXECUTION } from '../../support/harness.ts';
import { createGate } from '../../support/slowGemini.ts';

const WORDS = 'The pods of checkout restart since the new version was rolled out; memory is what they lack. ';
const ANSWER = `${WORDS.repeat(8)}Roll it back.`;
const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';
const LIMITS = { iterationTimeoutMs: 100_000_000 };

interface Sent {
  event: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests name what they expect
  data: any;
}

/** Reads a stream as it comes. */
function readStream(response: Response) {
  const sent: Sent[] = [];
  const reader = response.body?.getReader();
  const over = (async () => {
    const decoder = new TextDecoder();
    let text = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
        const data = fields.data === '[DONE]' ? {} : JSON.parse(fields.data);
        sent.push({ event: fields.event ?? '', id: fields.id ?? '', data });
      }
    }
  })();
  return { sent, over, leave: () => reader?.cancel() };
}

const livesOf = (sent: Sent[]) => sent.filter(({ event }) => event === 'live').map(({ data }) => data);

/** A bench whose Gemini speaks when it is told to, and what was written as live text. */
async function startSlow(options: Partial<BenchOptions> = {}) {
  const gate = createGate();
  onTestFinished(() => gate.open());
  const script = { conversations: [{ turns: [{ text: ANSWER }] }] };
  const api = await startApiBench({ script, agent: { limits: LIMITS }, geminiSleep: gate.sleep, ...options });
  const written: LiveText[] = [];
  const { commit } = api.deps.store;
  api.deps.store.commit = (writes) => {
    written.push(...livesIn(writes));
    return commit(writes);
  };
  const stored = async (sessionId: string) =>
    (await api.deps.store.list({ collection: paths.allLive(sessionId) }, liveTextType)).map(
      ({ value }) => value,
    );
  const isWatched = async (sessionId: string) =>
    (await api.deps.store.get(paths.control(sessionId), controlType))?.value.watchedUntil != null;
  /** Opens the session of an alert, and a stream of it that is known to watch. */
  const watch = async () => {
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const stream = readStream(await api.fetch(`/v1/sessions/${sessionId}/events`));
    onTestFinished(() => stream.leave());
    await expect.poll(() => isWatched(sessionId)).toBe(true);
    return { sessionId, ...stream };
  };
  /** Lets some seconds pass, and waits until the holder of the execution has renewed its lease. */
  const pass = async (sessionId: string, ms: number) => {
    api.deps.clock.advance(ms);
    const leaseMs = async () => {
      const { lease } = (await api.read(sessionId)).execution;
      return (lease?.until.getTime() ?? 0) - api.deps.clock.now().getTime();
    };
    await expect.poll(leaseMs, { timeout: 20_000 }).toBeGreaterThan(LEASE_MS - 2 * ms);
  };
  return { ...api, gate, written, stored, watch, pass };
}

const livesIn = (writes: Write[]): LiveText[] =>
  writes.flatMap(({ op, path, value }) =>
    path.includes('/live/') && op !== 'delete' ? [value as LiveText] : [],
  );

describe('the stream of a session', () => {
  it('streams the text of a model before it is stored, and its end when it is', async () => {
    const { gate, watch, drain, read, stored } = await startSlow();
    const { sessionId, sent, over } = await watch();
    const working = drain();
    gate.release(7);
    await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBeGreaterThan(0);
    const [first] = livesOf(sent);
    expect(first).toMatchObject({ executionId: EXECUTION, iteration: 1, textStart: 0, ended: false });
    expect(first.text.length).toBeGreaterThan(40);
    expect(ANSWER.startsWith(first.text)).toBe(true);
    expect(Date.parse(first.now)).toBeGreaterThan(0);
    expect((await read(sessionId)).timeline.filter(({ iteration }) => iteration === 1)).toEqual([]);
    expect(await stored(sessionId)).toHaveLength(1);

    gate.open();
    await working;
    await over;
    expect(await stored(sessionId)).toEqual([]);
    const last = livesOf(sent).at(-1);
    expect(last).toMatchObject({ executionId: EXECUTION, iteration: 1, text: '', thinking: '', ended: true });
    expect(sent.at(-1)?.event).toBe('end');
    const { execution } = await read(sessionId);
    expect(execution.finalAnalysis).toBe(ANSWER);
    // What is said is no part of what a reader has.
    const before = sent[sent.findIndex(({ event }) => event === 'live') - 1];
    expect(sent.find(({ event }) => event === 'live')?.id).toBe(before?.id);
  });

  it('shows the current text to a later reader, and grows with it', async () => {
    const { gate, watch, drain, deps, fetch } = await startSlow();
    const { sessionId, sent } = await watch();
    const working = drain();
    gate.release(6);
    await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBe(1);
    const late = readStream(await fetch(`/v1/sessions/${sessionId}/events`));
    await expect.poll(() => livesOf(late.sent).length, { timeout: 20_000 }).toBe(1);
    expect(livesOf(late.sent)[0].text).toBe(livesOf(sent)[0].text);
    gate.release(3);
    await expect
      .poll(
        () => {
          deps.clock.advance(500);
          return livesOf(late.sent).at(-1).text.length;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(livesOf(sent)[0].text.length);
    gate.open();
    await working;
    await late.over;
  });

  it('shows the text so far to a reader who opens it in the middle of an answer', async () => {
    const { gate, publishAlert, deliverNext, drain, fetch, pass, written, stored, read } = await startSlow({
      deadlineMs: 1e8,
    });
    const sessionId = await publishAlert();
    await deliverNext();
    const working = drain();
    gate.release(7);
    for (let renewals = 0; renewals < 2; renewals++) await pass(sessionId, RENEW_EVERY_MS);
    expect(written).toEqual([]);

    const { sent, over } = readStream(await fetch(`/v1/sessions/${sessionId}/events`));
    await expect
      .poll(
        async () => {
          await pass(sessionId, RENEW_EVERY_MS);
          return livesOf(sent)[0]?.text ?? '';
        },
        { timeout: 20_000 },
      )
      .toContain(WORDS.slice(0, 40));
    const [first] = livesOf(sent);
    expect(first).toMatchObject({ executionId: EXECUTION, iteration: 1, textStart: 0, ended: false });
    expect(ANSWER.startsWith(first.text)).toBe(true);
    gate.open();
    await working;
    await over;
    expect(await stored(sessionId)).toEqual([]);
    expect((await read(sessionId)).execution).toMatchObject({ finalAnalysis: ANSWER, claims: 1 });
  });

  it('never shows a secret, however it comes in pieces', async () => {
    const pieces =
      `${WORDS.repeat(3)}They call it ${SECRET} here. ${WORDS.repeat(4)}`.match(/.{1,7}/gs) ?? [];
    const turns = [
      {
        chunks: pieces.map((text, index) => ({
          candidates: [
            {
              content: { role: 'model', parts: [{ text }] },
              ...(index === pieces.length - 1 && { finishReason: 'STOP' }),
            },
          ],
        })),
      },
    ];
    const { gate, watch, drain, written, deps, read } = await startSlow({
      script: { conversations: [{ turns }] },
      knownSecrets: [SECRET],
    });
    const { sessionId, sent, over } = await watch();
    const working = drain();
    for (let chunk = 0; chunk < pieces.length; chunk++) {
      gate.release(1);
      deps.clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await working;
    await over;
    expect((await read(sessionId)).execution).toMatchObject({ claims: 1 });
    expect((await read(sessionId)).execution.finalAnalysis).toContain('[masked:known#');
    expect(written.length).toBeGreaterThan(2);
    const all = JSON.stringify([written, livesOf(sent)]);
    for (let at = 0; at + 5 <= SECRET.length; at++) expect(all).not.toContain(SECRET.slice(at, at + 5));
  });

  it('ends the live text of a process that died, until a second one starts it again', async () => {
    const { gate, watch, deliver, deps, stored, read } = await startSlow();
    const { sessionId, sent } = await watch();
    const message = deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('no iteration was published');
    let isDead = false;
    const { store } = deps;
    const commit: Store['commit'] = (writes) =>
      isDead ? Promise.reject(new Error('the process died')) : store.commit(writes);
    const dying = deliver(message, { ...deps, store: { ...store, commit } }).catch(String);
    gate.release(7);
    await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBe(1);
    isDead = true;
    gate.release(100);
    expect(await dying).toContain('the process died');
    expect(await stored(sessionId)).toHaveLength(1);

    deps.clock.advance(LEASE_MS + 1);
    await expect.poll(() => livesOf(sent).at(-1), { timeout: 20_000 }).toMatchObject({ ended: true });
    expect(await stored(sessionId)).toHaveLength(1);
    const count = livesOf(sent).length;
    const working = deliver(message);
    await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBeGreaterThan(count);
    await working;
    expect(await stored(sessionId)).toEqual([]);
    expect((await read(sessionId)).execution.finalAnalysis).toBe(ANSWER);
  });
});

describe('in a session without readers', () => {
  it('nothing is written, and nothing more is read', async () => {
    const { gate, publishAlert, drain, written, read, deps } = await startSlow();
    const gets: string[] = [];
    const { get } = deps.store;
    deps.store.get = (path, type) => {
      gets.push(path);
      return get(path, type);
    };
    gate.open();
    const sessionId = await publishAlert();
    await drain();
    expect((await read(sessionId)).execution.finalAnalysis).toBe(ANSWER);
    expect(written).toEqual([]);
    expect(gets.filter((path) => path.endsWith('/control/state'))).toHaveLength(1);
    expect(await deps.store.get(paths.control(sessionId), controlType)).toBeUndefined();
  });

  it('nothing more is written when its readers have gone', async () => {
    const { gate, watch, drain, written, deps, pass, read } = await startSlow({ deadlineMs: 1e8 });
    const { sessionId, sent, leave } = await watch();
    const working = drain();
    gate.release(5);
    await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBe(1);
    await leave();
    const watchedMs = async () => {
      const control = await deps.store.get(paths.control(sessionId), controlType);
      return (control?.value.watchedUntil?.getTime() ?? 0) - deps.clock.now().getTime();
    };
    // The server renews the watch until it has noticed.
    for (let left = 1; left > 0; left = await watchedMs()) await pass(sessionId, 4_000);
    await pass(sessionId, 4_000);
    const before = written.length;
    expect(before).toBeGreaterThan(0);
    gate.release(2);
    for (let count = 0; count < 3; count++) await pass(sessionId, 4_000);
    expect(written).toHaveLength(before);
    gate.open();
    await working;
    expect(written).toHaveLength(before);
    expect((await read(sessionId)).execution).toMatchObject({ finalAnalysis: ANSWER, claims: 1 });
  });
});

describe('a question through the client of OpenAI', () => {
  it('is answered while the model speaks, and ends as it is stored', async () => {
    const { gate, fetch, drain, read } = await startSlow({ chat: { limits: LIMITS } });
    const body = { model: 'inquest', stream: true, messages: [{ role: 'user', content: 'What is it?' }] };
    const response = await fetch('/v1/chat/completions', { body });
    const { sent, over } = readStream(response);
    const textOf = () => sent.map(({ data }) => data.choices?.[0]?.delta.content ?? '').join('');
    const working = drain();
    gate.release(7);
    await expect.poll(() => textOf().length, { timeout: 20_000 }).toBeGreaterThan(40);
    expect(ANSWER.startsWith(textOf())).toBe(true);
    const sessionId = response.headers.get('x-session-id') ?? '';
    expect((await read(sessionId)).execution.finalAnalysis).toBeNull();
    gate.open();
    await working;
    await over;
    expect(textOf()).toBe(ANSWER);
    expect((await read(sessionId)).execution.finalAnalysis).toBe(ANSWER);
    expect(sent.find(({ data }) => data.choices?.[0]?.delta.content)?.data.choices[0].delta.role).toBe(
      'assistant',
    );
  });
});

it('a model that is asked again repeats its text, and readers get it once', async () => {
  const turns = [{ failures: [{ cut: true as const, afterChunks: 7 }], text: ANSWER }];
  const { gate, fetch, drain, read } = await startSlow({
    script: { conversations: [{ turns }] },
    chat: { limits: LIMITS },
  });
  const body = { model: 'inquest', stream: true, messages: [{ role: 'user', content: 'What is it?' }] };
  const response = await fetch('/v1/chat/completions', { body });
  const { sent, over } = readStream(response);
  const textOf = () => sent.map(({ data }) => data.choices?.[0]?.delta.content ?? '').join('');
  const working = drain();
  gate.release(6);
  await expect.poll(() => textOf().length, { timeout: 20_000 }).toBeGreaterThan(40);
  gate.open();
  await working;
  await over;
  expect(textOf()).toBe(ANSWER);
  const { interactions } = await read(response.headers.get('x-session-id') ?? '');
  expect(interactions).toMatchObject([{ attempts: 2 }]);
});

it('a question whose stream is read next is live from its first word on', async () => {
  const { gate, fetch, ask, drain, stored } = await startSlow({ chat: { limits: LIMITS } });
  const { body } = await ask('/v1/chats', { body: { text: 'What is it?', watch: true } });
  const working = drain();
  gate.release(7);
  await expect.poll(() => stored(body.sessionId), { timeout: 20_000 }).toHaveLength(1);
  const { sent, over } = readStream(await fetch(`/v1/sessions/${body.sessionId}/events`));
  await expect.poll(() => livesOf(sent).length, { timeout: 20_000 }).toBe(1);
  expect(livesOf(sent)[0].executionId).toBe(body.executionId);
  gate.open();
  await working;
  await over;
  expect(await stored(body.sessionId)).toEqual([]);
});
