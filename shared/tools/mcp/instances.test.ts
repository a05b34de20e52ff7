import { expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { connectInstances, withInstance } from './instances.ts';
import type { McpConnection } from './mcpConnection.ts';

type Listed = McpConnection['listed']['tools'][number];
const tool = (name: string, readOnlyHint: boolean | null = true, fields: object = {}): Listed => ({
  name,
  description: `${name} of the first`,
  inputSchema: { type: 'object', properties: { pod: { type: 'string' } }, required: ['pod'], ...fields },
  ...(readOnlyHint !== null && { annotations: { readOnlyHint } }),
});
const EU = { tools: [tool('logs')], refused: [] };
const US = { tools: [tool('logs'), tool('pods')], refused: [] };
const down = new TerminalError('TOOL_SERVER_UNAVAILABLE', 'it is down');
const busy = new RetryableError('TOOL_SERVER_UNAVAILABLE', 'it is busy');

/** A server with the instances `eu` and `us`, each with its list or its error. */
function start(
  servers: Record<string, McpConnection['listed'] | Error>,
  instructions: Record<string, string> = {},
) {
  const closed: string[] = [];
  const calls: object[] = [];
  const connected: string[] = [];
  const connect = connectInstances(async (name) => {
    connected.push(name);
    const [, instance = ''] = name.split('/');
    const found = servers[instance];
    if (found instanceof Error) throw found;
    const own = instructions[instance];
    return {
      listed: found,
      ...(own !== undefined && { instructions: own }),
      call: async (request: object) => {
        calls.push({ instance, ...request });
        return { content: [{ type: 'text', text: 'done' }] };
      },
      lastWords: () => 'x',
      close: async () => void closed.push(instance),
    } as unknown as McpConnection;
  });
  const list = Object.fromEntries(Object.keys(servers).map((instance) => [instance, {}]));
  const config = { instances: { parameter: 'cluster', list } } as never;
  const { signal } = new AbortController();
  const open = (skip?: ReadonlySet<string>) => connect('k8s', config, signal, false, skip);
  return { open, connect, closed, calls, connected, signal };
}
const call = (connection: McpConnection, name: string, args: object) =>
  connection.call({ tool: tool(name), arguments: args } as never);
const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text;

it('the tools of all instances are offered once, with the instance as a required parameter', async () => {
  const { open, connected, closed } = start({ eu: EU, us: US }, { us: 'Be brief.' });
  const connection = await open();
  expect(connected).toEqual(['k8s/eu', 'k8s/us']);
  const description = 'The cluster that the call is for. Name it with each finding from it.';
  expect(connection.listed).toEqual({
    tools: ['logs', 'pods'].map((name) => ({
      ...tool(name),
      inputSchema: {
        type: 'object',
        properties: { cluster: { type: 'string', enum: ['eu', 'us'], description }, pod: { type: 'string' } },
        required: ['cluster', 'pod'],
      },
    })),
    refused: [],
  });
  expect(connection).toMatchObject({ instructions: 'Be brief.' });
  expect(connection).not.toHaveProperty('missing');
  expect(connection.lastWords()).toBe('');
  await connection.close();
  expect(closed.sort()).toEqual(['eu', 'us']);
});

it.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [true, null, false],
])('a tool that is read-only in one instance (%s) and in another (%s): %s', async (one, other, expected) => {
  const { open } = start({
    eu: { ...EU, tools: [tool('logs', one)] },
    us: { ...US, tools: [tool('logs', other)] },
  });
  expect((await open()).listed.tools).toMatchObject([{ annotations: { readOnlyHint: expected } }]);
});

it('a tool with a parameter of this name is withheld, beside those that were refused', async () => {
  const taken = tool('scale', true, { properties: { cluster: {} } });
  const refused = { name: 'exec', reason: 'it is not allowed' };
  const { open } = start({
    eu: { tools: [taken], refused: [refused] } as never,
    us: { tools: [], refused: [refused] } as never,
  });
  const reason = 'it has a parameter "cluster" of its own: name another one under instances.parameter';
  expect((await open()).listed).toEqual({ tools: [], refused: [{ name: 'scale', reason }, refused] });
});

it('unchanged lists give the same list, and another one a new list', async () => {
  const servers: Record<string, McpConnection['listed']> = { eu: EU, us: US };
  const { open } = start(servers);
  const first = (await open()).listed;
  expect((await open()).listed).toBe(first);
  servers.us = { ...US };
  expect((await open()).listed).not.toBe(first);
});

it('a call goes to its instance alone, without the parameter and with the definition of the instance', async () => {
  const own = tool('logs', true, { required: [] });
  const { open, calls } = start({ eu: EU, us: { tools: [own], refused: [] } });
  const connection = await open();
  expect(textOf(await call(connection, 'logs', { cluster: 'us', pod: 'a' }))).toBe('done');
  expect(calls).toEqual([{ instance: 'us', tool: own, arguments: { pod: 'a' } }]);
});

it.each<[string, object, string]>([
  [
    'pods',
    { cluster: 'eu' },
    'The cluster eu has no tool pods. Values of cluster: eu, us. Nothing was executed.',
  ],
  ['logs', { cluster: 'ap' }, 'There is no cluster "ap". Values of cluster: eu, us. Nothing was executed.'],
  ['logs', {}, 'There is no cluster "". Values of cluster: eu, us. Nothing was executed.'],
])('a call of %s with %j is refused', async (name, args, text) => {
  const { open, calls } = start({ eu: EU, us: US });
  const result = await call(await open(), name, args);
  expect([textOf(result), result.isError, calls]).toEqual([text, true, []]);
});

it('an instance that cannot be reached leaves the others, is named, and its calls fail', async () => {
  const { open, closed } = start({ eu: down, us: US });
  const connection = await open();
  expect(connection.missing).toEqual([{ name: 'k8s/eu', error: down }]);
  await expect(call(connection, 'logs', { cluster: 'eu' })).rejects.toBe(down);
  expect(textOf(await call(connection, 'logs', { cluster: 'us' }))).toBe('done');
  expect(closed).toEqual([]);
});

it('an instance that is skipped is not tried, nor named again', async () => {
  const { open, connected } = start({ eu: EU, us: US });
  const connection = await open(new Set(['k8s/eu']));
  expect([connected, connection.missing]).toEqual([['k8s/us'], undefined]);
  await expect(call(connection, 'logs', { cluster: 'eu' })).rejects.toThrow(
    '"k8s/eu" is unavailable in this investigation',
  );
});

it('without any instance the error is one that can pass, if there is one', async () => {
  await expect(start({ eu: down, us: busy }).open()).rejects.toBe(busy);
  await expect(start({ eu: down, us: down }).open()).rejects.toBe(down);
});

it('a bug closes the other connections', async () => {
  const { open, closed } = start({ eu: EU, us: new TypeError('a bug') });
  await expect(open()).rejects.toThrow('a bug');
  expect(closed).toEqual(['eu']);
});

it('a server without instances is connected as it is', async () => {
  const { connect, connected, signal } = start({ '': EU });
  expect(await connect('k8s', {} as never, signal, false)).toMatchObject({ listed: EU });
  expect(connected).toEqual(['k8s']);
});

it('a result names the instance of its call', () => {
  const instances = { parameter: 'cluster', list: { eu: {} } } as never;
  const name = (args: object, config: object = { instances }) => withInstance('found', args as never, config);
  expect(name({ cluster: 'eu' })).toBe('[cluster eu]\nfound');
  for (const args of [{}, { cluster: 'us' }, { cluster: 'toString' }, { cluster: 5 }])
    expect(name(args)).toBe('found');
  expect(name({ cluster: 'eu' }, {})).toBe('found');
});
