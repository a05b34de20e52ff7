import { describe, expect, it } from 'vitest';
import type { ToolDefinition, ToolSource } from '../contract/tools.ts';
import { TerminalError } from '../errors.ts';
import { createToolConnector } from './connectTools.ts';

type Reach = ToolDefinition['reach'];

const { signal } = new AbortController();

/** A source whose tools reach as far as said; null for one that cannot be reached. */
function source(name: string, tools: Record<string, Reach> | null, reach?: 'outside'): ToolSource {
  return {
    name,
    ...(reach !== undefined && { reach }),
    async connect() {
      if (tools === null) throw new TerminalError('TOOL_SERVER_UNAVAILABLE', `${name} is gone`);
      return {
        tools: Object.entries(tools).map(([tool, one]) => ({
          name: `${name}.${tool}`,
          description: '',
          inputSchema: {},
          readOnly: true,
          ...(one !== undefined && { reach: one }),
        })),
        call: () => Promise.resolve({ content: 'called', isError: false, timedOut: false }),
        close: () => Promise.resolve(),
      };
    },
  };
}

const logs = source('logs', { read: undefined });
const web = source('web', { fetch: 'outside' }, 'outside');
const mixed = source('mixed', { look: undefined, post: 'hinted' });

async function connect(sources: ToolSource[], outsideTools?: 'apart' | 'together') {
  const warnings: string[] = [];
  const warn = (message: string, fields: Record<string, unknown>) =>
    void warnings.push(`${fields.tool}: ${message}`);
  const allowed = sources.map(({ name }) => name);
  const executor = await createToolConnector(sources, { warn })(allowed, {
    signal,
    ...(outsideTools !== undefined && { outsideTools }),
  });
  return { names: executor.list().map(({ name }) => name), warnings, executor };
}

describe('tools that reach outside', () => {
  it('are not offered beside private ones, and the log says what to do', async () => {
    const { names, warnings, executor } = await connect([logs, web, mixed]);
    expect(names).toEqual(['logs.read', 'mixed.look']);
    expect(warnings).toEqual([
      expect.stringMatching(/^web\.fetch: .* outsideTools: together$/),
      expect.stringMatching(/^mixed\.post: .*openWorldHint.* reaches: inside/),
    ]);
    const call = { callId: 'c', name: 'web.fetch', arguments: '{}' };
    const options = {
      signal,
      timeoutMs: 1,
      maxResultBytes: 100,
      mask: (text: string) => ({ text, count: 0 }),
      idempotencyKey: '',
      traceparent: null,
    };
    expect(await executor.execute(call, options)).toMatchObject({ isError: true, noAnswer: true });
  });

  it('are offered without private ones, and where an agent is to have both', async () => {
    expect((await connect([web])).names).toEqual(['web.fetch']);
    expect((await connect([logs, web, mixed], 'together')).names).toEqual([
      'logs.read',
      'mixed.look',
      'mixed.post',
      'web.fetch',
    ]);
  });

  it('are not offered either while the private ones cannot be reached: the agent may have read there before', async () => {
    expect((await connect([source('logs', null), web])).names).toEqual([]);
    expect((await connect([source('other', null, 'outside'), web])).names).toEqual(['web.fetch']);
  });

  it('are not offered beside tools of which only their server says that they do', async () => {
    expect((await connect([source('far', { send: 'hinted' }), web])).names).toEqual(['far.send']);
  });
});
