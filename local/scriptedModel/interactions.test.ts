// The Gemini client by the Interactions API, against the scripted Gemini.

import { expect, it, onTestFinished } from 'vitest';
import type {
  CallReport,
  ConversationMessage,
  LlmRequest,
  LlmResponse,
} from '../../shared/core/contract/llm.ts';
import { textMessage } from '../../shared/core/schema/textMessage.ts';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import type { ModelScript } from './modelScript.ts';
import { startScriptedModel } from './startScriptedModel.ts';

type Turn = ModelScript['conversations'][number]['turns'][number];
const LOGS = { name: 'k8s.logs', description: 'Reads logs', inputSchema: { type: 'object' }, readOnly: true };
const CALL: Turn = { thinking: 'Look.', toolCalls: [{ name: 'k8s.logs', args: { pod: 'api' } }] };
const USER = textMessage('user', 'Why?') as ConversationMessage;
const KEY = 'a-secret-key';

/** A client of a scripted model with these turns. */
async function start(...turns: Turn[]) {
  const gemini = await startScriptedModel({
    script: { conversations: [{ turns, conclusion: { text: 'End.' } }] },
  });
  onTestFinished(() => gemini.stop());
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: KEY };
  const client = createGeminiClient({ env, sleep, random: () => 0.5 });
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const ask = (
    messages: ConversationMessage[],
    changed: Omit<Partial<LlmRequest>, 'model'> & { model?: Partial<LlmRequest['model']> } = {},
  ) => {
    const { model, ...rest } = changed;
    const settings = {
      provider: 'google',
      model: 'gemini-3.8-flash',
      includeThoughts: true,
      api: 'interactions' as const,
    };
    const request = { tools: [LOGS], ...rest, messages, model: { ...settings, ...model } };
    return client.generate(request, { signal: new AbortController().signal, report });
  };
  const bodies = () =>
    gemini.requests.map(({ body }) => body as Record<string, unknown> & { input: object[] });
  return { ask, bodies, report, waits };
}

const answered = ({ blocks, replay }: LlmResponse): ConversationMessage => ({
  role: 'assistant',
  blocks,
  ...(replay && { replay }),
});
const results = ({ toolCalls }: LlmResponse): ConversationMessage => ({
  role: 'tool',
  blocks: toolCalls.map(({ callId, name }) => ({
    blockType: 'tool_result',
    toolUseId: callId,
    toolName: name,
    isError: false,
    textContent: `${name}: OOM`,
  })),
});

it('an answer goes back step by step as it came, with the results of its calls', async () => {
  const { ask, bodies } = await start(
    {
      ...CALL,
      codeExecutions: [{ code: 'print(1)', result: '1' }],
      grounding: { queries: ['oom'], sources: [{ uri: 'https://a.example.com' }] },
      text: 'First the logs.',
    },
    { text: 'No memory.' },
  );
  const nativeTools = ['google_search' as const, 'code_execution' as const];
  const first = await ask([USER], { nativeTools });
  expect(first).toMatchObject({
    toolCalls: [{ name: 'k8s.logs', arguments: '{"pod":"api"}' }],
    thinking: 'Look.',
    codeExecutions: [{ code: 'print(1)', result: '1' }],
    finishReason: 'requires_action',
  });
  const second = await ask([USER, answered(first), results(first)], { nativeTools });
  expect(second).toMatchObject({ text: 'No memory.', truncated: false });
  const { steps } = JSON.parse(first.replay?.data ?? '') as { steps: { type: string; id?: string }[] };
  const [before, after] = bodies();
  expect(after?.input).toEqual([
    ...(before?.input ?? []),
    ...steps,
    { type: 'function_result', call_id: steps.at(-1)?.id, name: 'k8s__logs', result: 'k8s.logs: OOM' },
  ]);
  expect(after).toMatchObject({ store: false, stream: true });
  expect(after).not.toHaveProperty('previous_interaction_id');
});

it('the answer of another model, or of the other API, is retold without signatures', async () => {
  const { ask, bodies } = await start(CALL, { text: 'Done.' });
  const other = { provider: 'openai', model: 'gpt', data: '{"output":[]}' };
  const parts = {
    provider: 'google',
    model: 'gemini-3.8-flash',
    data: '[{"text":"x","thoughtSignature":"c2ln"}]',
  };
  for (const replay of [other, parts]) {
    const message: ConversationMessage = {
      role: 'assistant',
      blocks: [{ blockType: 'text', textContent: 'Hm.' }],
      replay,
    };
    await ask([USER, message, USER]);
    const input = bodies().at(-1)?.input;
    expect(input?.[1]).toEqual({ type: 'model_output', content: [{ type: 'text', text: 'Hm.' }] });
    expect(JSON.stringify(input)).not.toContain('c2ln');
  }
});

it('generateContent retells an answer that came by this API', async () => {
  const { ask, bodies } = await start({ thinking: 'Hm.', text: 'One.' }, { text: 'Two.' });
  const first = await ask([USER], { tools: [] });
  await ask([USER, answered(first), USER], { tools: [], model: { api: 'generateContent' } });
  expect(bodies().at(-1)).toMatchObject({
    contents: [{}, { role: 'model', parts: [{}, { text: 'One.' }] }, {}],
  });
});

it('settings, tier and schema are sent, and tokens and tier of the answer reported', async () => {
  const { ask, bodies, report } = await start({
    text: '{"a":1}',
    usage: { prompt: 40, candidates: 7, thoughts: 3 },
  });
  const model = { maxOutputTokens: 900, thinkingLevel: 'low' as const, serviceTier: 'flex' as const };
  const responseSchema = { type: 'object', properties: { a: { type: 'number' } } };
  const system = textMessage('system', 'You look.') as ConversationMessage;
  const { usage } = await ask([system, USER], { tools: [], model, responseSchema });
  expect(bodies()[0]).toMatchObject({
    system_instruction: 'You look.',
    generation_config: { max_output_tokens: 900, thinking_level: 'low', thinking_summaries: 'auto' },
    service_tier: 'flex',
    response_format: { type: 'text', mime_type: 'application/json', schema: responseSchema },
  });
  expect(usage).toMatchObject({ input: 40, output: 7, thinking: 3, total: 50 });
  expect(report).toMatchObject({ serviceTier: 'flex', attempts: 1 });
});

it.each([
  ['a 429', { status: 429, retryDelay: '2s' }, /rate limit/],
  ['a cut stream', { cut: true as const, afterChunks: 2 }, /broke|ended/],
  ['no byte', { empty: true as const }, /no data/],
  [
    'an error within the stream',
    { midStreamError: { code: 503, status: 'UNAVAILABLE', message: 'Busy.', bare: true } },
    /unavailable/,
  ],
])('is asked again after %s', async (_, failure, message) => {
  const { ask, report } = await start({ text: 'Done.', failures: [failure] });
  expect((await ask([USER])).text).toBe('Done.');
  expect(report.attemptErrors).toEqual([expect.stringMatching(message)]);
});

it('a refusal is an error of the model, without the key', async () => {
  const { ask } = await start({ text: 'x', failures: [{ status: 400, message: `Bad key ${KEY}.` }] });
  const error = await ask([USER]).then(
    () => expect.unreachable('should have failed'),
    (thrown: unknown) => thrown as Error & { code: string },
  );
  expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST', message: expect.stringContaining('Bad key') });
  expect(JSON.stringify([error.message, String(error.cause)])).not.toContain(KEY);
});

it('a refused signature is repaired once', async () => {
  const { ask, report, bodies } = await start(CALL, { text: 'Done.' });
  const first = await ask([USER]);
  const steps = (first.replay?.data ?? '').replace(/"signature":"\w{4}/, '"signature":"AAAA');
  const broken = {
    ...answered(first),
    replay: { provider: 'google', model: 'gemini-3.8-flash', data: steps },
  };
  expect((await ask([USER, broken, results(first)])).text).toBe('Done.');
  expect(report.repairedSignatures).toBe(true);
  expect(JSON.stringify(bodies().at(-1))).not.toContain('"signature"');
});
