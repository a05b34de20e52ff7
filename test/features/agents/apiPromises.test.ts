// What docs/rules/agents.md promises of contexts, caches, streams and queries, over the routes of the API.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, loadSessionConfig } from '../../../shared/config/load.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { pushAgent } from '../../../shared/kits/agents/editAgents.ts';
import { requestPart } from '../../../shared/kits/views/chat/requestContext.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { createMasker } from '../../../shared/masking/masker.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const schema = (name: string, text: string, extra = '') => `type: object
description: ${text}
x-note: kept
json_schema_extra:
  kind: agent
  name: ${name}
${extra}`;
const PRO = 'gemini-3.8-pro';
const ANSWER = [{ text: 'It is the disk.' }];

/** An API whose chats `lead` answers, which asks `kid`, of agents.yaml, and stored agents. */
async function start(conversations: object[] = [{ turns: ANSWER }]) {
  const models = {
    pro: { provider: 'google', model: PRO },
    old: { provider: 'google', model: 'gemini-2.5-flash' },
  };
  const folder = ownConfig({
    fallback: models,
    servers: { fixture: { transport: 'http', url: 'http://127.0.0.1:1' } },
  });
  const tools = ['ask_agent', 'search', 'action', 'fixture'];
  const agents = {
    lead: { instructions: 'I lead.', tools, asks: ['kid', 'own'] },
    kid: { instructions: 'I am kid.' },
  };
  const chains = { c: { chat: 'lead', stages: [{ name: 'look', agents: ['lead'] }] } };
  mkdirSync(path.join(folder, 'agents'));
  writeFileSync(
    path.join(folder, 'agents', 'own.yaml'),
    schema('own', 'I am own.', '  override_model: old\n'),
  );
  writeFileSync(path.join(folder, 'agents.yaml'), stringify({ agents }));
  writeFileSync(path.join(folder, 'chains.yaml'), stringify({ default: 'c', chains }));
  const config = loadSessionConfig(folder);
  const script = { conversations } as never;
  const bench = await startApiBench({ script, readConfig: () => config, inMemory: true });
  bench.deps.agents = loadConfig(folder, {}).askable;
  bench.deps.catalog = config.agents;
  const act = async (request: Promise<Response>) => {
    let isOver = false;
    const text = request.then((response) => response.text()).finally(() => (isOver = true));
    while (!isOver) {
      await bench.drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { status, headers } = await request;
    return { status, text: await text, sessionId: headers.get('x-session-id') ?? '' };
  };
  /** Asks, and answers the question. */
  const chat = (headers: Record<string, string> = {}, more: object = {}) => {
    const body = { messages: [{ role: 'user', content: 'What is it?' }], ...more };
    return act(bench.fetch('/v1/chat/completions', { body, headers }));
  };
  const session = async (id: string) => {
    const stored = await bench.deps.store.get(paths.session(id), sessionType);
    if (stored === undefined) throw new Error(`there is no session ${id}`);
    return stored.value;
  };
  const systems = () =>
    bench.gemini.requests.map(({ body }) =>
      JSON.stringify((body as { systemInstruction: object }).systemInstruction),
    );
  return { ...bench, config, act, chat, session, systems };
}

type Api = Awaited<ReturnType<typeof start>>;

describe('on whose behalf a question is asked', () => {
  const NAMED = {
    'X-User-Id': 'ada',
    'X-Tenant-Id': 'acme',
    'X-Client-Id': 'notebook',
    'X-Is-Eval': 'YES',
    'X-Model-Name': 'pro',
    'X-Agent-Schema': 'kid',
  };

  it.each([
    (name: string) => name,
    (name: string) => name.toLowerCase(),
    (name: string) => name.toUpperCase(),
  ])('is read from headers, whatever the case of their names (%#)', async (spell) => {
    const { chat, session, gemini } = await start();
    const headers = Object.fromEntries(Object.entries(NAMED).map(([name, value]) => [spell(name), value]));
    expect(await session((await chat(headers)).sessionId)).toMatchObject({
      userId: 'ada',
      tenantId: 'acme',
      parts: { request: { agent: 'kid', model: 'pro', clientId: 'notebook', isEval: true } },
      chain: { chat: { name: 'kid', model: { model: PRO } } },
    });
    expect(gemini.requests.map(({ model }) => model)).toEqual([PRO]);
  });

  it('has no user, the default tenant and the default model, where headers are empty', async () => {
    const { chat, session, gemini } = await start();
    const empty = Object.fromEntries(Object.keys({ ...NAMED, 'X-Session-Id': '' }).map((name) => [name, '']));
    const { status, sessionId } = await chat(empty);
    expect(status).toBe(200);
    const stored = await session(sessionId);
    expect(stored).toMatchObject({ userId: null, tenantId: 'default' });
    expect(stored.parts).not.toHaveProperty('request');
    expect(gemini.requests.map(({ model }) => model)).toEqual(['gemini-3.8-flash']);
  });

  it('is an evaluation for true, 1 and yes', async () => {
    const { chat, session } = await start();
    const isEval = async (value: string) =>
      readPart(requestPart, await session((await chat({ 'X-Is-Eval': value })).sessionId))?.isEval ?? false;
    for (const value of ['true', '1', 'yes', 'True']) expect(await isEval(value), value).toBe(true);
    for (const value of ['false', '0', 'no', 'on']) expect(await isEval(value), value).toBe(false);
  });

  it.each([
    ['X-Tenant-Id', 'a.b', 'must start with a letter or digit'],
    ['X-Tenant-Id', 'a'.repeat(64), 'must start'],
    ['X-User-Id', 'a'.repeat(201), 'must be one line of plain text'],
    ['X-Client-Id', 'a'.repeat(201), 'must be one line of plain text, at most 200'],
    ['X-Session-Id', 'a b', 'must be the id of a session'],
  ])('is refused with %s: %.20s, the header and the fix, without the value', async (name, value, fix) => {
    const { ask, gemini } = await start();
    const body = { messages: [{ role: 'user', content: 'What is it?' }] };
    const refused = await ask('/v1/chat/completions', { body, headers: { [name]: value } });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
    expect(refused.body.error.message).toContain(`${name}: ${fix}`);
    expect(refused.body.error.message).not.toContain(value);
    expect(gemini.requests).toHaveLength(0);
  });

  it('is inherited by agents that are asked: session, tenant, user and model; the agent is their own', async () => {
    const call = (agent_name: string) => ({ name: 'ask_agent', args: { agent_name, input_text: 'Why?' } });
    const turns = [{ toolCalls: [call('kid'), call('own')] }, ...ANSWER];
    const { act, chat, drain, fetch, session, read, gemini, systems } = await start([
      { when: { system: 'I lead.', question: 'Again?' }, turns },
      { when: 'I lead.', turns },
      { turns: Array(4).fill(ANSWER[0]) },
    ]);
    const { 'X-Agent-Schema': _, ...headers } = NAMED;
    const { sessionId } = await chat(headers);
    const first = gemini.requests.map(({ model }, index) => [
      systems()[index]?.match(/I (?:lead|am \w+)/)?.[0],
      model,
    ]);
    expect(first.toSorted()).toEqual([
      ['I am kid', PRO],
      ['I am own', 'gemini-2.5-flash'],
      ['I lead', PRO],
      ['I lead', PRO],
    ]);
    for (const system of systems()) expect(system).toContain('User: ada');
    // The session of the address counts, for children too.
    const path = `/v1/sessions/${sessionId}/questions`;
    const other = { ...headers, 'X-Session-Id': 'another-one' };
    await act(fetch(path, { body: { text: 'Again?' }, headers: other }));
    await drain();
    expect(await session(sessionId)).toMatchObject({ questions: 2, tenantId: 'acme', userId: 'ada' });
    const { executions } = await read(sessionId);
    expect(executions.map(({ agentName, depth }) => [agentName, depth]).toSorted()).toEqual(
      [1, 2]
        .flatMap(() => [
          ['lead', 0],
          ['kid', 1],
          ['own', 1],
        ])
        .toSorted(),
    );
  });
});

describe('an agent of the store', () => {
  /** Writes it as another instance would, which this one is not told of. */
  const write = async ({ config, deps }: Api, name: string, text: string) => {
    if (config.agents === undefined) throw new Error('no agents');
    const options = { by: 'anna', catalog: config.agents, masker: createMasker({}) };
    await pushAgent({ name, yaml: schema(name, text) }, options, deps);
  };
  const asked = async ({ chat, systems }: Api, headers: Record<string, string> = {}) => {
    await chat({ 'X-Agent-Schema': 'guest', ...headers });
    return /I am guest \w+/.exec(systems().at(-1) ?? '')?.[0];
  };
  const cleared = async ({ ask }: Api, body: object) =>
    (await ask('/v1/agent-cache/clear', { body })).body.cleared;

  it('that another instance changed is seen after 300 s, at once without the cache, or once it was forgotten', async () => {
    const api = await start();
    await write(api, 'guest', 'I am guest one.');
    expect(await asked(api)).toBe('I am guest one');
    await write(api, 'guest', 'I am guest two.');
    api.deps.clock.advance(299_000);
    expect(await asked(api)).toBe('I am guest one');
    expect(await asked(api, { 'Cache-Control': 'no-cache' })).toBe('I am guest two');
    await write(api, 'guest', 'I am guest three.');
    expect(await asked(api)).toBe('I am guest two');
    api.deps.clock.advance(300_001);
    expect(await asked(api)).toBe('I am guest three');
    await write(api, 'guest', 'I am guest four.');
    expect(await cleared(api, { name: 'guest' })).toBe(1);
    expect(await cleared(api, { name: 'guest' })).toBe(0);
    expect(await asked(api)).toBe('I am guest four');
  });

  it('is one of 100 that an instance keeps, the latest', async () => {
    const api = await start();
    await cleared(api, {});
    const body = { messages: [{ role: 'user', content: 'x' }] };
    for (let number = 0; number <= 100; number++) {
      const headers = { 'X-Agent-Schema': `guest-${number}`, 'X-Model-Name': 'none' };
      expect((await api.ask('/v1/chat/completions', { body, headers })).status).toBe(400);
    }
    expect(await cleared(api, { name: 'guest-0' })).toBe(0);
    expect(await cleared(api, { name: 'guest-1' })).toBe(1);
    expect(await cleared(api, {})).toBe(99);
  });

  it('has no data of a user in the kept entries, however alike the user names start', async () => {
    const api = await start();
    await write(api, 'guest', 'I am guest one.');
    const users = ['user-1234-anna', 'user-1234-bert'];
    for (const user of users) await api.chat({ 'X-Agent-Schema': 'guest', 'X-User-Id': user });
    expect(api.systems().map((system) => /user-1234-\w+/g.exec(system)?.[0])).toEqual(users);
  });

  it('is checked when it is written, with place and fix, and kept byte for byte with its unknown keys', async () => {
    const { ask } = await start();
    const put = (yaml: string) => ask('/v1/agents/guest', { body: { yaml } });
    const faults: [string, string][] = [
      [
        '  mcp_servers: ["https://a.b/mcp"]\n',
        'must be the name of a server in servers.yaml, not its address',
      ],
      ['  override_temperature: 3\n', 'json_schema_extra.override_temperature: must be at most 2'],
      ['  override_model: gtp\n', 'unknown model "gtp"; expected one of'],
      ['  tools: [search]\n', 'must be a mapping, not text'],
      ['  version: 1.0\n', 'must be text, not a number; put it in quotes'],
      ['  instructions: Look.\n', 'has no place here: the prompt is `description`'],
    ];
    for (const [extra, fault] of faults) {
      const { status, body } = await put(schema('guest', 'Look.', extra));
      expect([extra, status, body.code]).toEqual([extra, 400, 'REQUEST_INVALID']);
      expect(body.errors.map(({ message }: { message: string }) => message).join()).toContain(fault);
    }
    expect((await put(schema('other', 'Look.'))).body.errors[0].message).toContain('must be "guest"');
    const text = `# By hand.\n${schema('guest', 'Look.', '  team: [a, {b: 1}] # kept\n  stratgy: react\n')}`;
    expect((await put(text)).body.remarks[0]).toContain('did you mean strategy?');
    expect((await ask('/v1/agents/guest')).body.yaml).toBe(text);
  });
});

it('a stream reports each iteration, of an action before its completion, and of its fields on request', async () => {
  const echo = { name: 'fixture.echo', args: { text: 'a' } };
  const payload = { confidence: 0.9, sources: ['logs'] };
  const observe = { name: 'action', args: { type: 'observation', payload } };
  const turns = [{ thinking: 'Look first.', toolCalls: [observe] }, { toolCalls: [echo] }, ...ANSWER];
  const { chat } = await start([{ turns }]);
  const told = async (stream_options: object) => {
    const { text } = await chat({}, { stream: true, stream_options });
    return text
      .split('\n\n')
      .filter((block) => block !== '' && !block.includes('[DONE]'))
      .map((block) => ({
        name: /^event: (.*)$/m.exec(block)?.[1] ?? 'chunk',
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''),
      }));
  };
  const names = (events: Awaited<ReturnType<typeof told>>) =>
    events.map(({ name, data }) => {
      if (name === 'tool_call') return `${data.tool_name} ${data.status}`;
      return name === 'progress' ? `${data.step} ${data.label}` : name;
    });
  const plain = await told({});
  const total = plain[0]?.data.total_steps;
  expect(names(plain)).toEqual([
    '1 Thinking',
    'thinking',
    'action started',
    '2 Calling action',
    'action executing',
    'action',
    'action completed',
    'fixture.echo started',
    '3 Calling fixture.echo',
    'fixture.echo executing',
    'fixture.echo completed',
    'chunk',
    `${total} Done`,
    'chunk',
    'done',
  ]);
  expect(plain.find(({ name }) => name === 'thinking')?.data.content).toBe('Look first.');
  const detailed = await told({ include_metadata: true });
  expect(names(detailed).slice(5, 8)).toEqual(['action', 'metadata', 'action completed']);
  expect(detailed[6]?.data).toEqual({ ...payload, choices: [] });
});

describe('a query', () => {
  const ENTRIES = {
    'payments-api': {
      title: 'Payments API',
      text: 'Takes card payments.',
      links: [
        { key: 'ledger', type: 'depends-on' },
        { key: 'anna', type: 'owned-by' },
      ],
    },
    ledger: { title: 'Ledger', text: 'Holds accounts.', links: [{ key: 'payments-api', type: 'used-by' }] },
    'disk-full': { kind: 'runbook', title: 'Disk full', text: 'Delete old logs.' },
  };
  const CASES: [query: string, expected: string | RegExp][] = [
    ['LOOKUP Payments API', /^payments-api \(resource\): Payments API\n/],
    ['lookup ledger, disk-full, nothing', /^ledger [\s\S]*\n\ndisk-full [\s\S]*\n\nNot found: nothing\.$/],
    ["LOOKUP it's", 'Not found: it-s.'],
    ['FUZZY paymnts', '1 entry, the nearest first'],
    ['fuzzy limit LIMIT 3', 'Nothing was found.'],
    ["FUZZY 'payments", 'payments-api (resource)'],
    ['FUZZY payments THRESHOLD=0.9 limit=1', /payments-api|Nothing was found/],
    [
      'SEARCH card payments',
      /^\(Compared by spelling: no model for embeddings is configured\)\n1 entry.*\n- payments-api/,
    ],
    // Alike to 0.24, 0.19 and 0.24: the thresholds are 0.2 without embeddings, and 0.3.
    ['SEARCH takes long', '- payments-api'],
    ['SEARCH card reader', 'Nothing was found.'],
    ['FUZZY takes long', 'Nothing was found.'],
    ['SEARCH disk full table=runbooks', '- disk-full (runbook)'],
    ['SEARCH disk full IN resources', 'Nothing was found.'],
    ['SEARCH disk full table=foo', 'IN names no table "foo"; there are resources'],
    [
      'TRAVERSE payments-api',
      /- payments-api[\s\S]*\n {2}- ledger .* <- payments-api \(depends-on\)[\s\S]*not there: anna/,
    ],
    [
      'TRAVERSE payments-api DEPTH 4 TYPE depends-on, used-by',
      /depth 4:\n- payments-api.*\n {2}- ledger.*\nLOOKUP/,
    ],
    [
      'TRAVERSE payments-api DEPTH 0',
      /^Plan: DEPTH 1 would follow 2 links of payments-api\.[\s\S]*payments-api -> ledger \(depends-on\)/,
    ],
    ['TRAVERSE payments-api DEPTH two', 'DEPTH must be a whole number from 0 to 4'],
    ['', 'Empty query string'],
    ['SELECT * FROM knowledge', 'Unknown verb "SELECT"'],
    ['WITH x AS (DELETE FROM a) SELECT 1', 'There is no SQL.'],
    ['FUZZY disk LIMIT 51', 'LIMIT must be a whole number from 1 to 50; this is "51".'],
  ];

  async function filled(conversations?: object[]) {
    const api = await start(conversations);
    for (const [key, body] of Object.entries(ENTRIES)) await api.ask(`/v1/knowledge/${key}`, { body });
    const query = (q: string, headers = {}) =>
      api.ask(`/v1/knowledge/search?q=${encodeURIComponent(q)}`, { headers });
    const keys = async (q: string, headers = {}) =>
      (await query(q, headers)).body.entries.map(({ key }: { key: string }) => key);
    return { ...api, query, keys };
  }

  it('of each verb is answered to an agent as to a person', async () => {
    const search = ([query]: (typeof CASES)[number]) => ({ name: 'search', args: { query } });
    const turns = [{ toolCalls: CASES.map(search) }, ...ANSWER];
    const api = await filled([{ turns }]);
    delete api.deps.embed;
    const { sessionId } = await api.chat();
    const { timeline } = await api.read(sessionId);
    const results = timeline.flatMap((event) => (event.eventType === 'tool_result' ? [event.content] : []));
    expect(results).toHaveLength(CASES.length);
    for (const [index, [query, expected]] of CASES.entries()) {
      if (typeof expected === 'string') expect(results[index], query).toContain(expected);
      else expect(results[index], query).toMatch(expected);
    }
    expect(await api.keys('LOOKUP ledger, disk-full, nothing')).toEqual(['ledger', 'disk-full']);
    expect(await api.keys('TRAVERSE payments-api')).toEqual(['payments-api', 'ledger']);
    expect(await api.keys('TRAVERSE payments-api DEPTH 0')).toEqual(['payments-api']);
    expect(await api.keys('SEARCH disk full table=runbooks')).toEqual(['disk-full']);
    expect((await api.query('SEARCH disk table=foo')).body.detail).toContain('IN names no table "foo"');
  });

  it('finds shared and own entries of the tenant only', async () => {
    const { ask, keys } = await filled();
    const body = { title: 'Payments of Anna', text: 'Mine.', own: true };
    await ask('/v1/knowledge/anna', { body, headers: { 'X-User-Id': 'anna' } });
    const query = 'FUZZY payments';
    expect((await keys(query, { 'X-User-Id': 'anna' })).toSorted()).toEqual(['anna', 'payments-api']);
    expect(await keys(query, { 'X-User-Id': 'bert' })).toEqual(['payments-api']);
    expect(await keys(query, { 'X-Tenant-Id': 'acme' })).toEqual([]);
  });

  it('looks up whole messages of sessions by their keys, of the tenant only', async () => {
    const long = 'It is the disk. '.repeat(100).trim();
    const { chat, query, keys } = await filled([{ turns: [{ text: long }] }]);
    const { sessionId } = await chat();
    const key = (index: number) => `session-${sessionId}-msg-${index}`;
    const { body } = await query(`LOOKUP ${key(0)}, ${key(1)}, ${key(2)}`);
    expect(body.entries).toMatchObject([
      { key: key(0), kind: 'message', text: 'What is it?' },
      { key: key(1), kind: 'message', text: long },
    ]);
    expect(await keys(`LOOKUP ${key(1)}`, { 'X-Tenant-Id': 'acme' })).toEqual([]);
  });

  it('shows 20 entries unless the call or the query sets another number', async () => {
    const queries = [
      { query: 'FUZZY checkout' },
      { query: 'FUZZY checkout', limit: 3 },
      { query: 'FUZZY checkout LIMIT 2', limit: 3 },
      { query: 'FUZZY checkout', limit: 51 },
    ];
    const toolCalls = queries.map((args) => ({ name: 'search', args }));
    const { ask, chat, read } = await start([{ turns: [{ toolCalls }, ...ANSWER] }]);
    for (let number = 0; number < 25; number++)
      await ask(`/v1/knowledge/checkout-${number}`, { body: { title: 'checkout', text: 'x' } });
    const { timeline } = await read((await chat()).sessionId);
    const results = timeline.flatMap((event) => (event.eventType === 'tool_result' ? [event.content] : []));
    expect(results.map((text) => text.split('\n')[0]?.split(',')[0])).toEqual([
      '20 entries',
      '3 entries',
      '2 entries',
      '"limit" must be a whole number from 1 to 50.',
    ]);
  });
});
