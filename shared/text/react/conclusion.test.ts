import { describe, expect, it } from 'vitest';
import { parseConclusion } from './conclusion.ts';

describe('rule 13: in a forced conclusion', () => {
  it.each([
    ['a call before it', 'Thought: x\nAction: a.b\nAction Input: {}\nFinal Answer: Memory.', 'Memory.'],
    [
      'a call behind it',
      'Final Answer: Memory.\nAction: a.b\nAction Input: {}',
      'Memory.\nAction: a.b\nAction Input: {}',
    ],
    [
      'a call behind an empty one',
      'Final Answer:\nAction: a.b\nAction Input: {}',
      'Action: a.b\nAction Input: {}',
    ],
    [
      'one that says there is none',
      'Final Answer: None\nAction: a.b\nAction Input: {}',
      'None\nAction: a.b\nAction Input: {}',
    ],
    [
      'an observation before it',
      'Action: a.b\nAction Input: {}\nObservation: x\nFinal Answer: Memory.',
      'Memory.',
    ],
    [
      'an observation behind it',
      'Final Answer: Memory.\nObservation: x\nFinal Answer: y',
      'Memory.\nObservation: x\nFinal Answer: y',
    ],
    ['a fence around all of it', '```\nFinal Answer: Memory.\n```', 'Memory.'],
    [
      'another one quoted in a fence',
      'Thought: x\n```\nFinal Answer: fine\n```\nFinal Answer: Memory.',
      'Memory.',
    ],
    ['none', 'Thought: x', ''],
  ])('everything behind the first final answer is the answer, with %s', (_, text, finalAnswer) => {
    expect(parseConclusion(text).finalAnswer).toBe(finalAnswer);
  });

  const long = 'The database ran out of connections, because the pool is too small.';

  it.each([
    ['text before a short thought', `${long}\nThought: again.`],
    ['text before a short thought in the same line', `${long} Thought: again.`],
    ['an earlier thought', `Thought: ${long}\nThought: again.`],
    ['a thought before a call', `Thought: ${long}\nAction: a.b\nAction Input: {}`],
    ['text behind the input of a call', `Thought: again.\nAction: a.b\nAction Input: {}\n\n${long}`],
    [
      'text behind the fenced input of a call',
      `Thought: again.\nAction: a.b\nAction Input:\n\`\`\`json\n{"q": "${long}${long}"}\n\`\`\`\n${long}`,
    ],
    ['text alone', `\n${long}\n`],
    ['the longer of both', `Short.\nThought: ${long}`],
  ])('without one, the longest of its thoughts and its text: %s', (_, text) => {
    expect(parseConclusion(text)).toMatchObject({ finalAnswer: '', longestText: long });
  });

  it('there can be neither', () => {
    expect(parseConclusion('Action: a.b\nAction Input: {}')).toEqual({
      thought: '',
      finalAnswer: '',
      longestText: '',
    });
  });
});
