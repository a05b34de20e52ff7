import { expect, it } from 'vitest';
import * as z from 'zod';
import type { GenerateOptions, LlmRequest, LlmResponse } from '../../core/contract/llm.ts';
import { createScripts, drawnModel } from './drawnModel.ts';
import type { FaultWorld } from './faults.ts';
import { createRandom } from './random.ts';
import type { SimulatedProcess } from './simulatedProcess.ts';
import { createVirtualTime } from './virtualTime.ts';

/** Asks the model of a process. @returns the outcome, and the virtual milliseconds until it. */
async function ask(given: object, seed = 1, abort = false) {
  const time = createVirtualTime(0);
  const random = createRandom(seed);
  const drawMs = (min: number, max: number) => random.int(min, max);
  const world = { time, random, drawMs, traceLine: () => {} } as unknown as FaultWorld;
  const process = { name: 'runIteration-1', alive: true, stalledUntil: 0 } as SimulatedProcess;
  const model = { provider: 'google', model: 'gemini', includeThoughts: false };
  const request = { model, messages: [], tools: [], ...given } as LlmRequest;
  const stop = new AbortController();
  if (abort) time.after(100, () => stop.abort(new Error('enough')));
  const options = { signal: stop.signal, report: { attempts: 0 } } as GenerateOptions;
  const end: { answer?: LlmResponse; error?: unknown; ms?: number } = {};
  const note = (outcome: typeof end) => void Object.assign(end, { ms: time.now(), ...outcome });
  drawnModel(process, undefined, createScripts(), world)
    .generate(request, options)
    .then(
      (answer) => note({ answer }),
      (error: unknown) => note({ error }),
    );
  await time.runUntil(() => end.ms !== undefined, 60_000);
  return { ...end, attempts: options.report.attempts };
}

const turn = { role: 'assistant' } as LlmRequest['messages'][number];
const tool = { name: 'code.refund', description: '', inputSchema: { type: 'object', properties: {} } };
const SEEDS = Array.from({ length: 40 }, (_, index) => index);

it('answers after 0.3 to 8 s, at different times, or not at all where the call is aborted', async () => {
  const times = (await Promise.all(SEEDS.map((seed) => ask({}, seed)))).map(({ ms }) => ms ?? 0);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(300);
  expect(Math.max(...times)).toBeLessThanOrEqual(8_000);
  expect(new Set(times).size).toBeGreaterThan(30);
  expect(await ask({}, 1, true)).toEqual({ error: new Error('enough'), ms: 100, attempts: 1 });
});

it.each<[string, number, boolean, (calls: number[]) => boolean]>([
  ['calls one or two tools first', 0, true, (calls) => Math.min(...calls) === 1 && Math.max(...calls) === 2],
  ['then calls or concludes', 2, true, (calls) => Math.min(...calls) === 0 && Math.max(...calls) === 2],
  ['concludes after three answers', 3, true, (calls) => Math.max(...calls) === 0],
  ['concludes at once without tools', 0, false, (calls) => Math.max(...calls) === 0],
])('%s', async (_, turns, hasTools, holds) => {
  const request = { messages: Array.from({ length: turns }, () => turn), tools: hasTools ? [tool] : [] };
  const answers = await Promise.all(SEEDS.map((seed) => ask(request, seed)));
  expect(holds(answers.map(({ answer }) => answer?.toolCalls.length ?? -1))).toBe(true);
  for (const { answer } of answers) expect(answer?.text === 'Done.').toBe(answer?.toolCalls.length === 0);
});

const nested = (levels: number): object =>
  levels === 0
    ? { type: 'string' }
    : {
        type: 'object',
        properties: { next: nested(levels - 1), more: { type: 'array', items: nested(levels - 1) } },
      };

it.each<object>([
  { const: 'all' },
  { enum: ['low', 'high'] },
  { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  { oneOf: [{ type: 'boolean' }, { type: 'null' }] },
  { type: ['integer', 'null'] },
  { type: 'integer', minimum: 5, maximum: 6 },
  { type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 },
  { type: 'number', minimum: 0.5, maximum: 2 },
  { type: 'integer', minimum: 1_000_000 },
  { type: 'integer', minimum: 100, maximum: 200, multipleOf: 50 },
  { type: 'string', minLength: 12 },
  { type: 'string', maxLength: 3 },
  { type: 'string', minLength: 2_000, maxLength: 2_000 },
  { type: 'array', items: { type: 'integer' }, minItems: 3 },
  { type: 'array', items: { type: 'integer' }, maxItems: 0 },
  { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'integer' } }, required: ['a', 'b'] },
])('an answer fits %j', async (schema) => {
  const fits = z.fromJSONSchema({ ...schema });
  for (const seed of SEEDS) {
    const { answer } = await ask({ responseSchema: { ...schema } }, seed);
    expect(fits.safeParse(JSON.parse(answer?.text ?? '')).error).toBeUndefined();
  }
});

it('answers of schemas without an end end', async () => {
  const { answer } = await ask({ responseSchema: { ...nested(12) } });
  expect(answer?.text.length).toBeLessThan(10_000);
  const endless = { type: 'object', properties: {} as Record<string, object>, required: [] };
  endless.properties.self = endless;
  expect((await ask({ responseSchema: endless })).answer?.text).toContain('{"self":');
});
