// Runs one file of tests on a program with one of its lines changed. `mutants.ts` starts it.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { changeOf, ROOT } from './changedFile.ts';

const { MUTANT, TEST_FILE = '' } = process.env;
const change = MUTANT === undefined ? undefined : await changeOf(MUTANT);
const LIMIT_MS = 120_000;

export default defineConfig({
  root: fileURLToPath(ROOT),
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load: (id) => (id.split('?')[0] === change?.path ? change?.source : undefined),
    },
  ],
  test: {
    include: [TEST_FILE],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    bail: 1,
    // It has the files as they are.
    fsModuleCache: false,
    // Tests beside their file need no cloud.
    globalSetup: TEST_FILE.startsWith('test/') ? ['test/support/emulators.ts'] : [],
  },
});
