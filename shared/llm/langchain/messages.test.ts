import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { wireMessages } from './messages.ts';

const said = (role: ConversationMessage['role'], ...texts: string[]): ConversationMessage => ({
  role,
  blocks: texts.map((textContent) => ({ blockType: 'text', textContent })),
});

describe('messages for any provider', () => {
  it('gather the system texts in front', () => {
    expect(wireMessages([said('system', 'A'), said('user', 'Q'), said('system', 'B')])).toEqual([
      { role: 'system', content: 'A\n\nB' },
      { role: 'user', content: 'Q' },
    ]);
  });

  it('take turns: neighbours of one role become one', () => {
    expect(
      wireMessages([said('user', 'Q'), said('user', 'Observation'), said('assistant', 'A', 'B')]),
    ).toEqual([
      { role: 'user', content: 'Q\n\nObservation' },
      { role: 'assistant', content: 'A\n\nB' },
    ]);
  });

  it('send thoughts of other models as tagged text', () => {
    const thought: ConversationMessage = {
      role: 'assistant',
      blocks: [{ blockType: 'thinking', textContent: 'Hm.' }],
    };
    expect(wireMessages([said('user', 'Q'), thought, said('user', 'R')])).toEqual([
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: '<thinking>\nHm.\n</thinking>' },
      { role: 'user', content: 'R' },
    ]);
  });

  it('send calls and failed results as text', () => {
    const id = { toolUseId: 'c1', toolName: 'k8s.logs' };
    const messages: ConversationMessage[] = [
      said('user', 'Q'),
      { role: 'assistant', blocks: [{ blockType: 'tool_use', ...id, input: '{"pod":"a"}' }] },
      { role: 'tool', blocks: [{ blockType: 'tool_result', ...id, isError: true, textContent: 'gone' }] },
    ];
    expect(wireMessages(messages).slice(1)).toEqual([
      { role: 'assistant', content: 'Called k8s.logs with {"pod":"a"}' },
      { role: 'user', content: 'Error of k8s.logs: gone' },
    ]);
  });

  it('keep calls and results apart where tools are bound, in call order, with ids that every provider takes', () => {
    const use = (toolUseId: string, pod: string) =>
      ({ blockType: 'tool_use', toolUseId, toolName: 'k8s.logs', input: `{"pod":"${pod}"}` }) as const;
    const result = (toolUseId: string, textContent: string, isError = false) =>
      ({ blockType: 'tool_result', toolUseId, toolName: 'k8s.logs', textContent, isError }) as const;
    const signed = { provider: 'google', providerData: '{"thought_signature":"c2ln"}' };
    const messages: ConversationMessage[] = [
      said('user', 'Q'),
      {
        role: 'assistant',
        blocks: [
          { blockType: 'thinking', textContent: 'Hm.', ...signed },
          { ...use('call:1', 'a'), ...signed },
          use('call:2', 'b'),
          use('call:3', 'c'),
        ],
        replay: { provider: 'google', model: 'gemini-3.8-flash', data: '[{"thoughtSignature":"c2ln"}]' },
      },
      { role: 'tool', blocks: [result('call:2', 'gone', true)] },
      { role: 'tool', blocks: [result('call:1', ' ')] },
      said('user', 'Please try again.'),
    ];
    const wire = wireMessages(messages, { withCalls: true });
    const call = (id: string, pod: string) => ({ type: 'tool_call', id, name: 'k8s__logs', args: { pod } });
    const answer = { role: 'tool', name: 'k8s__logs' };
    expect(wire.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '<thinking>\nHm.\n</thinking>',
        tool_calls: [call('call_1', 'a'), call('call_2', 'b'), call('call_3', 'c')],
      },
      { ...answer, tool_call_id: 'call_1', content: '(no output)', status: 'success' },
      { ...answer, tool_call_id: 'call_2', content: 'Error: gone', status: 'error' },
      {
        ...answer,
        tool_call_id: 'call_3',
        content: 'Error: There is no result: the call was not carried out.',
        status: 'error',
      },
      { role: 'user', content: 'Please try again.' },
    ]);
    expect(JSON.stringify(wire)).not.toContain('c2ln');
  });

  it('must hold something to answer', () => {
    expect(() => wireMessages([said('system', 'A'), said('user', '  ')])).toThrow(
      expect.objectContaining({ code: 'MODEL_BAD_REQUEST' }),
    );
  });
});
