import { describe, expect, it } from 'vitest';
import { answerIndex, questionOfMessage } from '../../../core/kernel/conversation/chatStage.ts';
import { compressAnswer } from './compressAnswer.ts';
import { messageKey, parseMessageKey } from './messageKey.ts';

const KEY = 'session-s-1-msg-3';
const mark = (key: string) =>
  `\n\n... [Message truncated - REM LOOKUP ${key} to recover full content] ...\n\n`;

describe('an answer of an earlier question', () => {
  it('of 400 characters is repeated whole, of 401 with its first and last 200 and the key of the whole', () => {
    expect(compressAnswer('a'.repeat(400), KEY)).toBe('a'.repeat(400));
    expect(compressAnswer(`${'a'.repeat(200)}b${'c'.repeat(200)}`, KEY)).toBe(
      `${'a'.repeat(200)}${mark(KEY)}${'c'.repeat(200)}`,
    );
  });

  it('is cut between characters, not within one', () => {
    const text = `${'a'.repeat(199)}😀${'b'.repeat(400)}😀${'c'.repeat(199)}`;
    expect(compressAnswer(text, KEY)).toBe(`${'a'.repeat(199)}😀${mark(KEY)}😀${'c'.repeat(199)}`);
    // 400 characters of two units each are 400 characters.
    expect(compressAnswer('😀'.repeat(400), KEY)).toBe('😀'.repeat(400));
  });

  it('of no characters is repeated as it is', () => {
    expect(compressAnswer('', KEY)).toBe('');
  });
});

describe('the key of a message', () => {
  it.each([
    ['2026-11-22-pod-0a1b', 0],
    ['a-msg-7', 12],
    ['session-1', 99],
  ])('of %s, %i is read back', (sessionId, index) => {
    expect(parseMessageKey(messageKey(sessionId, index))).toEqual({ sessionId, index });
  });

  it.each([
    '',
    'session-',
    'session-a-msg-',
    'session-a-msg-x',
    'session-a-msg--1',
    'session-a-msg-01',
    `session-${'a'.repeat(201)}-msg-1`,
    'session-a/b-msg-1',
    'session-../a-msg-1',
    'python-tutorial',
    'session-a-msg-1\nsession-b-msg-2',
    `session-a-msg-${'9'.repeat(20)}`,
  ])('is not %j', (key) => {
    expect(parseMessageKey(key)).toBeUndefined();
  });

  it('numbers question and answer by the number of the question', () => {
    for (let number = 1; number <= 3; number++) {
      expect(questionOfMessage(answerIndex(number))).toEqual({ number, role: 'assistant' });
      expect(questionOfMessage(answerIndex(number) - 1)).toEqual({ number, role: 'user' });
    }
    expect(answerIndex(1)).toBe(1);
  });
});
