// Runs the file of tests that has to detect a mutant.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MutantRun } from '../mutantSuite.ts';
import { changeOf, ROOT } from './changedFile.ts';
import { UNIT_MUTANTS } from './unitMutants.ts';

const VITEST = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT));
/** Files of tests that passed without a mutant. */
const sound = new Set<string>();

/**
 * Runs the tests of a mutant.
 * @throws Error when they fail without it, and the errors of `changeOf`.
 */
export async function runTask({ name }: { name: string }): Promise<MutantRun> {
  await changeOf(name);
  const { test = '' } = UNIT_MUTANTS[name] ?? {};
  if (!sound.has(test) && !(await passes({ TEST_FILE: test })))
    throw new Error(`${test} fails without a mutant`);
  sound.add(test);
  return (await passes({ TEST_FILE: test, MUTANT: name })) ? { name } : { name, detectedBy: test };
}

/** Whether the tests pass with these variables of the environment, which `vitest.config.ts` reads. */
async function passes(variables: Record<string, string>): Promise<boolean> {
  const tests = spawn(process.execPath, [VITEST, 'run', '--config', 'test/mutants/unit/vitest.config.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...variables },
    stdio: 'ignore',
  });
  const [code] = await once(tests, 'exit');
  return code === 0;
}
