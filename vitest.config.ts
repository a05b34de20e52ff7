import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The longest tests wait for processes, not for a processor.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['{functions,shared,cli,local,deploy,docs}/**/*.test.ts'] } },
      {
        test: {
          name: 'emulator',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/emulators.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Only a test that fails waits so long; a busy machine may need more than the default of 1 s.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
