import { defineConfig } from 'vitest/config';
import { IS_FULL, IS_LONG, NOT_ON_STORE, ON_EMULATORS, SELECTIONS } from './test/support/fullTests.ts';
import { listSkippedGroups } from './test/support/skippedGroups.ts';
import { testPackages } from './test/support/testPackages.ts';

// Processes that tests start find their modules compiled; one that is killed cannot leave its own behind.
process.env.NODE_COMPILE_CACHE ??= new URL('./node_modules/.cache/compiled', import.meta.url).pathname;

// Limits for a test that hangs. They measure nothing: a machine ten times slower than any keeps them.
const UNIT_LIMIT_MS = 120_000;
const SIMULATION_LIMIT_MS = 1_200_000;
const EMULATOR_LIMIT_MS = 300_000;
const NO_TESTS = '**/node_modules/**';
/** Files that replace modules with `vi.mock`. */
const WITH_MOCKS = [
  'cli/commands/direct/deploy.test.ts',
  'cli/commands/direct/doctorDeployed.test.ts',
  'shared/wiring/telemetryOfGoogle.test.ts',
  'test/features/claims/contrast.test.ts',
];
/** Files and folders of tests that are named run whatever their group is, and on the local cloud. */
const areNamed = process.argv.some((argument) => /^test\/|\.test\.ts/.test(argument));
const { inMemory, onStore, leftOut } = SELECTIONS[selectionName()];

function selectionName(): keyof typeof SELECTIONS {
  if (areNamed || IS_LONG) return 'long';
  if (ON_EMULATORS) return 'emulators';
  return IS_FULL ? 'full' : 'quick';
}

/** Measures each file where INQUEST_CPU_LOG names a log. */
const setupFiles = process.env.INQUEST_CPU_LOG === undefined ? [] : ['./test/support/cpuCosts.ts'];

export default defineConfig({
  test: {
    // Two cores are busy with three: the longest tests wait for processes, not for a processor.
    maxWorkers: 3,
    teardownTimeout: UNIT_LIMIT_MS,
    reporters: ['default', ...listSkippedGroups(selectionName())],
    projects: [
      {
        plugins: [testPackages],
        test: {
          setupFiles,
          name: 'unit',
          include: ['{functions,shared,cli,local,deploy,docs,packages}/**/*.test.ts', 'web/src/**/*.test.ts'],
          // No test leaves anything behind in its worker: modules are loaded once for all files.
          isolate: false,
          exclude: [NO_TESTS, ...WITH_MOCKS, ...leftOut],
          testTimeout: UNIT_LIMIT_MS,
          hookTimeout: UNIT_LIMIT_MS,
          expect: { poll: { timeout: UNIT_LIMIT_MS - 20_000 } },
        },
      },
      {
        test: {
          setupFiles,
          name: 'mocks',
          // A module that another file of the same worker has loaded cannot be replaced.
          isolate: true,
          include: WITH_MOCKS,
          exclude: [NO_TESTS, ...leftOut],
          testTimeout: UNIT_LIMIT_MS,
          hookTimeout: UNIT_LIMIT_MS,
        },
      },
      {
        test: {
          setupFiles,
          name: 'simulation',
          // In a process of its own: a hundred copies of the modules make others slow that are loaded after
          // them.
          isolate: true,
          include: ['test/simulation/**/*.test.ts'],
          exclude: [NO_TESTS, ...leftOut],
          testTimeout: SIMULATION_LIMIT_MS,
          hookTimeout: SIMULATION_LIMIT_MS,
        },
      },
      {
        test: {
          setupFiles,
          name: 'web',
          // The dashboard in a browser, from fixtures.
          isolate: false,
          include: ['test/web/**/*.test.ts'],
          exclude: [NO_TESTS, ...leftOut],
          globalSetup: ['test/web/support/build.ts'],
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
      {
        plugins: [testPackages],
        test: {
          setupFiles,
          name: 'memory',
          isolate: false,
          include: inMemory,
          exclude: [...onStore, ...WITH_MOCKS, ...leftOut],
          env: { INQUEST_TEST_STORE: 'memory' },
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
      {
        plugins: [testPackages],
        test: {
          setupFiles,
          name: 'emulator',
          isolate: false,
          include: onStore,
          exclude: [NO_TESTS, ...NOT_ON_STORE, ...WITH_MOCKS, ...leftOut],
          globalSetup: ['test/support/emulators.ts'],
          testTimeout: EMULATOR_LIMIT_MS,
          hookTimeout: EMULATOR_LIMIT_MS,
          expect: { poll: { timeout: EMULATOR_LIMIT_MS - 20_000 } },
        },
      },
    ],
  },
});
