// Tests with the real Gemini API, in their own configuration: no other run costs money.

import { defineConfig } from 'vitest/config';

/** An answer that thinks and searches takes a minute at most; each test asks twice, with retries. */
const LIMIT_MS = 600_000;

export default defineConfig({
  test: {
    name: 'live',
    include: ['test/live/*.live.ts'],
    testTimeout: LIMIT_MS,
    // Shows why a test was skipped.
    reporters: ['verbose'],
  },
});
