import { expect, it } from 'vitest';
import { answerParts, readableOutput } from './structuredAnswer.ts';

it('the readable form is the answer, then a line for each other property that has a value', () => {
  expect(readableOutput({ answer: ' Yes. ' })).toBe('Yes.');
  expect(readableOutput({ answer: ' Yes. ', n: 1, none: null })).toBe('Yes.\n\n**n**: 1');
  expect(readableOutput({ cause: 'OOM', n: 1, none: null, steps: ['a', { b: 1 }], left: [] })).toBe(
    '**cause**: OOM\n**n**: 1\n**steps**:\n- a\n- {"b":1}\n**left**: none',
  );
});

it('the parts of an answer keep a property `answer` that is no text among the fields', () => {
  expect(answerParts('{"answer":7,"n":1}')).toEqual({
    answer: undefined,
    fields: [
      ['answer', 7],
      ['n', 1],
    ],
  });
  expect(answerParts('no JSON')).toEqual({ answer: undefined, fields: [] });
});
