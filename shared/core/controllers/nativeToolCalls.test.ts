import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import { answer, emptySearch } from '../contract/llm.fixture.ts';
import type { LlmResponse } from '../contract/llm.ts';
import { nativeThinking } from './nativeThinking.ts';
import { nativeCallResults } from './nativeToolCalls.ts';

const call = (name: string) => ({ callId: `call-${name}`, name, arguments: '{}' });
const calling = (names: string[], fields: Partial<LlmResponse> = {}) =>
  answer({ toolCalls: names.map(call), ...fields });

describe('a native tool that is called as a function', () => {
  it("gets the provider's action under that name in the same answer", () => {
    const grounded = calling(['google_search', 'code_execution'], {
      groundings: [{ ...emptySearch(), sources: [{ uri: 'https://a.example.com', title: '' }] }],
      codeExecutions: [{ code: 'print(1)', result: '1' }],
    });
    expect(nativeCallResults(grounded, ['google_search'])).toMatchObject([
      {
        callId: 'call-google_search',
        name: 'google_search',
        content: "Google Search: 'x' → Sources: https://a.example.com",
        isError: false,
      },
      { content: expect.stringContaining('print(1)'), isError: false },
    ]);
  });

  it('gets an error otherwise, which states whether the agent has it', () => {
    expect(nativeCallResults(calling(['url_context', 'google_search']), ['url_context'])).toMatchObject([
      { content: expect.stringContaining('runs by itself'), isError: true },
      { content: expect.stringContaining('not available to this agent'), isError: true },
    ]);
  });

  it('is not mistaken for the tool of a server', () => {
    expect(nativeCallResults(calling(['web.google_search', 'search']), ['google_search'])).toEqual([]);
  });

  it('is answered beside calls that are run', () => {
    const input = {
      execution: sampleExecution(),
      agent: sampleAgent({ nativeTools: ['google_search'] }),
      tools: [],
      shown: [],
      dataNonce: SAMPLE_NONCE,
      mode: 'investigate' as const,
    };
    const response = calling(['kubernetes.get_events', 'google_search']);
    expect(nativeThinking.interpret(response, input).next).toMatchObject({
      kind: 'call_tools',
      calls: response.toolCalls,
      knownResults: [{ callId: 'call-google_search', isError: true }],
    });
  });
});

describe('a call whose arguments do not fit the schema of its tool', () => {
  const inputSchema = { type: 'object', properties: { pod: { type: 'string' } }, required: ['pod'] };
  const tool = { name: 'kubernetes.get_logs', description: '', inputSchema, readOnly: true };
  const calls = [
    { callId: 'a', name: tool.name, arguments: '{}' },
    { callId: 'b', name: tool.name, arguments: '{"pod":"web"}' },
    { callId: 'c', name: tool.name, arguments: 'web' },
    { callId: 'd', name: 'kubernetes.nosuch', arguments: '{}' },
  ];

  it('gets an error in the place of its result; other calls are run', () => {
    const input = {
      execution: sampleExecution(),
      agent: sampleAgent({}),
      tools: [tool],
      shown: [],
      dataNonce: SAMPLE_NONCE,
      mode: 'investigate' as const,
    };
    expect(nativeThinking.interpret(answer({ toolCalls: calls }), input).next).toMatchObject({
      kind: 'call_tools',
      calls,
      knownResults: [
        { callId: 'a', isError: true, content: 'The argument "pod" is missing. Nothing was executed.' },
        { callId: 'c', isError: true, content: expect.stringContaining('There is no argument "input".') },
      ],
    });
  });
});

describe('the request of NativeThinking', () => {
  const tools = [{ name: 'kubernetes.get_events', description: '', inputSchema: {}, readOnly: true }];
  const nativeToolsOf = (
    combineNativeTools: boolean,
    bound = tools,
    mode: 'investigate' | 'conclude' = 'investigate',
  ) =>
    nativeThinking.request([], {
      execution: sampleExecution(),
      agent: sampleAgent({ nativeTools: ['google_search'], combineNativeTools, outsideTools: 'together' }),
      tools: bound,
      shown: [],
      dataNonce: SAMPLE_NONCE,
      mode,
    }).nativeTools ?? [];

  it('binds native tools without function tools, or beside them where they are combined', () => {
    expect(nativeToolsOf(false, [])).toEqual(['google_search']);
    expect(nativeToolsOf(false)).toEqual([]);
    expect(nativeToolsOf(true)).toEqual(['google_search']);
  });

  it('binds none when the model must conclude', () => {
    expect(nativeToolsOf(true, tools, 'conclude')).toEqual([]);
    expect(nativeToolsOf(false, [], 'conclude')).toEqual([]);
  });
});
