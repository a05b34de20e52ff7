import { describe, expect, it } from 'vitest';
import type { IterationInput, IterationMode } from '../../shared/core/contract/controller.ts';
import { answer } from '../../shared/core/contract/llm.fixture.ts';
import type { ConversationMessage } from '../../shared/core/contract/llm.ts';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../test/support/samples.ts';
import { planFirst } from './planFirst.ts';

const call = { callId: 'call_1', name: 'kubernetes.get_logs', arguments: '{}' };
const PLAN = 'Plan:\n1. Read the logs.\n2. Look at the limits.';

function inputOf(iteration = 1, mode: IterationMode = 'investigate'): IterationInput {
  const tools = [{ name: call.name, description: 'Reads logs.', inputSchema: {}, readOnly: true }];
  const execution = sampleExecution({ iteration });
  return { execution, agent: sampleAgent(), tools, shown: [], dataNonce: SAMPLE_NONCE, mode };
}
const message = (role: ConversationMessage['role'], textContent: string): ConversationMessage => ({
  role,
  blocks: [{ blockType: 'text', textContent }],
});

describe('the request of plan-first', () => {
  const conversation = [message('system', 'You are kubernetes.'), message('user', 'Investigate.')];
  const systemPrompt = (of: IterationInput) => planFirst.request(conversation, of).messages[0];

  it('asks for a plan in the system prompt, and binds the tools', () => {
    expect(JSON.stringify(systemPrompt(inputOf()))).toContain('You are kubernetes.');
    expect(JSON.stringify(systemPrompt(inputOf()))).toContain('Begin your first answer with');
    expect(planFirst.request(conversation, inputOf()).tools).toEqual(inputOf().tools);
    expect(conversation[0]?.blocks).toHaveLength(1);
  });

  it('has the same system prompt in every iteration', () => {
    for (const later of [inputOf(2), inputOf(20, 'conclude')]) {
      expect(JSON.stringify(systemPrompt(later))).toBe(JSON.stringify(systemPrompt(inputOf())));
    }
  });
});

describe('the first answer', () => {
  it('with a plan and calls shows the plan as an action, and runs the calls', () => {
    const { events, next } = planFirst.interpret(answer({ text: PLAN, toolCalls: [call] }), inputOf());
    expect(events).toEqual([{ eventType: 'action', content: PLAN, metadata: { actionType: 'plan' } }]);
    expect(next).toEqual({ kind: 'call_tools', calls: [call] });
  });

  it.each(['', 'I look at the logs.'])(
    'with calls and %j for a plan runs nothing, and states why',
    (text) => {
      const { next } = planFirst.interpret(answer({ text, toolCalls: [call] }), inputOf());
      expect(next).toMatchObject({
        kind: 'call_tools',
        knownResults: [
          { callId: call.callId, isError: true, content: expect.stringContaining('plan first') },
        ],
      });
    },
  );

  it('with only a plan is no analysis', () => {
    const { events, next } = planFirst.interpret(answer({ text: PLAN, thinking: 'Hm.' }), inputOf());
    expect(events.map(({ eventType }) => eventType)).toEqual(['llm_thinking']);
    expect(next).toMatchObject({ kind: 'give_feedback', reason: expect.stringContaining('carry it out') });
  });

  it('can conclude at once', () => {
    expect(planFirst.interpret(answer({ text: 'Out of memory.' }), inputOf()).next.kind).toBe('conclude');
  });
});

it('later answers call tools without a plan', () => {
  const { next } = planFirst.interpret(answer({ toolCalls: [call] }), inputOf(2));
  expect(next).toEqual({ kind: 'call_tools', calls: [call] });
});

it('the last iteration concludes with any answer', () => {
  const { next } = planFirst.interpret(answer({ text: PLAN }), inputOf(5, 'conclude'));
  expect(next).toEqual({ kind: 'conclude', analysis: PLAN });
});
