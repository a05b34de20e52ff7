import { describe, expect, it } from 'vitest';
import { boundTools, toRuntimeCalls } from './boundTools.ts';
import { wireMessages } from './messages.ts';

const tool = { name: 'k8s.logs', description: 'Reads logs', inputSchema: {}, readOnly: true };
const request = {
  model: { provider: 'openai', model: 'gpt-5', includeThoughts: true },
  messages: [{ role: 'user' as const, blocks: [] }],
  tools: [tool],
};

describe('bound tools', () => {
  it('are declared under their wire names, with a schema that is one', () => {
    expect(boundTools([tool])).toEqual([
      {
        type: 'function',
        function: {
          name: 'k8s__logs',
          description: 'Reads logs',
          parameters: { type: 'object', properties: {} },
        },
      },
    ]);
  });

  it('are called under their own names, each call with an id of its own', () => {
    const calls = [
      { id: 'a', name: 'k8s__logs', args: '{"pod":"x"}' },
      { id: 'a', name: 'k8s__logs', args: ' ' },
      { id: '', name: 'nobody__knows', args: '{}' },
    ];
    expect(toRuntimeCalls(calls, request)).toEqual([
      { callId: 'a', name: 'k8s.logs', arguments: '{"pod":"x"}' },
      { callId: 'a_1', name: 'k8s.logs', arguments: '{}' },
      { callId: 'call_1_2', name: 'nobody.knows', arguments: '{}' },
    ]);
  });

  it.each([
    ['k8s__logs', 'k8s.logs'],
    [' k8s__logs\n', 'k8s.logs'],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('are named %o as %s, with their arguments', (name, own) => {
    const [call] = toRuntimeCalls([{ id: 'a', name, args: '{"pod":"x"}' }], request);
    expect(call).toEqual({ callId: 'a', name: own, arguments: '{"pod":"x"}' });
  });

  it.each(['', '-_-', 'k8s__lo\u200Bgs', 'k8s__lo\ngs', 'x'.repeat(201)])(
    'are calls of no tool, without arguments, if they are named %o',
    (name) => {
      const [call] = toRuntimeCalls([{ id: 'a', name, args: '{"pod":"x"}' }], request);
      expect(call).toEqual({ callId: 'a', name: 'unnamed_call', arguments: '{}' });
    },
  );
});

it('a tool name in the history is the one that is declared', () => {
  const long = `k8s.${'x'.repeat(80)}`;
  const [declared] = boundTools([{ ...tool, name: long }]);
  const [, answer] = wireMessages(
    [
      { role: 'user', blocks: [{ blockType: 'text', textContent: 'Q' }] },
      {
        role: 'assistant',
        blocks: [{ blockType: 'tool_use', toolUseId: 'c', toolName: long, input: '{}' }],
      },
    ],
    { withCalls: true },
  );
  expect(answer).toMatchObject({ tool_calls: [{ name: declared?.function.name }] });
});
