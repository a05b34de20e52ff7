// What `npm test` leaves out, because it takes long and repeats on real parts what cheaper tests prove. `npm run test:full`
// runs everything.

/** Whether everything runs. */
export const IS_FULL = process.env.INQUEST_TESTS === 'full';

/** Files that only `npm run test:full` runs, by group. Groups without files name tests that are skipped within their file. */
export const FULL_ONLY: Record<string, readonly string[]> = {
  'dashboard in a browser': ['test/web/**'],
  'deaths of processes at all other moments': [
    'test/reliability/approvals.test.ts',
    'test/reliability/deadLetters.test.ts',
  ],
  'the simulation beyond 20 seeds, and its mutants': ['test/simulation/mutants.test.ts'],
  'recipes of docs/extending.md in a copy': ['test/extending/recipes.test.ts'],
  'the package, built and installed': ['test/package/package.test.ts'],
  'mutants of masking': [],
  'largest results, answers and conversations': [
    'test/system/memory.test.ts',
    'test/api/slowReaders.test.ts',
    'test/runtime/growth.test.ts',
  ],
  'restarts, signals and dead servers': [
    'test/system/restart.test.ts',
    'test/system/interrupt.test.ts',
    'test/system/deadEmulator.test.ts',
    'test/system/besideStart.test.ts',
    'test/store/migrate.test.ts',
    'test/local/system.test.ts',
    'test/local/leftovers.test.ts',
    'local/processes/childProcess.test.ts',
    'shared/wiring/iterationServices.test.ts',
  ],
  'commands in processes of their own': [
    'test/system/db.test.ts',
    'test/system/checkConfig.test.ts',
    'test/system/publish.test.ts',
    'test/system/examples.test.ts',
    'test/system/bothWays.test.ts',
    'test/system/bundle.test.ts',
    'test/system/listening.test.ts',
    'test/system/servedApi.test.ts',
    'test/system/sweep.test.ts',
    'cli/interrupt.test.ts',
    'cli/inquest.test.ts',
  ],
};

/** The files of all groups. */
export const FULL_ONLY_FILES = Object.values(FULL_ONLY).flat();

/** Tests of `test/runtime` that need Firestore itself. `npm test` runs the others on the store in memory. */
export const NEEDS_FIRESTORE = [
  'test/runtime/bigThings.test.ts',
  'test/runtime/budgetProcesses.test.ts',
  'test/runtime/growth.test.ts',
  'test/runtime/rejected.test.ts',
];
