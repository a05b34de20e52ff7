// Keeps the mutants of unit tests true to the source; `npm run mutants` runs them.

import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changeOf, ROOT } from './changedFile.ts';
import { UNIT_MUTANTS } from './unitMutants.ts';

it('each mutant changes one place of its file to a program, and names a file of tests', async () => {
  for (const [name, { test }] of Object.entries(UNIT_MUTANTS)) {
    await changeOf(name);
    expect(existsSync(new URL(test, ROOT)), test).toBe(true);
  }
});
