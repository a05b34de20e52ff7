// `npm run test:cloud`: the local cloud, and Google's emulators beside it where the same tests run on both.
// On a machine without them, tests that need them are skipped by name, unless REQUIRE_EMULATORS is set.

import { defineConfig } from 'vitest/config';
import { IS_LONG } from '../support/fullTests.ts';
import { whyNoOfficial } from './findOfficial.ts';

/** For a test that hangs. Google's Pub/Sub emulator needs real seconds for its deadlines. */
const LIMIT_MS = 300_000;
const missing = whyNoOfficial(process.env);
if (missing !== undefined) {
  if (process.env.REQUIRE_EMULATORS) throw new Error(missing);
  console.warn(`${missing}\n\nTests that need them are skipped, and name the reason.\n`);
}

/** Many starts of the servers' processes: only with `INQUEST_TESTS=long`. */
const LONG_ONLY = ['test/cloud/kills.test.ts', 'test/cloud/pubsub/restart.test.ts'];

export default defineConfig({
  test: {
    exclude: IS_LONG ? [] : LONG_ONLY,
    setupFiles: process.env.INQUEST_CPU_LOG === undefined ? [] : ['test/support/cpuCosts.ts'],
    globalSetup: ['test/cloud/setup.ts'],
    maxWorkers: 3,
    include: ['test/cloud/**/*.test.ts', 'test/packages/firestoreRules.test.ts'],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS - 20_000 } },
  },
});
