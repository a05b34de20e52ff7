import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['{functions,shared,local}/**/*.test.ts'] } },
      {
        test: {
          name: 'emulator',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/emulators.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
