// Inquest as an MCP server, through the official client.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { replaceDocument } from '../../../shared/core/contract/store.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { packageVersion } from '../../../shared/projectFiles.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { sendMcp } from '../../support/mcpWire.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const READING = ['get_analysis', 'get_claims', 'list_sessions', 'open_questions', 'search'];
const ACTING = ['action', 'ask', 'ask_agent', 'investigate'];
const script = { conversations: Array(6).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

/** A client of an API whose messages are delivered as they are published, unless the test delivers them. */
async function connect({ deliver = true, ...options }: Record<string, unknown> = {}) {
  const api = await startApiBench({ script, chat: {}, inMemory: true, ...options } as never);
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:8080/mcp'), {
    fetch: async (url, init) => {
      const request = new Request(url, init as RequestInit);
      request.headers.set('host', '127.0.0.1:8080');
      return api.app.request(request);
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport as never);
  let isOver = false;
  const delivering = (async () => {
    while (deliver && !isOver) {
      await api.drain();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await delivering;
    await client.close();
  });
  const call = async (name: string, args: object = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const [first] = content as { text: string }[];
    return { isError: isError === true, text: first?.text ?? '' };
  };
  return { ...api, client, call };
}

it('an alert is investigated, listed, read and asked about', async () => {
  const { client, call, read } = await connect({ inMemory: false });
  expect(client.getServerVersion()).toMatchObject({ name: 'inquest', version: packageVersion() });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...READING, ...ACTING].sort());
  const { session_id } = JSON.parse((await call('investigate', { alert: '{"title":"Disk full"}' })).text);
  await expect.poll(async () => (await read(session_id)).session.status).toBe('completed');
  const analysis = JSON.parse((await call('get_analysis', { session_id })).text);
  expect(analysis).toMatchObject({ status: 'completed', analysis: 'The disk is full of logs.' });
  const { sessions } = JSON.parse((await call('list_sessions')).text);
  for (const filter of [
    { status: 'failed' },
    { source: 'pagerduty' },
    { severity: 'info' },
    { chain: 'other' },
  ])
    expect(JSON.parse((await call('list_sessions', filter)).text), JSON.stringify(filter)).toEqual({
      sessions: [],
    });
  expect(sessions).toMatchObject([{ sessionId: session_id, title: 'Disk full' }]);
  const asked = JSON.parse((await call('ask', { session_id, question: 'Which disk?' })).text);
  expect(asked).toMatchObject({ session_id, status: 'completed', answer: 'The disk is full of logs.' });
  const found = JSON.parse((await call('search', { query: 'FUZZY disk', limit: 1 })).text);
  expect(found.entries).toMatchObject([{ kind: 'session' }]);
});

it('a request that cannot be fulfilled is a tool result with a code', async () => {
  const { call } = await connect();
  expect(await call('get_analysis', { session_id: 'nosuch' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^SESSION_UNKNOWN: /),
  });
  expect(await call('investigate', { alert: 'null' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^ALERT_INVALID: /),
  });
  expect(await call('search', { query: 'DROP TABLE' })).toMatchObject({ isError: true });
});

it('a viewer is offered no tool that acts', async () => {
  const access = () => () => ({ tenantId: 'default', name: 'x', userId: 'x', role: 'viewer' as const });
  const { client } = await connect({ access });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(READING);
});

it('a tool refuses an argument that it does not know, by name', async () => {
  const { client, call, deps } = await connect();
  const { tools } = await client.listTools();
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false });
  const before = deps.publisher.published.length;
  const required: Record<string, object> = {
    get_analysis: { session_id: '2026-01-01-disk-full-abcdef' },
    search: { query: 'LOOKUP disk' },
    get_claims: { session_id: '2026-01-01-disk-full-abcdef' },
    open_questions: { session_id: '2026-01-01-disk-full-abcdef' },
    action: { session_id: '2026-01-01-disk-full-abcdef', type: 'observation' },
    ask_agent: { agent_name: 'kid', input_text: 'Why?' },
    investigate: { alert: 'Disk full.' },
    ask: { question: 'Why?' },
  };
  for (const { name } of tools) {
    const { isError, text } = await call(name, { ...required[name], sesion: 'x' });
    expect([name, isError, text]).toEqual([
      name,
      true,
      expect.stringContaining('arguments.sesion: is unknown'),
    ]);
  }
  expect(deps.publisher.published).toHaveLength(before);
});

it.each([
  ['investigate', {}, 'arguments.alert: is missing; expected text'],
  ['investigate', { alert: { title: 'x' } }, 'arguments.alert: must be text, not a mapping'],
  ['ask', { question: 'Why?', session_id: '../x' }, 'arguments.session_id: must be the id of a session'],
  ['ask', { question: ' ' }, 'arguments.question: it is empty; write the question'],
  ['search', { query: 'LOOKUP x', limit: 51 }, 'arguments.limit: must be at most 50'],
  ['get_claims', { session_id: 'x', limit: 0 }, 'arguments.limit: must be at least 1'],
  ['action', { session_id: 'x', type: 'explode' }, 'arguments.type: '],
  [
    'ask_agent',
    { agent_name: 'kid', input_text: 'x', timeout_seconds: 5 },
    'arguments.timeout_seconds: must be',
  ],
  ['ask_agent', { agent_name: 'nosuch', input_text: 'x' }, 'arguments.agent_name: '],
])('%s names the field and the fix: %j', async (name, args, fault) => {
  const { call, deps } = await connect();
  expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringContaining(fault) });
  expect(deps.publisher.published).toEqual([]);
});

it('a client that waits gets the progress of its answer, and only if it asks', async () => {
  const { client } = await connect();
  const steps: [number, string | undefined][] = [];
  const params = { name: 'ask', arguments: { question: 'Which disk?' } };
  await client.callTool(params, {
    onprogress: ({ progress, message }: { progress: number; message?: string }) =>
      steps.push([progress, message]),
  } as never);
  expect(steps.map(([, message]) => message)).toContain('final_analysis');
  expect(steps.map(([progress]) => progress)).toEqual(steps.map((_, index) => index + 1));
});

describe('an action of another program', () => {
  const inProgress = async () => {
    const api = await connect({ deliver: false });
    const sessionId = await api.publishAlert({ title: 'Disk full' });
    await api.deliverNext();
    return { ...api, sessionId };
  };

  it('is recorded with the name of the caller, masked, and can name the session', async () => {
    const { call, sessionId, read } = await inProgress();
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    const payload = { session_name: 'Full  disk', confidence: 0.9, note: secret };
    const { text } = await call('action', { session_id: sessionId, type: 'observation', payload });
    expect(JSON.parse(text)).toMatchObject({
      _action_event: true,
      action_type: 'observation',
      confidence: 0.9,
    });
    await call('action', { session_id: sessionId, type: 'elicit', payload: { question: 'Which shop?' } });
    const { session, timeline } = await read(sessionId);
    expect(session.title).toBe('Full disk');
    const events = timeline.filter(({ eventType }) => eventType === 'action');
    expect(events.map(({ content, executionId }) => [executionId, content.split(':')[0]])).toEqual([
      ['session', 'local'],
      ['session', 'local'],
    ]);
    expect(JSON.stringify([text, events])).not.toContain(secret);
    const open = JSON.parse((await call('open_questions', { session_id: sessionId })).text);
    expect(open.question_to_people).toEqual({ question: 'Which shop?', options: [] });
  });

  it.each([
    ['elicit', { text: 'x' }, 'arguments.payload: "payload" of elicit needs "question"'],
    ['observation', { session_name: ' ' }, 'arguments.payload: "session_name" must be'],
    ['delegate', { text: 'x'.repeat(16_000) }, 'arguments.payload: "payload" has'],
  ])('is refused by its field: %s', async (type, payload, fault) => {
    const { call, sessionId, read } = await inProgress();
    const { isError, text } = await call('action', { session_id: sessionId, type, payload });
    expect([isError, text]).toEqual([true, expect.stringContaining(fault)]);
    expect((await read(sessionId)).session.steering.events).toBe(0);
  });

  it('is refused where nothing runs, and after 200 events', async () => {
    const { call, sessionId, drain, deps } = await inProgress();
    const action = { session_id: sessionId, type: 'trigger_save' };
    const path = paths.session(sessionId);
    const stored = await deps.store.get(path, sessionType);
    if (stored === undefined) throw new Error('no session');
    const full = { ...stored.value, steering: { ...stored.value.steering, events: 200 } };
    await deps.store.commit([replaceDocument(path, sessionType, full, stored.version)]);
    expect((await call('action', action)).text).toContain('SESSION_STATE');
    await drain();
    expect((await call('action', action)).text).toContain('has ended (completed)');
    expect((await call('action', { ...action, session_id: 'nosuch' })).text).toContain('SESSION_UNKNOWN');
  });
});

describe('an agent that is asked by name', () => {
  const configured = () => {
    const agents = { lead: { instructions: 'I lead.' } };
    const kid = {
      description: 'I am kid.',
      properties: { cause: { type: 'string' } },
      json_schema_extra: { kind: 'agent', name: 'kid', structured_output: true },
    };
    const chains = { c: { chat: 'lead', stages: [{ name: 'look', agents: ['lead'] }] } };
    const folder = ownConfig({});
    writeFileSync(path.join(folder, 'agents.yaml'), stringify({ agents }));
    writeFileSync(path.join(folder, 'chains.yaml'), stringify({ default: 'c', chains }));
    mkdirSync(path.join(folder, 'agents'));
    writeFileSync(path.join(folder, 'agents', 'kid.yaml'), stringify({ type: 'object', ...kid }));
    return loadSessionConfig(folder);
  };

  it('answers with text or data, in a chat that goes on', async () => {
    const config = configured();
    const turns = [{ text: '{"cause":"logs"}' }];
    const conversations = [{ when: 'I am kid.', turns }, ...script.conversations];
    const { call, gemini, read } = await connect({ readConfig: () => config, script: { conversations } });
    const asked = { agent_name: 'kid', input_text: 'Why?', input_data: { disk: 'sda' }, user_id: 'eve' };
    const data = JSON.parse((await call('ask_agent', { ...asked, timeout_seconds: 60 })).text);
    expect(data).toMatchObject({
      status: 'success',
      agent_schema: 'kid',
      output: { cause: 'logs' },
      is_structured_output: true,
    });
    expect(JSON.stringify(gemini.requests[0]?.body)).toContain('Input data: {\\"disk\\":\\"sda\\"}');
    const { session } = await read(data.session_id);
    expect(session).toMatchObject({ userId: null, kind: 'chat' });
    expect(session.deadline.getTime() - session.createdAt.getTime()).toBe(60_000);
    const lead = JSON.parse((await call('ask_agent', { agent_name: 'lead', input_text: 'Why?' })).text);
    expect(lead).toMatchObject({
      status: 'success',
      output: 'The disk is full of logs.',
      is_structured_output: false,
    });
  });

  it('is refused by name where it does not exist or has no data', async () => {
    const { call, deps } = await connect({ readConfig: configured });
    const ask = async (args: object) => (await call('ask_agent', { input_text: 'Why?', ...args })).text;
    expect(await ask({ agent_name: 'nosuch' })).toContain('arguments.agent_name: ');
    expect(await ask({ agent_name: 'lead', structured_output_override: true })).toContain(
      'arguments.structured_output_override: the agent answers with text; leave it out',
    );
    expect(deps.publisher.published).toEqual([]);
  });
});

describe('a hostile request', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const message = (params: string, method = 'tools/call') =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const investigate = message('{"name":"investigate","arguments":{"alert":"x"}}');

  it.each([
    ['deep JSON', message(`{"name":"ask","arguments":{"question":${nested(100_000)}}}`), 400, -32600],
    ['a deep list', nested(400_000), 400, -32600],
    ['10,000 messages', `[${Array(10_000).fill(investigate).join()}]`, 400, -32600],
    ['deep objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 400, -32600],
    ['no message', '[]', 400, -32600],
    ['nothing', '', 400, -32600],
    ['no text', '\u0000', 400, -32600],
    ['a text', '"x"', 400, -32600],
    ['null', 'null', 400, -32600],
    ['no JSON', '{', 400, -32600],
    ['another version', investigate.replace('2.0', '1.0'), 400, -32600],
    ['another type of id', investigate.replace('"id":1', '"id":{}'), 400, -32600],
    ['parameters as a list', message('[1]'), 400, -32600],
    ['a name as an object', message('{"name":{}}'), 200, -32602],
    ['an unknown method', message('{}', 'constructor'), 200, -32601],
    ['an unknown tool', message('{"name":"__proto__"}'), 200, -32602],
    ['too much', `"${'x'.repeat(1_200_000)}"`, 413, -32600],
  ])('gets an error of JSON-RPC: %s', async (_, body, status, code) => {
    const { ask, deps } = await connect();
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await ask('/mcp', { body, headers });
    const text = typeof answer.body === 'string' ? answer.body.replace(/^.*data: /s, '') : undefined;
    const error = text === undefined ? answer.body : JSON.parse(text);
    expect([answer.status, error]).toMatchObject([status, { jsonrpc: '2.0', error: { code } }]);
    expect(deps.publisher.published).toEqual([]);
    expect(await deps.store.list({ collection: paths.sessions }, sessionType)).toEqual([]);
  });

  it('with 10,000 arguments is refused by the first of them', async () => {
    const { call, deps } = await connect();
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, index]));
    const { isError, text } = await call('ask', { question: 'Why?', ...many });
    expect([isError, text.length < 2_000, text]).toEqual([
      true,
      true,
      expect.stringContaining('arguments.a0: '),
    ]);
    expect(deps.publisher.published).toEqual([]);
  });

  it("with another tenant's ids finds nothing", async () => {
    const access = () => async (headers: Record<string, unknown>) => ({
      tenantId: headers['x-tenant'] === undefined ? 'default' : String(headers['x-tenant']),
      name: 'x',
      userId: null,
      role: 'admin' as const,
    });
    const { ask, publishAlert, drain } = await connect({ access, deliver: false });
    const session_id = await publishAlert({ title: 'Disk full' });
    await drain();
    for (const [name, args] of [
      ['get_analysis', {}],
      ['get_claims', {}],
      ['open_questions', {}],
      ['ask', { question: 'Why?' }],
      ['action', { type: 'observation' }],
    ] as const) {
      const params = { name, arguments: { session_id, ...args } };
      const { body } = await sendMcp(ask, 'tools/call', params, { headers: { 'x-tenant': 'other' } });
      expect([name, body.result]).toMatchObject([
        name,
        { isError: true, content: [{ text: expect.stringMatching(/^SESSION_UNKNOWN: /) }] },
      ]);
    }
  });
});
