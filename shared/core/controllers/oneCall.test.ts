import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import { answer, emptySearch } from '../contract/llm.fixture.ts';
import type { LlmResponse } from '../contract/llm.ts';
import type { ToolDefinition } from '../contract/tools.ts';
import { controllerFor } from './registry.ts';

const tools: ToolDefinition[] = [
  { name: 'kubernetes.get_events', description: '', inputSchema: {}, readOnly: true },
];
const REPLAY = { provider: 'google', model: 'gemini-3.8-flash', data: '[{"text":"as it came"}]' };
const turnOf = (strategy: string) => ({
  execution: sampleExecution(),
  agent: sampleAgent({ strategy, nativeTools: ['google_search'] }),
  tools,
  shown: [],
  dataNonce: SAMPLE_NONCE,
  mode: 'investigate' as const,
});
const interpret = (strategy: string, overrides: Partial<LlmResponse>) =>
  controllerFor(strategy).interpret(answer({ replay: REPLAY, ...overrides }), turnOf(strategy));

describe.each(['synthesis', 'synthesis-native-thinking', 'single-call'] as const)('%s', (strategy) => {
  it('asks once, without function tools', () => {
    const controller = controllerFor(strategy);
    expect(controller.loops).toBe(false);
    expect(controller.request([], turnOf(strategy)).tools).toEqual([]);
  });

  it('gives events for thought, native tools and analysis, in this order', () => {
    const { events, next, message } = interpret(strategy, {
      thinking: 'They agree.',
      text: 'Memory.',
      codeExecutions: [{ code: 'print(1)', result: '1' }],
      groundings: [emptySearch()],
    });
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'llm_thinking',
      'code_execution',
      'google_search_result',
      'final_analysis',
    ]);
    expect(next).toEqual({ kind: 'conclude', analysis: 'Memory.' });
    expect(message).toEqual({
      role: 'assistant',
      blocks: [{ blockType: 'text', textContent: 'Memory.' }],
      replay: REPLAY,
    });
  });

  it('makes no analysis of an answer without text', () => {
    const { events, next } = interpret(strategy, { text: ' ' });
    expect(events).toEqual([]);
    expect(next).toMatchObject({ kind: 'give_feedback', code: 'MODEL_EMPTY_ANSWER', messages: [] });
  });
});

it.each([
  ['synthesis', []],
  ['synthesis-native-thinking', ['google_search']],
  ['single-call', []],
] as const)('%s binds the native tools %j', (strategy, nativeTools) => {
  expect(controllerFor(strategy).request([], turnOf(strategy)).nativeTools).toEqual(nativeTools);
});
