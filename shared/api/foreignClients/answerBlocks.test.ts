import { describe, expect, it } from 'vitest';
import type { Citation, TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { type AnswerBlock, AnswerBlocks } from './answerBlocks.ts';
import { LiveThinking } from './liveThinking.ts';

const live = (iteration: number, thinking: string, thinkingStart = 0) =>
  ({ executionId: 'a', iteration, thinking, thinkingStart }) as LiveText;
const stored = (iteration: number, content: string, executionId = 'a') => ({
  executionId,
  iteration,
  content,
});

describe('thoughts that stream', () => {
  it('are sent once: before the text as far as they came, and the rest when they are stored', () => {
    const thoughts = new LiveThinking();
    thoughts.add(live(1, 'I look'));
    thoughts.add(live(1, 'I look at', 0));
    expect(thoughts.takeLive(live(1, ''))).toBe('I look at');
    thoughts.add(live(1, 'I look at it.'));
    expect(thoughts.takeLive(live(1, ''))).toBe('');
    expect(thoughts.takeStored(stored(1, 'I look at it.'))).toBe(' it.');
    // Of a repeated request: nothing of it was sent.
    expect(thoughts.takeStored(stored(1, 'I look at another.'))).toBe('I look at another.');
  });

  it('are sent whole where others were sent, or none of this iteration and agent', () => {
    const thoughts = new LiveThinking();
    thoughts.add(live(1, 'I look'));
    thoughts.takeLive(live(1, ''));
    expect(thoughts.takeStored(stored(2, 'I look at it.'))).toBe('I look at it.');
    expect(thoughts.takeStored(stored(1, 'I look at it.', 'b'))).toBe('I look at it.');
    thoughts.add(live(2, 'Now'));
    expect(thoughts.takeLive(live(1, ''))).toBe('');
    expect(thoughts.takeLive(live(2, ''))).toBe('Now');
    expect(thoughts.takeStored(stored(2, 'Then'))).toBe('Then');
  });

  it('of which only the end came are joined, with a mark for a part that is missing', () => {
    const thoughts = new LiveThinking();
    thoughts.add(live(1, 'abc'));
    thoughts.add(live(1, 'cde', 2));
    thoughts.add(live(1, 'xyz', 9));
    expect(thoughts.takeLive(live(1, ''))).toBe('abcde…xyz');
    expect(new LiveThinking().takeLive(live(1, ''))).toBe('');
  });
});

describe('the sources of an answer', () => {
  const citation = { uri: 'https://example.com' } as unknown as Citation;
  const analysis = (citations: Citation[], executionId = 'a') =>
    ({
      executionId,
      iteration: 1,
      eventType: 'final_analysis',
      content: 'Done.',
      metadata: { citations, truncated: false },
    }) as unknown as TimelineEvent;
  /** The blocks of an answer, and whether the text is cut after some characters. */
  const start = (cutAt = Number.POSITIVE_INFINITY) => {
    const form = {
      begin: ({ kind, index }: AnswerBlock) => [`${kind} ${index}`],
      delta: (_: AnswerBlock, piece: string) => [piece],
      cite: (_: AnswerBlock, citations: readonly Citation[]) => [`cites ${citations.length}`],
      end: ({ index }: AnswerBlock) => [`end ${index}`],
    };
    const cutter = {
      cut: undefined as object | undefined,
      take(piece: string) {
        if (piece.length > cutAt) cutter.cut = {};
        return piece.slice(0, cutAt);
      },
      end: () => '',
    };
    return new AnswerBlocks<string>(form, { executionId: 'a', cutter });
  };

  it('are sent with its whole text, if there are any', () => {
    const cited = start();
    expect(cited.of(analysis([citation]))).toEqual(['text 0', 'Done.', 'cites 1']);
    expect(cited.end()).toEqual(['end 0']);
    expect([cited.count, cited.isTruncated]).toEqual([1, false]);
    expect(start().of(analysis([]))).toEqual(['text 0', 'Done.']);
  });

  it('are not sent with a text that is cut, or without one', () => {
    expect(start(2).of(analysis([citation]))).toEqual(['text 0', 'Do']);
    expect(start(0).of(analysis([citation]))).toEqual([]);
    expect(start().of(analysis([citation], 'b'))).toEqual([]);
  });
});
