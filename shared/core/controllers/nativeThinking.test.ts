import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import type { IterationMode } from '../contract/controller.ts';
import { answer } from '../contract/llm.fixture.ts';
import type { ConversationMessage, LlmResponse } from '../contract/llm.ts';
import type { ToolDefinition } from '../contract/tools.ts';
import type { Block } from '../schema/block.ts';
import { nativeThinking } from './nativeThinking.ts';

const tools: ToolDefinition[] = [
  { name: 'kubernetes.get_events', description: '', inputSchema: {}, readOnly: true },
];
const call = { callId: 'call-1', name: 'kubernetes.get_events', arguments: '{"namespace":"shop"}' };
const agent = sampleAgent({ limits: { ...sampleAgent().limits, maxIterations: 7 } });
const inputOf = (mode: IterationMode = 'investigate') => ({
  execution: sampleExecution({ limits: agent.limits, iteration: 8 }),
  agent,
  tools,
  shown: [],
  dataNonce: SAMPLE_NONCE,
  mode,
});

describe('the request', () => {
  const conversation = [
    { role: 'user' as const, blocks: [{ blockType: 'text' as const, textContent: 'Why?' }] },
  ];

  it("is the conversation with the agent's model, and its tools bound", () => {
    expect(nativeThinking.request(conversation, inputOf())).toEqual({
      model: agent.model,
      messages: conversation,
      tools,
    });
  });

  it.each([true, false])('holds a result as it was stored, and whether it failed (%s)', (isError) => {
    const result: ConversationMessage = {
      role: 'tool',
      blocks: [
        {
          blockType: 'tool_result',
          toolUseId: 'call-1',
          toolName: call.name,
          isError,
          textContent: 'OOMKilled',
        },
      ],
    };
    expect(nativeThinking.request([...conversation, result], inputOf()).messages.at(-1)).toEqual(result);
  });

  it('binds no tools when the model must conclude', () => {
    expect(nativeThinking.request(conversation, inputOf('conclude'))).toMatchObject({
      messages: conversation,
      tools: [],
    });
  });
});

describe('an answer', () => {
  const interpret = (overrides: Partial<LlmResponse>, mode?: IterationMode) =>
    nativeThinking.interpret(answer(overrides), inputOf(mode));
  const story = (overrides: Partial<LlmResponse>, mode?: IterationMode) =>
    interpret(overrides, mode).events.map(({ eventType, content }) => [eventType, content]);

  it('with calls gives events for thought and text, and the calls are run', () => {
    const all = { thinking: 'Hm.', text: 'I look.', toolCalls: [call] };
    expect(story(all)).toEqual([
      ['llm_thinking', 'Hm.'],
      ['llm_response', 'I look.'],
    ]);
    expect(interpret(all).next).toEqual({ kind: 'call_tools', calls: [call] });
    expect(story({ toolCalls: [call] })).toEqual([]);
    expect(story({ text: ' \n', toolCalls: [call] })).toEqual([]);
  });

  it('without calls is the final analysis', () => {
    expect(interpret({ thinking: 'Hm.', text: 'Out of memory.' })).toMatchObject({
      events: [
        { eventType: 'llm_thinking', content: 'Hm.', metadata: { source: 'native' } },
        { eventType: 'final_analysis', content: 'Out of memory.', metadata: { citations: [] } },
      ],
      next: { kind: 'conclude', analysis: 'Out of memory.' },
    });
  });

  it('that was cut off is marked', () => {
    expect(interpret({ text: 'Out of', truncated: true }).events[0]?.metadata).toEqual({
      citations: [],
      truncated: true,
    });
  });

  it('to the demand to conclude is marked as forced, with the limit', () => {
    expect(interpret({ text: 'Probably memory.' }, 'conclude').events[0]?.metadata).toEqual({
      citations: [],
      forcedConclusion: true,
      iterationsUsed: 7,
      maxIterations: 7,
    });
  });

  it('with calls in spite of that demand has none of them run: its text is the conclusion', () => {
    const all = { text: 'Probably memory.', toolCalls: [call] };
    expect(story(all, 'conclude')).toEqual([['final_analysis', 'Probably memory.']]);
    expect(interpret(all, 'conclude').next).toEqual({ kind: 'conclude', analysis: 'Probably memory.' });
  });

  it.each([
    ['nothing', 'investigate', {}],
    ['blanks', 'investigate', { text: ' \n' }],
    ['calls only, when it must conclude', 'conclude', { toolCalls: [call] }],
  ] as const)('of %s is no conclusion, and the model gets feedback', (_, mode, overrides) => {
    const { events, next } = interpret(
      { ...overrides, toolCalls: [...('toolCalls' in overrides ? overrides.toolCalls : [])] },
      mode,
    );
    expect(events).toEqual([]);
    expect(next).toMatchObject({
      kind: 'give_feedback',
      code: 'MODEL_EMPTY_ANSWER',
      messages: [{ role: 'user', blocks: [{ textContent: expect.stringContaining('no text') }] }],
    });
  });

  it("goes back into the conversation as its blocks, with the provider's own form as it came", () => {
    const blocks: Block[] = [
      { blockType: 'thinking', textContent: 'Hm.', provider: 'google', providerData: '{"a":1}' },
      { blockType: 'text', textContent: 'I look.' },
      { blockType: 'tool_use', toolUseId: 'call-1', toolName: call.name, input: call.arguments },
    ];
    const replay = { provider: 'google', model: agent.model.model, data: '[{"text":"as it came"}]' };
    const { message } = interpret({ thinking: 'Hm.', text: 'I look.', toolCalls: [call], blocks, replay });
    expect(message).toEqual({ role: 'assistant', blocks, replay });
  });

  it('of a provider without a form of its own goes back as only its blocks', () => {
    const blocks: Block[] = [{ blockType: 'text', textContent: 'Memory.' }];
    expect(interpret({ text: 'Memory.', blocks }).message).toEqual({ role: 'assistant', blocks });
  });
});

describe('messages to the model', () => {
  it('of a failure: the reason, in the words of its source', () => {
    expect(nativeThinking.explainFailure('No answer.')).toEqual({
      role: 'user',
      blocks: [
        { blockType: 'text', textContent: 'Error from previous attempt: No answer. Please try again.' },
      ],
    });
  });
});
