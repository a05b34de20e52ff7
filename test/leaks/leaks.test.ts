// No secret comes out, and the search for them notices where masking is switched off.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { ENCODINGS } from './encodings.ts';
import { createLeakFinder } from './findLeaks.ts';
import { MUTANTS, runTask } from './mutants.ts';
import { runScenario, SCENARIO_NAMES } from './runScenario.ts';

const SEED = 20261122;

describe('planted secrets come out nowhere', () => {
  it.each(SCENARIO_NAMES)('%s', async (scenario) => {
    const { leaks, cases } = await runScenario(scenario, SEED);
    expect(cases).toBeGreaterThan(0);
    expect(leaks, `npm run fuzz -- --seed ${SEED} --cases 1 --scenario "${scenario}"`).toEqual([]);
  });

  it('are the same for the same seed', async () => {
    const [one, other] = [await runScenario('decisions', 3), await runScenario('decisions', 3)];
    expect(other).toEqual(one);
  });
});

describe('the search finds', () => {
  const raw = 'k"7Tr&b4 <dor>%x/y9';
  const finder = () => createLeakFinder([{ raw, of: 'it' }]);

  it.each(Object.entries(ENCODINGS))('a secret that is written %s', (_, write) => {
    expect(
      finder()
        .find([{ a: `before ${write(raw, 'ab')} behind` }])
        .map(({ of }) => of),
    ).toEqual(['it']);
  });

  it('a piece of 12 characters, and none of 11', () => {
    expect(finder().find(raw.slice(3, 15))).toHaveLength(1);
    expect(finder().find(raw.slice(3, 14))).toEqual([]);
  });

  it('a secret in a key, and in bytes', () => {
    expect(finder().find({ [raw]: 1 })).toHaveLength(1);
    expect(finder().find(Buffer.from(raw))).toHaveLength(1);
  });
});

/** One of each scenario. `npm run mutants` tries all. */
const FIRST = SCENARIO_NAMES.flatMap(
  (scenario) => Object.entries(MUTANTS).find(([, mutant]) => mutant.scenario === scenario)?.[0] ?? [],
);

describe('a secret comes out without masking of', () => {
  it.runIf(IS_LONG).each(FIRST)('%s', async (name) => {
    expect(await runTask({ name })).toHaveProperty('detectedBy');
  });

  it.each(Object.entries(MUTANTS))('%s, whose text is there once', (_, { file, text }) => {
    const source = readFileSync(new URL(`../../shared/${file}`, import.meta.url), 'utf8');
    expect(source.split(text)).toHaveLength(2);
  });
});
