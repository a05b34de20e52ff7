// Gemini in the background, against the scripted Gemini: questions, answers, and webhooks at the route.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelScript } from '../../../local/scriptedModel/modelScript.ts';
import { startScriptedModel } from '../../../local/scriptedModel/startScriptedModel.ts';
import type { CallReport, LlmRequest } from '../../../shared/core/contract/llm.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { textMessage } from '../../../shared/core/schema/textMessage.ts';
import { INTERACTION_ROUTES } from '../../../shared/features/interactions/routes.ts';
import { createBackgroundModel } from '../../../shared/llm/interactions/backgroundModel.ts';
import { openNoticeKeys } from '../../../shared/wiring/openNoticeKeys.ts';

type Turn = ModelScript['conversations'][number]['turns'][number];
const KEY = 'a-secret-key';
const SUBMISSION = { sessionId: 's', executionId: 'e', iteration: 1, submissionId: 'sub-1' };
const REQUEST: LlmRequest = {
  model: { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true, api: 'interactions' },
  messages: [textMessage('user', 'Why?')] as LlmRequest['messages'],
  tools: [{ name: 'k8s.logs', description: 'Reads logs', inputSchema: { type: 'object' }, readOnly: true }],
};

async function start(turn: Turn, webhookUrl?: string) {
  const gemini = await startScriptedModel({ script: { conversations: [{ turns: [turn] }] } });
  onTestFinished(() => gemini.stop());
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: KEY };
  const model = createBackgroundModel({ env, webhookUrl: () => webhookUrl });
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const call = { signal: new AbortController().signal, report };
  return { gemini, env, model, report, call };
}
const idOf = (submitted: { kind: string; id?: string }) => submitted.id ?? expect.unreachable(submitted.kind);

it('a question is submitted once, read when it has ended, and deleted', async () => {
  const { gemini, model, report, call } = await start({
    toolCalls: [{ name: 'k8s.logs', args: { pod: 'api' } }],
    usage: { prompt: 40, candidates: 7, thoughts: 3 },
  });
  const id = idOf(await model.submit(REQUEST, SUBMISSION, call));
  expect(gemini.requests).toMatchObject([
    { body: { background: true, store: true, webhook_config: { user_metadata: SUBMISSION } } },
  ]);
  await expect.poll(async () => (await model.read(REQUEST, id, call)).kind).toBe('answered');
  expect(await model.read(REQUEST, id, call)).toMatchObject({
    response: {
      toolCalls: [{ name: 'k8s.logs', arguments: '{"pod":"api"}' }],
      finishReason: 'requires_action',
    },
  });
  expect(report.usage).toMatchObject({ input: 80, output: 14 });
  expect(await model.remove(id, call.signal)).toBe(true);
  expect(gemini.interactions.size).toBe(0);
  expect(await model.read(REQUEST, id, call)).toEqual({ kind: 'missing' });
  // A deletion whose response was lost is repeated.
  expect(await model.remove(id, call.signal)).toBe(true);
});

describe('a submission', () => {
  it.each([
    ['that is refused leaves nothing at work', { status: 429 }, 'refused', 0],
    ['that is refused as unavailable, too', { status: 503 }, 'refused', 0],
    ['whose response is lost can be at work', { cut: true as const }, 'unknown', 1],
  ])('%s', async (_, failure, kind, left) => {
    const { gemini, model, call } = await start({ text: 'Done.', failures: [failure] });
    expect(await model.submit(REQUEST, SUBMISSION, call)).toMatchObject({ kind });
    expect(gemini.interactions.size).toBe(left);
    expect(gemini.requests).toHaveLength(1);
  });

  it.each([
    ['of the tier flex is sent at the standard tier', { status: 503 }, ['flex', 'standard']],
    [
      'with a signature that is refused is sent without',
      { status: 400, message: 'Thought signature is not valid.' },
      ['flex', 'flex'],
    ],
  ])('%s, at once', async (_, failure, tiers) => {
    const { gemini, model, call } = await start({ text: 'Done.', failures: [failure] });
    const request = { ...REQUEST, model: { ...REQUEST.model, serviceTier: 'flex' as const } };
    const id = idOf(await model.submit(request, SUBMISSION, call));
    expect(gemini.requests.map(({ body }) => (body as { service_tier?: string }).service_tier)).toEqual(
      tiers,
    );
    expect([...gemini.interactions.keys()]).toEqual([id]);
  });

  it('that is refused again and again is not sent a third time', async () => {
    const { gemini, model, call } = await start({ failures: [{ status: 503 }] });
    const request = { ...REQUEST, model: { ...REQUEST.model, serviceTier: 'flex' as const } };
    expect(await model.submit(request, SUBMISSION, call)).toMatchObject({ kind: 'refused' });
    expect(gemini.requests).toHaveLength(2);
  });

  it('that is given up can be at work', async () => {
    const { model, report } = await start({ text: 'Done.' });
    const signal = AbortSignal.abort(new RetryableError('ITERATION_TIMEOUT', 'too late'));
    expect(await model.submit(REQUEST, SUBMISSION, { signal, report })).toMatchObject({ kind: 'unknown' });
  });

  it('to a place that nobody listens at is refused, without the key in its error', async () => {
    const { gemini, model, call } = await start({ text: 'Done.' });
    await gemini.stop();
    const submitted = await model.submit(REQUEST, SUBMISSION, call);
    expect(submitted).toMatchObject({ kind: 'refused', error: { code: 'MODEL_UNAVAILABLE' } });
    expect(JSON.stringify(submitted)).not.toContain(KEY);
  });
});

it.each([
  ['failed', 'failed'],
  ['incomplete', 'answered'],
  ['budget_exceeded', 'answered'],
  ['cancelled', 'answered'],
  ['in_progress', 'running'],
])('an interaction that is %s is %s', async (status, kind) => {
  const { model, call } = await start({ text: 'Half.', status });
  const id = idOf(await model.submit(REQUEST, SUBMISSION, call));
  await expect.poll(async () => (await model.read(REQUEST, id, call)).kind).toBe(kind);
});

describe('the route of webhooks', () => {
  const [route] = INTERACTION_ROUTES;

  /** Asks for a webhook, and hands it to the route as it arrived. */
  async function receive(changeBody: (body: Buffer) => Buffer = (body) => body, send?: typeof fetch) {
    const deliveries: { headers: Headers; body: Buffer }[] = [];
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const headers = new Headers(request.headers as Record<string, string>);
      deliveries.push({ headers, body: Buffer.concat(pieces) });
      response.end();
    });
    onTestFinished(() => void server.close().closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { env, model, call } = await start(
      { text: 'Done.' },
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/interactions/webhook`,
    );
    await model.submit(REQUEST, SUBMISSION, call);
    await expect.poll(() => deliveries.length).toBe(1);
    const [{ headers, body } = expect.unreachable()] = deliveries;
    const deps = {
      noticeKeys: openNoticeKeys(env, send),
      clock: { now: () => new Date() },
      log: { warn: () => {} },
    };
    const request = { headers, body: async () => changeBody(body) };
    return route?.identify?.(request, deps as never);
  }

  it('lets a webhook in that the published keys verify', async () => {
    expect(await receive()).toMatchObject({ name: 'webhook gemini', role: 'responder' });
  });

  it.each<[string, typeof fetch]>([
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['cannot be had', async () => new Response('', { status: 500 })],
  ])('lets a webhook come again while the keys %s', async (_, send) => {
    await expect(receive(undefined, send)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('refuses a secret that is none, by the name of its variable', () => {
    for (const text of ['whsec_', 'whsec_é', 'no Base64!'])
      expect(() => openNoticeKeys({ GEMINI_WEBHOOK_SECRET: text })).toThrow(/^GEMINI_WEBHOOK_SECRET: /);
    expect(openNoticeKeys({ GEMINI_WEBHOOK_SECRET: ' whsec_b25l, dHdv ' }).secrets).toHaveLength(2);
  });

  it('refuses a body about nothing, and every webhook where no model answers in the background', async () => {
    await expect(receive(() => Buffer.from('{}'))).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    const request = { headers: new Headers(), body: async () => Buffer.from('') };
    await expect(route?.identify?.(request, {} as never)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
