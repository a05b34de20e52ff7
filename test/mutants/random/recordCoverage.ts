// Notes what each file of tests costs, and which switches of mutants it passes. Loaded before each file.

import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { FileCoverage, VitestRun } from './vitestRun.ts';

declare global {
  /** What instrumented files share. They count under `currentTestId`, or as `static` when there is none. */
  var __stryker__:
    | {
        currentTestId?: string | undefined;
        mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
      }
    | undefined;
}

const { root, results, ids }: VitestRun = JSON.parse(
  readFileSync(process.env.INQUEST_MUTATION_RUN ?? '', 'utf8'),
);
globalThis.__stryker__ ??= {};
const shared = globalThis.__stryker__;
const inSample = new Set(ids);
const listCovered = (counts: Record<string, number> = {}) =>
  Object.keys(counts).filter((id) => inSample.has(id));
const file = relative(root, expect.getState().testPath ?? '');

const before = process.cpuUsage();

beforeAll(() => {
  shared.currentTestId = file;
});

afterAll(() => {
  shared.currentTestId = undefined;
  const { mutantCoverage } = shared;
  const { user, system } = process.cpuUsage(before);
  const coverage: FileCoverage = {
    file,
    cpuMs: (user + system) / 1000,
    covered: listCovered(mutantCoverage?.perTest[file]),
    loaded: listCovered(mutantCoverage?.static),
  };
  if (mutantCoverage !== undefined) mutantCoverage.static = {};
  appendFileSync(results, `${JSON.stringify(coverage)}\n`);
});
