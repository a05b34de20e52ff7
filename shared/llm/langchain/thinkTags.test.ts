import { describe, expect, it } from 'vitest';
import type { Progress } from '../../core/contract/llm.ts';
import { createChunkCollector } from './collectChunks.ts';
import { createThinkTagSplitter } from './thinkTags.ts';

/** The answer of these deltas, and what was reported while they came. */
function collected(deltas: string[]) {
  const reported = { text: '', thinking: '' };
  const collector = createChunkCollector((progress: Progress) => {
    if (progress.kind !== 'attempt') reported[progress.kind] += progress.delta;
  });
  for (const content of deltas) collector.add({ content });
  collector.end();
  const { text, thinking } = collector.answer();
  return { text, thinking, reported };
}

const FORMS: [name: string, whole: string, text: string, thinking: string][] = [
  ['one pair', '<think>\nThe logs.\n</think>\n\nMemory.', 'Memory.', '\nThe logs.\n'],
  ['two pairs', ' <think>a</think>\n<think>b < c</think> Memory.', 'Memory.', 'ab < c'],
  ['an empty pair', '<think>\n\n</think>\n\nMemory.', 'Memory.', '\n\n'],
  ['a pair that is never closed', '<think>The logs</thi', '', 'The logs</thi'],
  [
    'a pair further on, as a log line has it',
    'It printed <think>x</think>.',
    'It printed <think>x</think>.',
    '',
  ],
  ['a tag that is none', '<thinking>x', '<thinking>x', ''],
  ['white space only', ' \n', ' \n', ''],
];

describe('an answer of an OpenAI-compatible server with', () => {
  it.each(FORMS)('%s is split alike wherever its deltas end', (_, whole, text, thinking) => {
    const splits = [
      [whole],
      [...whole],
      ...[...[...whole].keys()].map((at) => [whole.slice(0, at), whole.slice(at)]),
    ];
    for (const deltas of splits) {
      expect(collected(deltas)).toEqual({ text, thinking, reported: { text, thinking } });
    }
  });
});

it('thoughts and text are reported as soon as they are certain', () => {
  const { add, rest } = createThinkTagSplitter();
  const deltas = ['<thi', 'nk>', 'The logs</th', 'is</', 'think>', '\n', 'Memory', '', ' is full.</th'];
  expect(deltas.map(add)).toEqual([
    [],
    [],
    [{ kind: 'thinking', delta: 'The logs' }],
    [{ kind: 'thinking', delta: '</this' }],
    [],
    [],
    [{ kind: 'text', delta: 'Memory' }],
    [],
    [{ kind: 'text', delta: ' is full.</th' }],
  ]);
  expect(rest()).toEqual([]);
});
