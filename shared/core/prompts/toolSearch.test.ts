import { describe, expect, it } from 'vitest';
import { foundTools, innerCall, searchTools } from './toolSearch.ts';

describe('the call that a call of call_tool is for', () => {
  const call = (input: string, name = 'call_tool') => ({ callId: 'c1', name, arguments: input });
  const inner = (input: string) => {
    const { name, arguments: args } = innerCall(call(input));
    return [name, args];
  };

  it.each([
    ['{"name": "k8s.logs", "arguments": {"pod": "web"}}', '{"pod":"web"}'],
    ['{"name": "k8s.logs", "arguments": "{\\"pod\\": \\"web\\"}"}', '{"pod": "web"}'],
    ['{"name": "k8s.logs"}', '{}'],
    ['{"name": "k8s.logs", "arguments": null}', 'null'],
  ])('has the name and the arguments of %s', (input, args) => {
    expect(inner(input)).toEqual(['k8s.logs', args]);
    expect(innerCall(call(input)).callId).toBe('c1');
  });

  it.each(['not JSON', '[]', 'null', '{}', '{"name": 1}', '{"name": "call_tool", "arguments": {}}'])(
    'is itself with %s',
    (input) => {
      expect(innerCall(call(input))).toEqual(call(input));
    },
  );

  it('is any other call itself', () => {
    const other = call('{"name": "k8s.logs"}', 'k8s.top');
    expect(innerCall(other)).toBe(other);
  });
});

it('both tools only read, and need what they are for', () => {
  const tools = searchTools(['db', 'k8s']);
  expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['find_tools', true],
    ['call_tool', true],
  ]);
  expect(tools.map(({ inputSchema }) => [inputSchema.required, inputSchema.additionalProperties])).toEqual([
    [['query'], false],
    [['name'], false],
  ]);
  expect(tools[0]?.description).toContain('these servers: db, k8s.');
});

it('a search shows its tools, or how many it looked at', () => {
  const tool = { name: 'k8s.logs', description: 'Reads logs.', inputSchema: {}, readOnly: true };
  expect(foundTools([tool], 40)).toMatch(/^1 of 40 tools, the best match first\. [\s\S]*k8s\.logs/);
  expect(foundTools([], 40)).toBe('No tool of 40 has these words. Try other words.');
});
