import { expect, it } from 'vitest';
import { type Origin, type Trust, UNREVIEWED } from './knowledge.ts';
import { forPrompt, outcomeOrigin, reviewedOrigin } from './trust.ts';

const origin = (trust: Trust): Origin => ({
  ...UNREVIEWED,
  sessionId: 's1',
  identity: null,
  shown: [],
  trust,
});

it.each([
  [['right'], 'confirmed'],
  [['right', 'right'], 'confirmed'],
  [['wrong'], 'refuted'],
  [['partly'], 'unreviewed'],
  [['right', 'partly'], 'unreviewed'],
  [['right', 'wrong'], 'unreviewed'],
  [[], 'unreviewed'],
] as const)('after the reviews %j an entry is %s', (ratings, trust) => {
  const reviews = ratings.map((rating, index) => ({
    by: `person-${index}`,
    review: { rating, cause: null, action: null, missed: null },
  }));
  expect(reviewedOrigin(origin('corroborated'), reviews).trust).toBe(trust);
});

it.each([
  ['unreviewed', 'held', 'confirmed', 'corroborated'],
  ['unreviewed', 'held', 'likely', 'corroborated'],
  ['unreviewed', 'held', 'inconclusive', 'unreviewed'],
  ['unreviewed', 'held', null, 'unreviewed'],
  ['unreviewed', 'self_resolved', 'confirmed', 'unreviewed'],
  ['corroborated', 'recurred', 'confirmed', 'unreviewed'],
  ['refuted', 'held', 'confirmed', 'refuted'],
  ['confirmed', 'recurred', 'confirmed', 'confirmed'],
  ['expired', 'held', 'confirmed', 'expired'],
] as const)(
  'an entry that is %s, after the outcome %s of the verdict %s, is %s',
  (from, outcome, verdict, to) => {
    expect(outcomeOrigin(origin(from), outcome, verdict).trust).toBe(to);
  },
);

it('keeps the words of the reviewers, and ends the confirmation of the text when reviews no longer confirm', () => {
  const review = (rating: 'right' | 'wrong') => ({
    by: 'ada',
    review: {
      rating,
      cause: { component: 'service:shop', mechanism: null, text: 'a leak' },
      action: 'a restart',
      missed: 'the deploy',
    },
  });
  const confirmed = reviewedOrigin({ ...origin('unreviewed'), textBy: 'ada' }, [review('right')]);
  expect(confirmed).toMatchObject({
    words: 'Cause: a leak. Helped: a restart. Missed: the deploy',
    textBy: 'ada',
  });
  expect(reviewedOrigin(confirmed, [review('wrong')])).toMatchObject({
    trust: 'refuted',
    words: 'Cause: a leak. Helped: a restart. Missed: the deploy',
    textBy: null,
  });
  expect(reviewedOrigin(confirmed, [])).toMatchObject({ words: null, textBy: null });
});

it('shows the confirmed text of an entry with its hidden characters and gaps', () => {
  const text = `a\u202eb\u2800c\u00a0d${' '.repeat(3_000)}e`;
  const session: Origin = { ...origin('confirmed'), textBy: 'ada' };
  const entry = { key: 'k', title: 'a\u200bb', text, labels: { x: '\u3000' }, links: [], session };
  expect(forPrompt(entry)).toMatchObject({
    title: 'a\ufffdb',
    text: 'a\ufffdb\ufffdc\ufffdd\n[3000 blanks]\ne',
    labels: { x: '\ufffd' },
  });
});
