// What the HTTP API adds: from a question to the first text of its answer, and from an alert to the first
// event of its session, as clients have them. The whole local system, with a model that answers at once.

import { join } from 'node:path';
import { startSystem } from '../../local/system.ts';
import { writeConfig } from './wholeSystem.ts';
import { startWorld } from './world.ts';

/** Runs before the measured ones: everything is warm then. */
const WARM_UP = 3;
const MODEL_PATH = '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse';

/** Milliseconds. */
export interface ApiTimes {
  /** From a request to the model until its answer is there. */
  model: number[];
  /** From a question until the first text of its answer: in a new chat, and in one that goes on. */
  firstText: number[];
  followUp: number[];
  /** From an alert until the sessions' stream has its session, and its own stream an event. */
  opened: number[];
  firstEvent: number[];
}

/** Asks and alerts, one after the other. @param folder for the configuration. */
export async function measureApi(folder: string, runs: number): Promise<ApiTimes> {
  const world = await startWorld({ answersEach: 1 });
  const config = await writeConfig(join(folder, 'api-config'), world.mcpUrl);
  const system = await startSystem({
    projectId: 'demo-bench',
    env: { ...world.env, INQUEST_CONFIG: config, LOG_LEVEL: 'warn' },
    api: true,
  });
  const url = system.endpoints.api ?? '';
  const times: ApiTimes = { model: [], firstText: [], followUp: [], opened: [], firstEvent: [] };
  try {
    for (let run = -WARM_UP; run < runs; run++) {
      const model = await timeModel(world.env.GOOGLE_GEMINI_BASE_URL);
      const first = await timeQuestion(url);
      const second = await timeQuestion(url, first.sessionId);
      const alert = await timeAlert(url, run);
      if (run < 0) continue;
      times.model.push(model);
      times.firstText.push(first.ms);
      times.followUp.push(second.ms);
      times.opened.push(alert.opened);
      times.firstEvent.push(alert.firstEvent);
    }
    return times;
  } finally {
    await Promise.all([system.stop(), world.stop()]);
  }
}

async function timeModel(url: string): Promise<number> {
  const startedAt = performance.now();
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'What is it?' }] }] });
  await (await fetch(`${url}${MODEL_PATH}`, { method: 'POST', body })).text();
  return performance.now() - startedAt;
}

async function timeQuestion(url: string, sessionId?: string): Promise<{ ms: number; sessionId: string }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(sessionId !== undefined && { 'x-session-id': sessionId }),
    },
    body: JSON.stringify({
      model: 'inquest',
      stream: true,
      messages: [{ role: 'user', content: 'What is it?' }],
    }),
  });
  let ms: number | undefined;
  for await (const { data } of eventsOf(response)) {
    if (ms !== undefined || data === '[DONE]') continue;
    const { choices } = JSON.parse(data) as { choices: { delta?: { content?: string } }[] };
    if (choices[0]?.delta?.content) ms = performance.now() - startedAt;
  }
  if (ms === undefined) throw new Error(`a question got no text (${response.status})`);
  return { ms, sessionId: response.headers.get('x-session-id') ?? '' };
}

async function timeAlert(url: string, run: number): Promise<{ opened: number; firstEvent: number }> {
  const left = new AbortController();
  const sessions = eventsOf(await fetch(`${url}/v1/sessions/events`, { signal: left.signal }));
  const title = `Checkout is slow, run ${run + WARM_UP}`;
  const startedAt = performance.now();
  await fetch(`${url}/v1/alerts`, { method: 'POST', body: JSON.stringify({ title }) });
  const sessionId = await sessionOf(title, sessions);
  const opened = performance.now() - startedAt;
  let firstEvent: number | undefined;
  for await (const { event } of eventsOf(await fetch(`${url}/v1/sessions/${sessionId}/events`)))
    if (event === 'timeline') firstEvent ??= performance.now() - startedAt;
  left.abort();
  if (firstEvent === undefined) throw new Error('an investigation had no event');
  return { opened, firstEvent };
}

async function sessionOf(title: string, sessions: AsyncIterable<SentEvent>): Promise<string> {
  const events = sessions[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('the stream of sessions ended');
    const data = JSON.parse(value.data) as { title?: string; sessionId: string };
    if (data.title === title) return data.sessionId;
  }
}

interface SentEvent {
  event: string;
  data: string;
}

/** The events of a stream as they come. */
async function* eventsOf(response: Response): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks)
      yield { event: /^event: (.*)$/m.exec(block)?.[1] ?? '', data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
  }
}
