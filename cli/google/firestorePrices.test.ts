import { expect, it } from 'vitest';
import { describeOperations } from './firestorePrices.ts';

it.each([
  [{ reads: 10 }, '10 reads of Firestore, below $0.01'],
  [{ reads: 280_000, deletes: 280_000 }, '280,000 reads and 280,000 deletes of Firestore, $0.11'],
  [{ reads: 1, writes: 1_000_000 }, '1 reads and 1,000,000 writes of Firestore, $0.90'],
])('%j is %s', (operations, text) => {
  expect(describeOperations(operations)).toBe(text);
});
