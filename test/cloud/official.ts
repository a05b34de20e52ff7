// Tests that need Google's emulators: where there are none, they are skipped by name.

import { describe } from 'vitest';

const isThere = Boolean(process.env.FIRESTORE_EMULATOR_HOST && process.env.PUBSUB_EMULATOR_HOST);

/** `describe` for what needs Google's emulators. */
export function describeOfficial(title: string, suite: () => void): void {
  if (isThere) describe(title, suite);
  else describe.skip(`${title} (skipped: needs Google's emulators)`, suite);
}
