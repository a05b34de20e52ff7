// `npm run test:cloud`: the local cloud, and the official emulators beside it where the same tests run on both.

import { defineConfig } from 'vitest/config';

/** For a test that hangs. The official Pub/Sub emulator needs real seconds for its deadlines. */
const LIMIT_MS = 300_000;

export default defineConfig({
  test: {
    include: ['test/cloud/**/*.test.ts'],
    globalSetup: ['test/cloud/startOfficial.ts'],
    maxWorkers: 3,
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS - 20_000 } },
  },
});
