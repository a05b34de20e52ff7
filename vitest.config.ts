import { defineConfig } from 'vitest/config';
import { FULL_ONLY_FILES, IS_FULL, NEEDS_FIRESTORE } from './test/support/fullTests.ts';
import { skippedGroups } from './test/support/skippedGroups.ts';

// Processes that tests start find their modules compiled; one that is killed cannot leave its own behind.
process.env.NODE_COMPILE_CACHE ??= new URL('./node_modules/.cache/compiled', import.meta.url).pathname;

// Limits for a test that hangs. They measure nothing: a machine ten times slower than any keeps them.
const UNIT_LIMIT_MS = 120_000;
const SIMULATION_LIMIT_MS = 1_200_000;
const EMULATOR_LIMIT_MS = 300_000;
/** Files and folders of tests that are named run whatever their group is, and on the local cloud. */
const areNamed = process.argv.some((argument) => /^test\/|\.test\.ts/.test(argument));
const isQuick = !IS_FULL && !areNamed;
/** Files that this run leaves out. */
const leftOut = isQuick ? FULL_ONLY_FILES : [];
/** Tests of investigations that this run has on the store in memory. */
const inMemory = isQuick ? ['test/runtime/**/*.test.ts'] : [];

export default defineConfig({
  test: {
    // Two cores are busy with three: the longest tests wait for processes, not for a processor.
    maxWorkers: 3,
    teardownTimeout: UNIT_LIMIT_MS,
    reporters: !isQuick ? ['default'] : ['default', skippedGroups],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{functions,shared,cli,local,deploy,docs}/**/*.test.ts', 'web/src/**/*.test.ts'],
          // No test leaves anything behind in its worker: modules are loaded once for all files.
          isolate: false,
          exclude: leftOut,
          testTimeout: UNIT_LIMIT_MS,
          hookTimeout: UNIT_LIMIT_MS,
          expect: { poll: { timeout: UNIT_LIMIT_MS - 20_000 } },
        },
      },
      {
        test: {
          name: 'simulation',
          // In a process of its own: a hundred copies of the modules make others slow that are loaded after them.
          isolate: true,
          include: ['test/simulation/**/*.test.ts'],
          exclude: leftOut,
          testTimeout: SIMULATION_LIMIT_MS,
          hookTimeout: SIMULATION_LIMIT_MS,
        },
      },
      {
        test: {
          name: 'web',
          // The dashboard in a browser, from fixtures.
          isolate: false,
          include: ['test/web/**/*.test.ts'],
          exclude: leftOut,
          globalSetup: ['test/web/support/build.ts'],
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
      {
        test: {
          name: 'memory',
          isolate: false,
          include: inMemory,
          exclude: [...NEEDS_FIRESTORE, ...leftOut],
          env: { INQUEST_TEST_STORE: 'memory' },
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
      {
        test: {
          name: 'emulator',
          isolate: false,
          include: isQuick ? ['test/!(runtime)/**/*.test.ts', ...NEEDS_FIRESTORE] : ['test/**/*.test.ts'],
          // `npm run test:cloud` compares the local cloud with the official emulators.
          exclude: ['test/cloud/**', 'test/simulation/**', 'test/web/**', ...leftOut],
          globalSetup: ['test/support/emulators.ts'],
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
    ],
  },
});
