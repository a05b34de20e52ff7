import { expect, it } from 'vitest';
import { isWithinRange, moved, zoomedIn } from './timeRange.ts';

it('a part is halved around its middle, moved within the session, and has the spans that reach into it', () => {
  const part = zoomedIn(zoomedIn({ from: 0, to: 8_000 }));
  expect(part).toEqual({ from: 3_000, to: 5_000 });
  expect(moved(part, 1, 8_000)).toEqual({ from: 4_000, to: 6_000 });
  expect(moved({ from: 500, to: 2_500 }, -1, 8_000)).toEqual({ from: 0, to: 2_000 });
  expect(moved({ from: 5_500, to: 7_500 }, 1, 8_000)).toEqual({ from: 6_000, to: 8_000 });
  expect(zoomedIn({ from: 10, to: 110 })).toEqual({ from: 10, to: 110 });
  const spans = [
    { from: 0, to: 2_999 },
    { from: 0, to: 3_000 },
    { from: 5_001, to: null },
    { from: 100, to: null },
  ];
  expect(spans.map((span) => isWithinRange(span, part))).toEqual([false, true, false, true]);
});
