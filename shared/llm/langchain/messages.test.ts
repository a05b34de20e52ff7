import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../contract/llm.ts';
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

  it('tell thoughts of other models as tagged text', () => {
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

  it('tell calls and failed results as text', () => {
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

  it('must hold something to answer', () => {
    expect(() => wireMessages([said('system', 'A'), said('user', '  ')])).toThrow(
      expect.objectContaining({ code: 'MODEL_BAD_REQUEST' }),
    );
  });
});
