import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../core/contract/tools.ts';
import { unreachableTools } from '../../core/iteration/prepare/connectTools.ts';
import type { BuiltInAnswer } from './builtInAnswer.ts';
import { withBuiltInTools } from './builtInTools.ts';

const tool = (name: string): ToolDefinition => ({ name, description: '', inputSchema: {}, readOnly: true });
const options = {
  signal: new AbortController().signal,
  timeoutMs: 1,
  maxResultBytes: 200,
  mask: async (text: string) => ({
    text: text.replaceAll('secret', '***'),
    count: text.split('secret').length - 1,
  }),
  idempotencyKey: 'k',
  traceparent: null,
};

/** An executor with the tool `a.b`, for an agent with the built-in tool `search` of two. */
function open(answer: BuiltInAnswer, own = ['search']) {
  const executor = {
    ...unreachableTools(new Error('down')),
    list: () => [tool('a.b')],
    execute: async () => 'the answer of the server' as never,
  } as never;
  const agent = { tools: own, toolDescriptions: { search: 'Finds pages.' } };
  const builtIn = ['search', 'other'].map((name) => ({ tool: tool(name), run: async () => answer }));
  const tools = withBuiltInTools(executor, { agent } as never, builtIn);
  const execute = (name: string, changes: object = {}) =>
    tools.execute({ callId: 'c', name, arguments: '{}' }, { ...options, ...changes } as never);
  return { tools, execute, executor };
}

it.each<[string, BuiltInAnswer, object]>([
  ['short one', { content: 'found', isError: false }, { content: 'found', isError: false, truncated: false }],
  [
    'one with a secret and a hidden character',
    { content: 'a secret\u200b', isError: true, yields: 'none' as never },
    { content: 'a ***\ufffd', isError: true, truncated: false, masked: 1, yields: 'none' },
  ],
  [
    'a long one',
    { content: 'x'.repeat(300), isError: false },
    {
      content: expect.stringMatching(/^x+\n\[/),
      isError: false,
      truncated: true,
      large: { text: 'x'.repeat(300), bytes: 300, maxBytes: 200 },
    },
  ],
])('the result of a built-in tool is treated as that of a server: %s', async (_, answer, expected) => {
  const { execute } = open(answer);
  const rest = { callId: 'c', name: 'search', durationMs: expect.any(Number), timedOut: false };
  expect(await execute('search')).toStrictEqual({ yields: 'state', ...rest, ...expected });
});

it('an agent has only its built-in tools, beside those of its servers', async () => {
  const answer = { content: 'x', isError: false };
  const { tools, execute } = open(answer);
  expect(tools.list()).toEqual([tool('a.b'), { ...tool('search'), description: 'Finds pages.' }]);
  expect(await execute('a.b')).toBe('the answer of the server');
  expect(await execute('other')).toBe('the answer of the server');
  const signal = AbortSignal.abort(new Error('the lease is lost'));
  await expect(execute('search', { signal })).rejects.toThrow('the lease is lost');
  const without = open(answer, []);
  expect(without.tools).toBe(without.executor);
});
