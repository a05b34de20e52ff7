// Tasks of the MCP server, through a client at the wire: the official one rejects results of the type `task`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { Problem } from '../../../shared/api/http/problem.ts';
import type { Access } from '../../../shared/api/http/route.ts';
import { type ApiAnswer, startApiBench } from '../../support/apiBench.ts';
import { readToolResult, sendMcp, TASKS } from '../../support/mcpWire.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const FORMS = { ...TASKS, elicitation: {} };
const DISK = 'The disk is full of logs.';
const KEYS: Record<string, { tenantId: string; role: 'viewer' | 'responder' }> = {
  one: { tenantId: 'default', role: 'responder' },
  two: { tenantId: 'default', role: 'responder' },
  other: { tenantId: 'other', role: 'responder' },
  reader: { tenantId: 'default', role: 'viewer' },
};

/** Callers by the key in X-Key, which the tests can change. */
const access = (): Access => async (headers) => {
  const name = String(headers['x-key'] ?? 'one');
  const key = KEYS[name];
  if (key === undefined) throw new Problem('LOGIN_REQUIRED', 'unknown key');
  return { ...key, name, userId: null, keyId: name };
};

/** Requests of revision 2026-07-28. */
async function start(options: object = {}) {
  const api = await startApiBench({
    script: { conversations: Array(6).fill({ turns: [{ text: DISK }] }) },
    chat: {},
    access,
    inMemory: true,
    ...options,
  } as never);
  const send = (
    method: string,
    params: object,
    { key = 'one', capabilities = FORMS as object } = {},
  ): Promise<ApiAnswer> => sendMcp(api.ask, method, params, { capabilities, headers: { 'x-key': key } });
  const request: typeof send = async (...args) => (await send(...args)).body;
  const result = async (...args: Parameters<typeof send>) => {
    const { body } = await send(...args);
    expect(body.error).toBeUndefined();
    return body.result;
  };
  const call = (name: string, args: object, more = {}) =>
    result('tools/call', { name, arguments: args }, more);
  return { ...api, send, request, result, call };
}

/** An alert, delivered while the call waits for its session. */
async function investigated(
  { call, drain, deliverNext, deps }: Awaited<ReturnType<typeof start>>,
  more = {},
) {
  const before = deps.publisher.published.length;
  const called = call('investigate', { alert: '{"title":"Disk full"}' }, more);
  await expect.poll(() => deps.publisher.published.length).toBe(before + 1);
  await deliverNext();
  return { ...(await called), drain };
}

describe('a client that declares tasks', () => {
  it('finds the extension, gets a task for an investigation, and its result with the task', async () => {
    const bench = await start();
    const { result, drain } = bench;
    const found = await result('server/discover', {});
    expect(found.capabilities).toMatchObject(TASKS);
    const task = await investigated(bench);
    expect(task).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 5_000 });
    expect(task.ttlMs).toBe(86_400_000);
    const { taskId } = task;
    expect(await result('tasks/get', { taskId })).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
      createdAt: task.createdAt,
    });
    await drain();
    const ended = await result('tasks/get', { taskId });
    expect(ended).toMatchObject({ status: 'completed', resultType: 'complete' });
    expect(ended.result).toMatchObject({ resultType: 'complete' });
    expect(ended.result.isError).toBeUndefined();
    expect(readToolResult(ended.result)).toMatchObject({ status: 'completed', analysis: DISK });
  });

  it('gets a task for a question, whose failure is a result', async () => {
    const turns = [{ text: DISK }, { failures: [{ status: 400, message: 'no' }] }];
    const { call, result, drain } = await start({
      script: { conversations: turns.map((turn) => ({ turns: [turn] })) },
    });
    const { taskId } = await call('ask', { question: 'Which disk?' });
    await drain();
    const answered = await result('tasks/get', { taskId });
    expect(readToolResult(answered.result)).toMatchObject({ status: 'completed', answer: DISK });
    const { session_id } = readToolResult(answered.result);
    const failing = await call('ask', { question: 'Why?', session_id });
    expect(failing.taskId).not.toBe(taskId);
    await drain();
    const failed = await result('tasks/get', { taskId: failing.taskId });
    expect(failed).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(readToolResult(failed.result)).toMatchObject({ status: 'failed', answer: null });
    // A later question changes no earlier task.
    expect(readToolResult((await result('tasks/get', { taskId })).result)).toMatchObject({ answer: DISK });
  });

  it('cancels what its task runs, and nothing else', async () => {
    const bench = await start();
    const { call, result, drain } = bench;
    const { taskId } = await investigated(bench);
    expect(await result('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
    expect(await result('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
    const first = await call('ask', { question: 'One?' });
    await drain();
    const { session_id } = readToolResult((await result('tasks/get', { taskId: first.taskId })).result);
    const second = await call('ask', { question: 'Two?', session_id });
    await result('tasks/cancel', { taskId: first.taskId });
    expect(await result('tasks/get', { taskId: second.taskId })).toMatchObject({ status: 'working' });
    await result('tasks/cancel', { taskId: second.taskId });
    expect(await result('tasks/get', { taskId: second.taskId })).toMatchObject({ status: 'cancelled' });
    expect(await result('tasks/get', { taskId: first.taskId })).toMatchObject({ status: 'completed' });
  });

  it('reads its task with the official client', async () => {
    const bench = await start();
    const { taskId } = await bench.call('ask', { question: 'Which disk?' });
    await bench.drain();
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:8080/mcp'), {
      fetch: async (url, init) => {
        const request = new Request(url, init as RequestInit);
        request.headers.set('host', '127.0.0.1:8080');
        return bench.app.request(request);
      },
    });
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: TASKS, versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(transport as never);
    onTestFinished(() => client.close());
    const got = await client.request({ method: 'tasks/get', params: { taskId } } as never, z.looseObject({}));
    expect(got).toMatchObject({ taskId, status: 'completed' });
  });
});

describe('a task that waits for people', () => {
  const waiting = async (more = {}) => {
    const file = join(temporaryFolder(), 'journal');
    writeFileSync(file, '');
    const journal = await startJournalServer(file);
    onTestFinished(() => journal.close());
    const call = { name: 'journal.order', args: { to: 1 } };
    const bench = await start({
      agent: { tools: ['journal'] },
      servers: {
        journal: { transport: 'http', url: journal.url, tools: { order: { approval: 'required' } } },
      },
      script: { conversations: [{ turns: [{ toolCalls: [call] }, { text: 'Done.' }] }] },
    });
    const { taskId } = await investigated(bench, more);
    await bench.drain();
    return { ...bench, taskId };
  };
  const answer = (key: string, response: object) => ({ inputResponses: { [key]: response } });
  const approve = { action: 'accept', content: { verdict: 'approved', reason: 'Go.' } };

  it('asks for an approval, which counts as one over the API, with the name of the key', async () => {
    const { result, taskId, drain, ask } = await waiting();
    const task = await result('tasks/get', { taskId });
    expect(task.status).toBe('input_required');
    const [[key = '', input]] = Object.entries(task.inputRequests) as [[string, { params: object }]];
    expect(input).toMatchObject({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: expect.stringMatching(/journal\.order until .* Arguments: \{"to":1\}/),
        requestedSchema: { required: ['verdict'] },
      },
    });
    // A key of no open request is ignored, and a dismissed form leaves the request open.
    await result('tasks/update', { taskId, ...answer('nosuch', approve) });
    await result('tasks/update', { taskId, ...answer(key, { action: 'cancel' }) });
    expect((await result('tasks/get', { taskId })).inputRequests).toEqual(task.inputRequests);
    expect(await result('tasks/update', { taskId, ...answer(key, approve) })).toMatchObject({
      resultType: 'complete',
    });
    const { body } = await ask(`/v1/approvals/${key}`, { body: { verdict: 'denied' } });
    expect(body).toMatchObject({
      outcome: 'already_decided',
      approval: { status: 'approved', decidedBy: 'one', reason: 'Go.' },
    });
    expect(await result('tasks/get', { taskId })).toMatchObject({ status: 'working' });
    await drain();
    expect(readToolResult((await result('tasks/get', { taskId })).result).analysis).toBe('Done.');
  });

  it('takes a declined form as a denial', async () => {
    const { result, taskId, ask } = await waiting();
    const { inputRequests } = await result('tasks/get', { taskId });
    const [key = ''] = Object.keys(inputRequests);
    await result('tasks/update', { taskId, ...answer(key, { action: 'decline' }) });
    const { body } = await ask(`/v1/approvals/${key}`, { body: { verdict: 'approved' } });
    expect(body.approval).toMatchObject({ status: 'denied', decidedBy: 'one' });
  });

  it('sends no form to a client that shows none', async () => {
    const { result, taskId } = await waiting();
    for (const capabilities of [TASKS, { ...TASKS, elicitation: { url: {} } }]) {
      const task = await result('tasks/get', { taskId }, { capabilities });
      expect(task).toMatchObject({ status: 'working', statusMessage: 'It waits for a person.' });
      expect(task.inputRequests).toBeUndefined();
    }
  });

  it.each([
    [{ action: 'accept', content: { verdict: 'maybe' } }, 'content.verdict'],
    [{ action: 'accept', content: { verdict: 'approved', by: 'jane' } }, 'content.by'],
    [{ action: 'accept' }, 'content'],
    [{ action: 'grant' }, 'action'],
    ['approved', 'inputResponses'],
    [null, 'inputResponses'],
    [{ method: 'x', result: approve }, 'action'],
  ])('refuses %j by its field, and decides nothing', async (response, field) => {
    const { request, result, taskId } = await waiting();
    const { inputRequests } = await result('tasks/get', { taskId });
    const [key = ''] = Object.keys(inputRequests);
    const { error } = (await request('tasks/update', {
      taskId,
      inputResponses: { [key]: response },
    })) as never as { error: { code: number; message: string } };
    expect(error.code).toBe(-32602);
    expect(error.message).toContain(field);
    expect((await result('tasks/get', { taskId })).inputRequests).toEqual(inputRequests);
  });

  it.each([['x'], [5], [null], [[]], [undefined]])('refuses %j as its responses', async (inputResponses) => {
    const { request, taskId } = await waiting();
    expect(await request('tasks/update', { taskId, inputResponses })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('params.inputResponses: ') },
    });
  });

  it("carries an agent's question to people, and their answer as guidance", async () => {
    const payload = { question: 'Which shop?', options: ['north', 'south'] };
    const turns = [
      { toolCalls: [{ name: 'action', args: { type: 'elicit', payload } }] },
      { toolCalls: [{ name: 'action', args: { type: 'observation', payload: { n: 1 } } }] },
      { text: 'Done.' },
    ];
    const bench = await start({ agent: { tools: ['action'] }, script: { conversations: [{ turns }] } });
    const { taskId } = await investigated(bench);
    const { result, request, deliverNext, drain, call, ask } = bench;
    await deliverNext();
    const { inputRequests } = await result('tasks/get', { taskId });
    const [[key = '', input]] = Object.entries(inputRequests) as [[string, object]];
    expect(input).toMatchObject({
      params: {
        message: 'Which shop?',
        requestedSchema: { properties: { answer: { enum: ['north', 'south'] } } },
      },
    });
    const say = (said: string) => ({
      taskId,
      ...answer(key, { action: 'accept', content: { answer: said } }),
    });
    expect(await request('tasks/update', say('west'))).toMatchObject({ error: { code: -32602 } });
    await result('tasks/update', say('north'));
    expect(await result('tasks/get', { taskId })).toMatchObject({ status: 'working' });
    await drain();
    const { session_id } = readToolResult((await result('tasks/get', { taskId })).result);
    const { body } = await ask(`/v1/sessions/${session_id}/guidance`);
    expect(body.guidance).toMatchObject([
      { guidance: { text: 'In answer to "Which shop?": north', givenBy: 'one' } },
    ]);
    expect(readToolResult(await call('open_questions', { session_id }))).toMatchObject({
      question_to_people: null,
    });
  });
});

describe('a task of others', () => {
  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('does not exist for %s', async (method) => {
    const { call, request, result } = await start();
    const { taskId } = await call('ask', { question: 'Which disk?' });
    const [place = '', proof = ''] = taskId.split('.');
    const forged = (text: string) => `${Buffer.from(text).toString('base64url')}.${proof}`;
    const own = Buffer.from(place, 'base64url').toString();
    const attempts: [string, string][] = [
      ['two', taskId],
      ['other', taskId],
      ['reader', taskId],
      ['one', place],
      ['one', `${taskId}x`],
      ['one', forged(own.replace(/^ask/, 'ask_agent'))],
      ['one', forged(own.replace(/\/[^/]*$/, '/'))],
      ['one', forged('ask/../../x/')],
      ['one', forged('get_analysis/x/')],
      ['one', 'x'.repeat(900)],
      ['one', ''],
    ];
    for (const [key, id] of attempts) {
      const body = await request(method, { taskId: id, inputResponses: {} }, { key });
      const code = key === 'reader' ? -32601 : -32602;
      expect([key, id, body]).toMatchObject([key, id, { jsonrpc: '2.0', id: 1, error: { code } }]);
    }
    expect(await result('tasks/get', { taskId })).toMatchObject({ status: 'working' });
  });

  it('is refused to a client that does not declare tasks, with the capability', async () => {
    const { call, send } = await start();
    const { taskId } = await call('ask', { question: 'Which disk?' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {} };
      const { status, body } = await send(method, params, { capabilities: { elicitation: {} } });
      expect([status, body.error]).toMatchObject([
        400,
        { code: -32021, data: { requiredCapabilities: TASKS } },
      ]);
    }
    expect((await send('tasks/result', { taskId })).body.error.code).toBe(-32601);
    expect((await send('tasks/list', {})).body.error.code).toBe(-32601);
  });
});
