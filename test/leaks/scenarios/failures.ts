// Secrets in failures of model calls: HTTP errors, streams, refusals, redirects, addresses.

import type { ModelScript } from '../../../local/scriptedModel/modelScript.ts';
import type { Plan } from '../plan.ts';
import { type Outputs, startWorld, type WorldOptions } from '../world.ts';

type Turn = ModelScript['conversations'][number]['turns'][number];

/** Each failure ends an investigation of its own, so that every one is the last error of something. */
export async function failedCalls(plan: Plan): Promise<Outputs> {
  const at = (field: string) => plan.text(`failed call: ${field}`, { cutAt: plan.random.pick([500, 600]) });
  const stopped = (finishReason: string, field: string): Turn => ({
    chunks: [
      {
        candidates: [
          { content: { role: 'model', parts: [{ text: 'x' }] }, finishReason, finishMessage: at(field) },
        ],
      },
    ],
  });
  const turns: Turn[] = [
    { failures: [{ status: 400, message: at('400') }] },
    { failures: [{ status: 403, message: at('403'), asArray: true }] },
    { failures: [{ status: 404, message: at('404') }] },
    { failures: [{ status: 500, message: at('500') }], text: 'Out of memory.' },
    {
      failures: [
        {
          status: 429,
          message: at('429'),
          quotaId: `PerDay${plan.text('failed call: quota', { longest: 100 })}`,
        },
      ],
    },
    { failures: [{ midStreamError: { code: 503, status: 'UNAVAILABLE', message: at('within a stream') } }] },
    {
      failures: [
        {
          midStreamError: { code: 400, status: 'INVALID', message: at('bare error in a stream'), bare: true },
        },
      ],
    },
    { failures: [{ blockReason: at('block reason') }] },
    stopped('SAFETY', 'message of a refusal'),
    stopped('MALFORMED_FUNCTION_CALL', 'message of a malformed call'),
    stopped('UNEXPECTED_TOOL_CALL', 'message of an unexpected call'),
    stopped(at('finish reason'), 'message of an unknown end'),
    { chunks: [{ candidates: [{ finishReason: at('finish reason of nothing') }] }] },
    {
      chunks: [
        {
          candidates: [
            {
              content: { parts: [{ inlineData: { mimeType: at('media type'), data: 'QQ==' } }] },
              finishReason: 'STOP',
            },
          ],
        },
      ],
    },
    { chunks: [{ promptFeedback: { blockReason: 'OTHER', blockReasonMessage: at('block message') } }] },
    {
      chunks: [
        {
          candidates: [
            {
              content: {
                parts: [
                  {
                    functionCall: {
                      name: plan.text('failed call: unexpected name', { form: 'name' }),
                      args: {},
                    },
                  },
                ],
              },
              finishReason: 'UNEXPECTED_TOOL_CALL',
            },
          ],
        },
      ],
    },
  ];
  // Each alert says which conversation answers it.
  const conversations = turns.map((turn, index) => ({
    name: `failure ${index}`,
    when: { user: `Failure number ${index}.` },
    turns: [turn, { text: 'Out of memory.' }, { text: 'Out of memory.' }],
  }));
  const world = await startWorld(plan, {
    script: { conversations },
    agent: { strategy: plan.random.chance(0.5) ? 'single-call' : 'native-thinking' },
  });
  let sessionId: string | undefined;
  for (const [index] of turns.entries()) {
    sessionId = await world.run({ title: `Failure number ${index}.` });
  }
  return world.end(sessionId);
}

/** Answers beyond the scripted Gemini: redirects, pages of proxies, Node's errors of addresses. */
export async function strangeEndpoints(plan: Plan): Promise<Outputs> {
  const outputs: Outputs[] = [];
  const at = (field: string) => plan.text(`endpoint: ${field}`, { cutAt: 600 });
  const run = async (options: WorldOptions): Promise<void> => {
    const world = await startWorld(plan, { agent: { strategy: 'single-call' }, ...options });
    outputs.push(await world.end(await world.run({ title: 'Down' })));
  };
  const location = `https://x.example/${encodeURIComponent(at('redirect'))}`;
  await run({ answer: () => new Response(at('body of a redirect'), { status: 307, headers: { location } }) });
  await run({ answer: () => new Response(`<html>${at('page')}</html>`, { status: 502, statusText: 'Bad' }) });
  await run({ answer: () => new Response(`data: ${at('no JSON')}\n\n`, { headers: STREAM }) });
  await run({
    answer: () => {
      throw new TypeError('fetch failed', { cause: new Error(at('cause of a broken connection')) });
    },
  });
  const user = plan.text('environment: GOOGLE_GEMINI_BASE_URL', { form: 'name', only: 'environment' });
  await run({ environment: { GOOGLE_GEMINI_BASE_URL: `http://shop:${user}@127.0.0.1:2` } });
  const key = plan.text('environment: GEMINI_API_KEY', { form: 'name', only: 'environment' });
  await run({
    environment: { GEMINI_API_KEY: key },
    answer: () =>
      new Response(`{"error":{"code":400,"message":"${plan.filler(580)} ${key}"}}`, { status: 400 }),
  });
  return joined(outputs);
}

const STREAM = { 'content-type': 'text/event-stream' };

function joined(all: Outputs[]): Outputs {
  const [first, ...rest] = all;
  if (first === undefined) throw new RangeError('nothing ran');
  for (const outputs of rest) {
    for (const name of Object.keys(outputs) as (keyof Outputs)[]) first[name].push(...outputs[name]);
  }
  return first;
}
