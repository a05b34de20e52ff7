import { expect, it } from 'vitest';
import { readClaimsAnswer } from './claimsAnswer.ts';

const answer = (stated: unknown) => readClaimsAnswer(JSON.stringify(stated));

it('an answer has its conclusion, each cause once, and its links', () => {
  const links = [{ text: 'It is full.', evidence: ['e1', 'e2'] }];
  expect(answer({ conclusion: 'cause', cause: ['h1', 'h2', 'h1'], links })).toEqual({
    conclusion: 'cause',
    cause: ['h1', 'h2'],
    links,
  });
});

it.each([null, '', 'no JSON', '[]', '{"conclusion":"cause"}', '{"cause":"h1"}'])(
  '%j is no answer',
  (json) => {
    expect(readClaimsAnswer(json)).toBeUndefined();
  },
);

it.each([
  ['not_an_incident', 'not_an_incident'],
  ['unknown', 'unknown'],
  ['certain', 'unknown'],
  [undefined, 'unknown'],
])('the conclusion %j is read as %s', (conclusion, expected) => {
  expect(answer({ conclusion, cause: [] })).toEqual({ conclusion: expected, cause: [], links: [] });
});

it('unfit causes and links are left out, and further ones than fit', () => {
  const text = 'x'.repeat(2000);
  const evidence = Array.from({ length: 20 }, () => 'e'.repeat(40));
  const fit = { text, evidence };
  const unfit = [
    { text: '', evidence },
    { text: `${text}x`, evidence },
    { text, evidence: [...evidence, 'e1'] },
    { text, evidence: ['e'.repeat(41)] },
    { text },
    7,
  ];
  expect(answer({ cause: ['h1', { id: 'h2' }, null], links: [...unfit, fit] })).toMatchObject({
    cause: ['h1'],
    links: [fit],
  });
  const many = Array.from({ length: 61 }, (_, index) => ({ text: `${index}`, evidence: [] }));
  const read = answer({ cause: Array.from({ length: 11 }, (_, index) => `h${index}`), links: many });
  expect([read?.cause.length, read?.links.length, read?.links[0]?.text]).toEqual([10, 60, '0']);
});
