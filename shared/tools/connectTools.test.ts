import { describe, expect, it } from 'vitest';
import type { ToolDefinition, ToolSource } from '../core/contract/tools.ts';
import { TerminalError } from '../core/errors.ts';
import { createToolConnector } from './connectTools.ts';

type ExternalMark = ToolDefinition['external'];

const { signal } = new AbortController();

/** A source with tools and their `external`; null for one that cannot be connected. */
function source(name: string, tools: Record<string, ExternalMark> | null, external?: 'outside'): ToolSource {
  return {
    name,
    ...(external !== undefined && { external }),
    async connect() {
      if (tools === null) throw new TerminalError('TOOL_SERVER_UNAVAILABLE', `${name} is gone`);
      return {
        tools: Object.entries(tools).map(([tool, one]) => ({
          name: `${name}.${tool}`,
          description: '',
          inputSchema: {},
          readOnly: true,
          ...(one !== undefined && { external: one }),
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
  it('are not offered beside private ones, and the log names the remedy', async () => {
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

  it('are not offered either while the private ones cannot be reached: the agent could have read there before', async () => {
    expect((await connect([source('logs', null), web])).names).toEqual([]);
    expect((await connect([source('other', null, 'outside'), web])).names).toEqual(['web.fetch']);
  });

  it('are not offered beside tools that only their server declares private', async () => {
    expect((await connect([source('far', { send: 'hinted' }), web])).names).toEqual(['far.send']);
  });
});

describe('a result above its limit', () => {
  const model = { provider: 'google', model: 'lite', includeThoughts: false };

  async function run(content: string, results?: { maxBytes?: number; summarizeWith?: typeof model }) {
    const server: ToolSource = {
      name: 'logs',
      connect: () =>
        Promise.resolve({
          tools: [{ name: 'logs.read', description: '', inputSchema: {}, readOnly: true }],
          ...(results && { results }),
          call: () => Promise.resolve({ content, isError: false, timedOut: false }),
          close: () => Promise.resolve(),
        }),
    };
    const { executor } = await connect([server]);
    const mask = (text: string) => ({ text: text.replaceAll('secret', '[masked]'), count: 1 });
    const options = {
      signal,
      timeoutMs: 1,
      maxResultBytes: 100,
      mask,
      idempotencyKey: 'k',
      traceparent: null,
    };
    return executor.execute({ callId: 'c', name: 'logs.read', arguments: '{}' }, options);
  }

  it('comes with the whole, masked and visible', async () => {
    const { content, truncated, large } = await run(`${'x'.repeat(200)} secret\u200b`);
    expect([Buffer.byteLength(content) <= 100, truncated]).toEqual([true, true]);
    expect(large).toEqual({ text: `${'x'.repeat(200)} [masked]\ufffd`, bytes: 212, maxBytes: 100 });
  });

  it('is judged by the limit of its server before that of the agent, and names the summarising model', async () => {
    expect((await run('x'.repeat(150), { maxBytes: 150 })).large).toBeUndefined();
    const { large } = await run('x'.repeat(90), { maxBytes: 80, summarizeWith: model });
    expect(large).toMatchObject({ maxBytes: 80, summarizeWith: model });
  });

  it('is kept up to 5 MB, with its head and its tail', async () => {
    const { large } = await run(`head${'x'.repeat(5_000_000)}tail`);
    const kept = Buffer.byteLength(large?.text ?? '');
    expect([kept <= 5_000_000, kept > 4_999_900]).toEqual([true, true]);
    expect(large?.text).toMatch(/^head.*bytes left out.*tail$/s);
    expect(large?.bytes).toBe(5_000_008);
  });
});
