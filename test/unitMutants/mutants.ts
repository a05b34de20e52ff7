// The second part of `npm run mutants`: breaks one line at a time that unit tests protect, and runs the file of tests that has
// to notice. `npm test` does not: each costs a start of vitest.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { changeOf, ROOT } from './changedFile.ts';
import { UNIT_MUTANTS } from './unitMutants.ts';

const VITEST = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT));

/** Whether the tests of a file pass. @param mutant the line that is changed. Default: none. */
function passes(file: string, mutant?: string): boolean {
  const env = { ...process.env, TEST_FILE: file, ...(mutant !== undefined && { MUTANT: mutant }) };
  const config = ['--config', 'test/unitMutants/vitest.config.ts'];
  const { status } = spawnSync(process.execPath, [VITEST, 'run', ...config], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
  });
  return status === 0;
}

const [part = ''] = process.argv.slice(2);
const chosen = Object.entries(UNIT_MUTANTS).filter(([name, { file }]) => `${file} ${name}`.includes(part));
const broken = new Set(
  chosen
    .map(([, { test }]) => test)
    .filter(isNew)
    .filter((file) => !passes(file)),
);
for (const file of broken) console.log(`fails without a mutant: ${file}`);
if (broken.size > 0) process.exitCode = 1;
for (const [name, { test }] of chosen) {
  if (broken.has(test)) continue;
  await changeOf(name);
  const isNoticed = !passes(test, name);
  console.log(`${isNoticed ? test : 'survives'}: ${name}`);
  if (!isNoticed) process.exitCode = 1;
}

function isNew(file: string, index: number, all: string[]): boolean {
  return all.indexOf(file) === index;
}
