import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../../core/contract/tools.ts';
import { repeatedCallResults } from './repeatedCalls.ts';

const tool = (name: string, readOnly: boolean): ToolDefinition => ({
  name,
  description: '',
  inputSchema: {},
  readOnly,
});
const tools = [tool('a.read', true), tool('a.write', false)];
const call = (args = '{"pod":"web"}', name = 'a.read', callId = 'new'): ToolCall => ({
  callId,
  name,
  arguments: args,
});

/** A call of an earlier iteration and its result; `noAnswer` for one that no tool answered. */
function made(
  iteration: number | undefined,
  { callId, name, arguments: input }: ToolCall,
  result: string,
  noAnswer?: true,
): ConversationMessage[] {
  const at = iteration === undefined ? {} : { iteration };
  const use = { blockType: 'tool_use' as const, toolUseId: callId, toolName: name, input };
  const answer = {
    blockType: 'tool_result' as const,
    toolUseId: callId,
    toolName: name,
    isError: false,
    textContent: result,
    ...(noAnswer && { noAnswer }),
  };
  return [
    { role: 'assistant', blocks: [use], ...at },
    { role: 'tool', blocks: [answer], ...at },
  ];
}

const refused = (
  conversation: ConversationMessage[],
  calls: ToolCall[] = [call()],
  known: ReadonlySet<string> = new Set(),
) =>
  repeatedCallResults(calls, known, { conversation, tools, iteration: 9 }).map(({ callId, content }) => [
    callId,
    content.slice(0, content.indexOf(' Work with')),
  ]);

describe('a read-only call', () => {
  it('is refused the third time, with the iterations and whether the result changed', () => {
    const first = made(2, call(), 'up');
    expect(refused(first)).toEqual([]);
    expect(refused([...first, ...made(5, call(), 'up')])).toEqual([
      [
        'new',
        'Not run: a.read was called with these arguments in iterations 2 and 5 already. Its result was the same both times.',
      ],
    ]);
    expect(refused([...first, ...made(5, call(), 'down')])).toEqual([
      ['new', expect.stringContaining('Its result had changed in between; the later one is the newest.')],
    ]);
  });

  it('lists the last two of more', () => {
    const conversation = [1, 2, 4].flatMap((iteration) => made(iteration, call(), 'up'));
    expect(refused(conversation)).toEqual([
      ['new', expect.stringContaining('in iterations 2 and 4 already')],
    ]);
  });

  it('is the same when its arguments are deeply equal, however they are written', () => {
    const conversation = [
      ...made(1, call('{"a":1,"b":{"c":[1,2],"d":null}}'), ''),
      ...made(2, call('{ "b": {"d": null, "c": [1, 2]}, "a": 1.0 }'), ''),
    ];
    expect(refused(conversation, [call('{"b":{"c":[1,2],"d":null},"a":1}')])).toHaveLength(1);
    for (const other of ['{"a":1,"b":{"c":[2,1],"d":null}}', '{"a":"1","b":{"c":[1,2],"d":null}}', '{}']) {
      expect(refused(conversation, [call(other)])).toEqual([]);
    }
    expect(refused([...made(1, call(''), ''), ...made(2, call('{}'), '')], [call(' ')])).toHaveLength(1);
  });

  it('is counted within one answer too', () => {
    const calls = ['x', 'y', 'z'].map((callId) => call(undefined, undefined, callId));
    expect(refused([], calls)).toEqual([
      ['z', 'Not run: a.read was called with these arguments twice in iteration 9 already.'],
    ]);
  });

  it('counts only runs that a tool answered', () => {
    const lost = made(1, call(), 'could not be run', true);
    expect(refused([...lost, ...lost, ...made(3, call(), 'up')])).toEqual([]);
  });

  it('counts on while it is refused: a refusal is no run', () => {
    const twice = [...made(1, call(), 'up'), ...made(2, call(), 'up')];
    expect(refused([...twice, ...made(3, call(), 'Not run', true)])).toEqual([
      ['new', expect.stringContaining('in iterations 1 and 2')],
    ]);
  });

  it('is another call with another tool or other arguments, also within one answer', () => {
    const other = [...tools, tool('a.list', true)];
    const calls = [call('{}'), call('{}', 'a.list'), call('{"a":1}'), call('{}', 'a.list', 'twice')];
    expect(repeatedCallResults(calls, new Set(), { conversation: [], tools: other, iteration: 9 })).toEqual(
      [],
    );
  });

  it('is refused with its result, which is no error, after one of this answer too', () => {
    const conversation = made(2, call(), 'up');
    const [result, ...others] = repeatedCallResults(
      [call(), call(undefined, undefined, 'third')],
      new Set(),
      {
        conversation,
        tools,
        iteration: 9,
      },
    );
    expect(others).toEqual([]);
    expect(result).toMatchObject({ callId: 'third', name: 'a.read', isError: false });
    expect(result?.content).toBe(
      'Not run: a.read was called with these arguments in iterations 2 and 9 already. Work with what it returned. To learn more, call another tool, or this one with other arguments; if nothing is left to ask, conclude.',
    );
  });

  it('is counted by the result of the same call, whatever else its messages hold', () => {
    const [asked, got] = made(3, call(), 'up');
    if (asked === undefined || got === undefined) throw new Error('no messages');
    const text = { blockType: 'text' as const, textContent: 'x' };
    const use = { blockType: 'tool_use' as const, toolName: 'a.read', input: '{"pod":"web"}' };
    const run = { ...use, toolUseId: 'provider', executionSide: 'provider' as const };
    const lost = { ...got.blocks[0], toolUseId: 'lost' } as (typeof got.blocks)[number];
    const foreign = { ...got.blocks[0], toolUseId: 'provider' } as (typeof got.blocks)[number];
    const whole = [
      { ...asked, blocks: [text, ...asked.blocks, run] },
      { ...got, blocks: [text, lost, foreign, ...got.blocks] },
    ];
    expect(refused(whole)).toEqual([]);
    expect(refused([...whole, ...made(undefined, call(), 'up')])).toEqual([
      ['new', expect.stringContaining('with these arguments twice already. Its result was the same')],
    ]);
  });

  it('is named without iterations where older code stored none', () => {
    const conversation = [...made(undefined, call(), 'up'), ...made(undefined, call(), 'up')];
    expect(refused(conversation)).toEqual([
      ['new', expect.stringContaining('with these arguments twice already')],
    ]);
  });
});

it('a call that can change something, of an unknown tool, or with a known result is not changed', () => {
  const other = (name: string) => [...made(1, call('{}', name), ''), ...made(2, call('{}', name), '')];
  expect(refused(other('a.write'), [call('{}', 'a.write')])).toEqual([]);
  expect(refused(other('a.gone'), [call('{}', 'a.gone')])).toEqual([]);
  expect(refused(other('a.read'), [call('{}')], new Set(['new']))).toEqual([]);
});
