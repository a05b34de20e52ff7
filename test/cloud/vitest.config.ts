// `npm run test:cloud`: the local cloud, and Google's emulators beside it where the same tests run on both. On a machine
// without them, what needs them is skipped by name, unless REQUIRE_EMULATORS is set.

import { defineConfig } from 'vitest/config';
import { whyNoOfficial } from './findOfficial.ts';

/** For a test that hangs. Google's Pub/Sub emulator needs real seconds for its deadlines. */
const LIMIT_MS = 300_000;
/** Of the suites that `npm test` runs on the local cloud: these hold Google's emulators to the same. */
const ON_OFFICIAL = [
  'test/store/**/*.test.ts',
  'test/runtime/delivery.test.ts',
  'test/local/system.test.ts',
  'test/system/alert.test.ts',
];

const missing = whyNoOfficial(process.env);
if (missing !== undefined) {
  if (process.env.REQUIRE_EMULATORS) throw new Error(missing);
  console.warn(
    `${missing}\n\nSkipped without them: ${ON_OFFICIAL.join(', ')}, and below what says so by name.\n`,
  );
}

const limits = {
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  expect: { poll: { timeout: LIMIT_MS - 20_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/cloud/setup.ts'],
    maxWorkers: 3,
    projects: [
      { test: { name: 'cloud', include: ['test/cloud/**/*.test.ts'], ...limits } },
      ...(missing === undefined ? [{ test: { name: 'official', include: ON_OFFICIAL, ...limits } }] : []),
    ],
  },
});
