import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FULL_ONLY, LONG_ONLY, SELECTIONS } from '../test/support/fullTests.ts';

it('the lists of files that a run of tests leaves out or adds name only files that exist', () => {
  const { quick, full, long, emulators } = SELECTIONS;
  const listed = [quick, full, long, emulators].flatMap(({ inMemory, onStore, leftOut }) => [
    ...inMemory,
    ...onStore,
    ...leftOut,
  ]);
  expect([...new Set(listed)].filter((glob) => globSync(glob).length === 0)).toEqual([]);
});

it('no group of tests stands in both lists', () => {
  expect(Object.keys(FULL_ONLY).filter((group) => group in LONG_ONLY)).toEqual([]);
});

it('CI runs test:full, and the nightly workflow test:long', () => {
  expect(readFileSync('.ci/run', 'utf8')).toContain('npm run test:full');
  expect(readFileSync('.github/workflows/nightly.yml', 'utf8')).toContain('npm run test:long');
});
