// Proves that the simulation notices single lines that break the protocol.

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { MUTANT_SEEDS } from './findSeed.ts';
import { MUTANTS, readPinnedSeeds, runTask } from './mutants.ts';

const names = Object.keys(MUTANTS);
const seeds = readPinnedSeeds();

it('a seed is pinned for each mutant of the simulation, and for no other', () => {
  expect(Object.keys(seeds).sort()).toEqual([...names].sort());
});

it('each mutant changes text that stands in its file once', async () => {
  for (const { file, text, and } of Object.values(MUTANTS)) {
    for (const change of [{ file, text }, ...(and === undefined ? [] : [and])]) {
      const source = await readFile(new URL(`../../shared/${change.file}`, import.meta.url), 'utf8');
      expect(source.split(change.text), `${change.file}: ${change.text}`).toHaveLength(2);
    }
  }
});

/** Of each folder the mutant with the earliest seed. `npm run test:long` and `npm run mutants` run all. */
const earliestOfFolders = [
  ...new Map(
    names
      .toSorted((a, b) => (seeds[b] ?? 0) - (seeds[a] ?? 0))
      .map((name) => [dirname(MUTANTS[name]?.file ?? ''), name]),
  ).values(),
];

describe('the simulation notices within 600 seeds that', () => {
  it.each(IS_LONG ? names : earliestOfFolders)('%s', async (name) => {
    expect(seeds[name]).toBeLessThanOrEqual(MUTANT_SEEDS);
    expect(await runTask({ name })).toHaveProperty('detectedBy');
  });
});
