// Runs tests on instrumented sources, in a given order. `vitestRun.ts` starts it.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { testPackages } from '../../support/testPackages.ts';
import type { FileResult, VitestRun } from './vitestRun.ts';

/** For a test that hangs. A mutant has its own limit. */
const LIMIT_MS = 1_200_000;
const { INQUEST_MUTATION_RUN = '' } = process.env;
const { root, instrumented, tests, stopsAtFailure, results, inMemory }: VitestRun = JSON.parse(
  readFileSync(INQUEST_MUTATION_RUN, 'utf8'),
);
const place = (path: string): number => tests.indexOf(relative(root, path));

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => place(a.moduleId) - place(b.moduleId));
  }
}

const recorder: Reporter = {
  onTestModuleEnd(module) {
    const { duration, collectDuration } = module.diagnostic();
    const result: FileResult = {
      file: relative(root, module.moduleId),
      passed: module.state() !== 'failed',
      ms: duration + collectDuration,
      failed: [...module.children.allTests('failed')].map(({ fullName }) => fullName),
    };
    appendFileSync(results, `${JSON.stringify(result)}\n`);
  },
};

export default defineConfig({
  root,
  plugins: [
    testPackages,
    {
      name: 'mutants',
      enforce: 'pre',
      load(id) {
        const [path = ''] = id.split('?');
        const file = join(instrumented, relative(root, path));
        return path.startsWith(`${root}/`) && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
      },
    },
  ],
  test: {
    include: [...tests],
    setupFiles: [fileURLToPath(new URL('./recordCoverage.ts', import.meta.url))],
    env: inMemory ? { INQUEST_TEST_STORE: 'memory' } : {},
    globalSetup: inMemory ? [] : ['test/support/emulators.ts'],
    isolate: false,
    // Of this sample only: the cache does not see the text that replaces a file.
    fsModuleCache: true,
    fsModuleCachePath: join(instrumented, '../modules'),
    maxWorkers: 1,
    bail: stopsAtFailure ? 1 : 0,
    sequence: { sequencer: InOrder },
    reporters: ['dot', recorder],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS - 20_000 } },
  },
});
