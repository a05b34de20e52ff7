import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../../../test/support/samples.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { AnswerChunks } from './chunks.ts';

const at = new Date('2026-11-28T18:24:00Z');
const OWN = '01-kubernetes';

const live = (thinking: string, text: string, part: Partial<LiveText> = {}): LiveText => ({
  sessionId: 'session-1',
  executionId: OWN,
  iteration: 1,
  text,
  textStart: 0,
  thinking,
  thinkingStart: 0,
  verbatim: true,
  freshUntil: at,
  expireAt: at,
  ...part,
});
const thought = (content: string) => sampleEvent('llm_thinking', { executionId: OWN, iteration: 1, content });
const answer = (content: string) => sampleEvent('llm_response', { executionId: OWN, iteration: 1, content });

/** The thoughts and the pieces of text that a client gets, in order. */
function sentFor(outputs: readonly (LiveText | ReturnType<typeof thought>)[]): string[] {
  const identity = { id: 'chatcmpl-1', created: 0, model: 'inquest' };
  const chunks = new AnswerChunks(identity, {
    executionId: OWN,
    total: 3,
    asJson: false,
    withMetadata: false,
  });
  const sent = outputs.flatMap((one) => ('freshUntil' in one ? chunks.ofLive(one) : chunks.of(one)));
  return sent.map(({ event, data }) => {
    const { content, choices } = data as { content?: string; choices: { delta: { content?: string } }[] };
    return event === 'thinking' ? `(${content})` : `${choices[0]?.delta.content}`;
  });
}

describe('thoughts of an answer', () => {
  it.each<[string, Parameters<typeof sentFor>[0], string[]]>([
    [
      'come before the text that is streamed, once',
      [live('I look', ''), live('I look.', 'The disk'), thought('I look.'), answer('The disk is full.')],
      ['(I look.)', 'The disk', ' is full.'],
    ],
    [
      'are completed when they are stored',
      [live('I', 'The'), live('I look.', 'The disk'), thought('I look.'), answer('The disk')],
      ['(I)', 'The', ' disk', '( look.)'],
    ],
    [
      'that the model gave anew are sent as a whole',
      [live('I look.', 'The'), thought('I think.'), answer('The disk')],
      ['(I look.)', 'The', '(I think.)', ' disk'],
    ],
    [
      'between two texts come once each',
      [live('A', 'x'), thought('A'), thought('B'), answer('x')],
      ['(A)', 'x', '(B)'],
    ],
    [
      'are joined from the ends that a long output has',
      [live('abcd', ''), live('cdef', 'x', { thinkingStart: 2 }), thought('abcdef'), answer('x')],
      ['(abcdef)', 'x'],
    ],
    [
      'without streamed text are sent when they are stored',
      [live('A', ''), thought('A'), answer('x')],
      ['(A)', 'x'],
    ],
  ])('%s', (_, outputs, expected) => {
    expect(sentFor(outputs)).toEqual(expected);
  });
});
