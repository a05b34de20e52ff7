import { expect, it } from 'vitest';
import { knownTotal } from './knownTotal.ts';

const lost = [{ path: 'sessions/a/executions/01-logs' }];

it.each([
  [0, '0', [], '0'],
  [0, '0', [{ path: 'sessions/a/timeline/01-logs.000001' }], '0'],
  [0, '0', lost, 'unknown'],
  [127, '127', lost, 'at least 127'],
  [0.5, 'at least $0.50', lost, 'at least $0.50'],
])('the total %d, "%s", without %j is "%s"', (total, text, unreadable, words) => {
  expect(knownTotal(total, text, unreadable)).toBe(words);
});
