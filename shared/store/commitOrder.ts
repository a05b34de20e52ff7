// The order in which a store committed documents that never change after their creation.

import type { Stored } from '../core/contract/store.ts';

/**
 * Compares two documents by their commits: in Firestore by their update times in nanoseconds, in memory by
 * the counter of writes. Documents of one batch are equal in Firestore.
 */
export function compareCommits(
  { version: one }: Pick<Stored<unknown>, 'version'>,
  { version: other }: Pick<Stored<unknown>, 'version'>,
): number {
  const [[a = 0, nanosOfA = 0], [b = 0, nanosOfB = 0]] = [readTicks(one), readTicks(other)];
  return a - b || nanosOfA - nanosOfB;
}

function readTicks(version: string): number[] {
  const value: unknown = JSON.parse(version);
  return Array.isArray(value) ? value.slice(0, 2) : [Number(value)];
}
