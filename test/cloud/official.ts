// Tests that need Google's emulators: where there are none, they are skipped by name.

import { describe } from 'vitest';

const isThere = Boolean(process.env.FIRESTORE_EMULATOR_HOST && process.env.PUBSUB_EMULATOR_HOST);

/** `describe` for what needs Google's emulators. */
export function describeOfficial(title: string, suite: () => void): void {
  if (isThere) describe(title, suite);
  else describe.skip(`${title} (skipped: needs Google's emulators)`, suite);
}

/** One of the sides that a suite runs on. */
export interface Side {
  /** For the titles of tests: `the local cloud`. */
  name: string;
  isOfficial: boolean;
}

/** Describes a suite once for each side. @param title what the suite is about, for example `pull of`. */
export function describeSides<T extends Side>(
  title: string,
  sides: readonly T[],
  suite: (side: T) => void,
): void {
  for (const side of sides) {
    const describeSide = side.isOfficial ? describeOfficial : describe;
    describeSide(`${title} ${side.name}`.trim(), () => suite(side));
  }
}
