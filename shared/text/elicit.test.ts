import { expect, it } from 'vitest';
import { elicitText, readElicit } from './elicit.ts';

it.each([
  [{ question: 'Which?' }, { question: 'Which?', options: [] }],
  [
    { question: 'Which?', options: ['a', 'b'], more: 1 },
    { question: 'Which?', options: ['a', 'b'] },
  ],
  [{ question: ' ' }, undefined],
  [{ question: 'x'.repeat(1_001) }, undefined],
  [{ question: 'Which?', options: 'a' }, undefined],
  [{ question: 'Which?', options: [''] }, undefined],
  [{ question: 'Which?', options: Array(11).fill('a') }, undefined],
  [null, undefined],
])('the question of %j is %j', (payload, asked) => {
  expect(readElicit(payload)).toEqual(asked);
});

it('a question stands before its options', () => {
  expect(elicitText({ question: 'Which?', options: ['a', 'b'] })).toBe('Which?\nOptions: a · b');
  expect(elicitText({ question: 'Which?', options: [] })).toBe('Which?');
});
