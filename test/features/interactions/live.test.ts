// What a model in the background thinks, for people who watch: the API over HTTP, a real database, and a
// scripted Gemini that says as much as a test lets it say.

import { expect, it, onTestFinished } from 'vitest';
import { takeWebhook } from '../../../shared/features/interactions/takeWebhook.ts';
import { backgroundLive } from '../../../shared/lists/liveSources.ts';
import { createBackgroundModel } from '../../../shared/llm/interactions/backgroundModel.ts';
import { interactionFollower } from '../../../shared/llm/interactions/followInteraction.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { createGate } from '../../support/slowGemini.ts';

const WORDS = 'The pods of checkout restart since the new version was rolled out; memory is what they lack. ';
const ANSWER = `${WORDS.repeat(12)}Roll it back.`;
const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';
const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  api: 'interactions',
  wait: 'background',
} as const;

/** A request for a stream of an interaction. */
interface Streaming {
  url: string;
  signal: AbortSignal;
}

/** @param change changes the responses of streams, by their number. */
async function start(text = ANSWER, change = (response: Response, _count: number) => response) {
  const gate = createGate();
  onTestFinished(() => gate.open());
  const streams: Streaming[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = String(input);
    const signal = init?.signal ?? expect.unreachable('a stream that cannot be ended');
    streams.push({ url, signal });
    return change(await fetch(input, init), streams.length);
  };
  const script = { conversations: [{ turns: [{ text, delayMs: 1, webhook: 'lost' as const }] }] };
  const api = await startApiBench({
    script,
    agent: { model: MODEL },
    geminiSleep: gate.sleep,
    knownSecrets: [SECRET],
    liveSource: ({ gemini, deps }) => {
      const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'a-key' };
      deps.background = createBackgroundModel({ env });
      const wait = async () => {};
      return backgroundLive(interactionFollower(env, { fetch: send, wait }), deps.maskerFor);
    },
  });
  const { gemini, deps } = api;
  const sessionId = await api.publishAlert();
  for (let step = 0; gemini.interactions.size === 0 && step < 12; step++) await api.deliverNext();
  const watch = async () => {
    const response = await api.fetch(`/v1/sessions/${sessionId}/events`);
    const reader = response.body?.getReader() ?? expect.unreachable();
    const lives: { text: string; ended: boolean; executionId: string }[] = [];
    const over = (async () => {
      const decoder = new TextDecoder();
      let rest = '';
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        rest += decoder.decode(piece.value, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks)
          if (block.startsWith('event: live')) lives.push(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''));
      }
    })();
    const leave = () => reader.cancel();
    onTestFinished(leave);
    /** The latest text, when it is as long. */
    const until = (length: number) =>
      expect
        .poll(
          () => {
            deps.clock.advance(500);
            return lives.at(-1)?.text.length ?? 0;
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThanOrEqual(length);
    return { lives, over, leave, until };
  };
  /** Lets the model end, and sends its webhook. */
  const end = async () => {
    gate.open();
    const [interactionId = ''] = gemini.interactions.keys();
    const { body } = gemini.requests[0] ?? expect.unreachable();
    const { user_metadata: metadata } = (body as { webhook_config: { user_metadata: object } })
      .webhook_config;
    await takeWebhook({ interactionId, metadata: { ...metadata } }, deps);
    await api.drain();
    return (await api.read(sessionId)).execution;
  };
  return { ...api, sessionId, gate, streams, watch, end };
}

it('is shown while no function runs, by one stream however many watch, until it is stored', async () => {
  const { gate, streams, watch, end, read, sessionId } = await start();
  expect(streams).toEqual([]);
  const first = await watch();
  gate.release(12);
  await first.until(200);
  const { lease } = (await read(sessionId)).execution;
  expect(lease).toBeNull();
  const second = await watch();
  await second.until(200);
  expect(ANSWER.startsWith(second.lives.at(-1)?.text ?? '-')).toBe(true);
  gate.release(3);
  await Promise.all([first.until(300), second.until(400)]);
  expect(streams).toHaveLength(1);
  expect((await end()).finalAnalysis).toBe(ANSWER);
  await Promise.all([first.over, second.over]);
  expect(first.lives.at(-1)).toMatchObject({ ended: true, text: '' });
});

it('is not asked for when the last reader has left', async () => {
  const { gate, streams, watch, end } = await start();
  const [first, second] = [await watch(), await watch()];
  gate.release(12);
  await Promise.all([first.until(200), second.until(200)]);
  await first.leave();
  gate.release(3);
  await second.until(400);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([false]);
  await second.leave();
  await expect.poll(() => streams.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect((await end()).finalAnalysis).toBe(ANSWER);
});

it('is continued where its stream was cut', async () => {
  /** Ends the first stream after 5 events. */
  const cut = (response: Response, count: number) => {
    let left = 5;
    const frames = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.error(new TypeError('terminated'));
      },
    });
    return count > 1 ? response : new Response(response.body?.pipeThrough(frames), response);
  };
  const { gate, streams, watch, end } = await start(ANSWER, cut);
  const reader = await watch();
  for (let piece = 0; piece < 12; piece++) {
    gate.release(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await reader.until(300);
  expect(ANSWER.startsWith(reader.lives.at(-1)?.text ?? '-')).toBe(true);
  expect(streams.length).toBeGreaterThan(1);
  expect(streams[0]?.url).not.toContain('last_event_id');
  expect(streams[1]?.url).toMatch(/stream=true&last_event_id=\d+$/);
  expect((await end()).finalAnalysis).toBe(ANSWER);
});

it('has no secret, however it comes in pieces', async () => {
  const said = `${WORDS.repeat(2)}The token is ${SECRET} here. ${WORDS.repeat(6)}`;
  const { gate, watch, end } = await start(said);
  const reader = await watch();
  gate.release(14);
  await reader.until(300);
  expect(reader.lives.at(-1)?.text).toContain('[masked:known#');
  expect(JSON.stringify(reader.lives)).not.toContain(SECRET.slice(0, 6));
  expect((await end()).status).toBe('completed');
});

it('that Google does not stream disturbs nothing', async () => {
  const refuse = () => new Response('{"error":{"code":403}}', { status: 403 });
  const { streams, watch, end } = await start(ANSWER, refuse);
  const reader = await watch();
  await expect.poll(() => streams.length).toBe(1);
  expect((await end()).finalAnalysis).toBe(ANSWER);
  await reader.over;
  expect(reader.lives).toEqual([]);
  expect(streams).toHaveLength(1);
});
