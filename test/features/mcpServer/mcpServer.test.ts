// Inquest as an MCP server, through the official client.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { packageVersion } from '../../../shared/projectFiles.ts';
import { startApiBench } from '../../support/apiBench.ts';

const script = { conversations: Array(6).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

/** A client of an API whose messages are delivered as they are published. */
async function connect(options: object = {}) {
  const api = await startApiBench({ script, chat: {}, ...options } as never);
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
    while (!isOver) {
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
  const { client, call, read } = await connect();
  expect(client.getServerVersion()).toMatchObject({ name: 'inquest', version: packageVersion() });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'ask',
    'get_analysis',
    'investigate',
    'list_sessions',
    'search_knowledge',
  ]);
  const { session_id } = JSON.parse((await call('investigate', { alert: '{"title":"Disk full"}' })).text);
  await expect.poll(async () => (await read(session_id)).session.status).toBe('completed');
  const analysis = JSON.parse((await call('get_analysis', { session_id })).text);
  expect(analysis).toMatchObject({ status: 'completed', analysis: 'The disk is full of logs.' });
  const { sessions } = JSON.parse((await call('list_sessions')).text);
  expect(sessions).toMatchObject([{ sessionId: session_id, title: 'Disk full' }]);
  const asked = JSON.parse((await call('ask', { session_id, question: 'Which disk?' })).text);
  expect(asked).toMatchObject({ session_id, status: 'completed', answer: 'The disk is full of logs.' });
  const found = JSON.parse((await call('search_knowledge', { query: 'FUZZY disk' })).text);
  expect(found.entries[0]).toMatchObject({ kind: 'session' });
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
  expect(await call('search_knowledge', { query: 'DROP TABLE' })).toMatchObject({ isError: true });
});

it('a viewer is offered no tool that acts', async () => {
  const access = () => () => ({ tenantId: 'default', name: 'x', userId: 'x', role: 'viewer' as const });
  const { client } = await connect({ access });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('investigate');
});

it('a tool refuses an argument that it does not know, by name', async () => {
  const { client, call, deps } = await connect();
  const { tools } = await client.listTools();
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ additionalProperties: false });
  const before = deps.publisher.published.length;
  const required: Record<string, object> = {
    get_analysis: { session_id: '2026-01-01-disk-full-abcdef' },
    search_knowledge: { query: 'LOOKUP disk' },
    investigate: { alert: 'Disk full.' },
    ask: { question: 'Why?' },
  };
  for (const { name } of tools) {
    const { isError, text } = await call(name, { ...required[name], sesion: 'x' });
    expect([name, isError, text]).toEqual([name, true, expect.stringContaining('sesion')]);
  }
  expect(deps.publisher.published).toHaveLength(before);
});
