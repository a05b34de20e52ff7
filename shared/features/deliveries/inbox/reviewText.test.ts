import { expect, it } from 'vitest';
import { readReview } from './reviewText.ts';

const NONE = { cause: null, action: null, missed: null };

it.each([
  ['review right', { ...NONE, rating: 'right' }],
  ['Review: partly, the node was full too', { ...NONE, rating: 'partly', missed: 'the node was full too' }],
  [
    'review wrong cause: k8s:eu/shop/Deployment/checkout release; action: rolled back, missed: the change at 09:12',
    {
      rating: 'wrong',
      cause: { component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'release', text: null },
      action: 'rolled back',
      missed: 'the change at 09:12',
    },
  ],
  [
    'review wrong cause: the disk of db-1',
    { ...NONE, rating: 'wrong', cause: { component: null, mechanism: null, text: 'the disk of db-1' } },
  ],
  ['review', 'no_rating'],
  ['review: good', 'no_rating'],
  ['Review the logs of db-2 again', undefined],
  ['Is the review right?', undefined],
])('%j is %j', (text, expected) => {
  expect(readReview(text)).toEqual(expected);
});
