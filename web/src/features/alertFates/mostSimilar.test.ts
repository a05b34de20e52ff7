// Which session is offered first for a merge, and what is read from a typed id.

import { expect, it } from 'vitest';
import { idIn, mostSimilar } from './mostSimilar.ts';

const row = (sessionId: string, title: string | null, kind: 'investigation' | 'chat' = 'investigation') => ({
  sessionId,
  title,
  kind,
});

it('offers the sessions with the most shared words first, and neither itself nor chats', () => {
  const rows = [
    row('a', 'Disk full'),
    row('b', null),
    row('own', 'Checkout slow in eu'),
    row('c', 'Payment slow in eu'),
    row('d', 'CheckoutSlow eu'),
    row('e', 'Checkout slow in eu', 'chat'),
  ];
  const ids = mostSimilar('own', 'Checkout slow in eu', rows).map(({ sessionId }) => sessionId);
  expect(ids).toEqual(['d', 'c', 'a', 'b']);
  const long = [row('a', 'slow eu with many more words'), row('b', 'slow 1 2')];
  expect(mostSimilar('own', 'Checkout slow in eu', long)[0]?.sessionId).toBe('a');
  const shared = [row('a', 'A B x y z w v u'), row('b', 'A q')];
  expect(mostSimilar('own', 'A B', shared)[0]?.sessionId).toBe('b');
  expect(mostSimilar('own', '', [row('a', 'stryker'), row('b', '')]).map((one) => one.sessionId)).toEqual([
    'a',
    'b',
  ]);
});

it.each([
  [' 2026-11-22-disk-3f2a1c ', '2026-11-22-disk-3f2a1c'],
  ['https://inquest.example.com/s/2026-11-22-disk-3f2a1c/ask?x=1#top', '2026-11-22-disk-3f2a1c'],
  ['', ''],
])('reads the id in %j', (typed, id) => {
  expect(idIn(typed)).toBe(id);
});
