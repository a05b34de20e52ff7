import { expect, it } from 'vitest';
import { hasEvent } from './reportCounts.ts';

it('events are bounded by the logarithm of the reports', () => {
  const counts = Array.from({ length: 1_000_000 }, (_, index) => index + 1).filter(hasEvent);
  expect(counts.slice(8, 16)).toEqual([9, 10, 20, 50, 100, 200, 500, 1_000]);
  expect(counts).toHaveLength(25);
});
