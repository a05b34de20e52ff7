// Proves that the simulation notices single lines that break the protocol.

import { describe, expect, it } from 'vitest';
import { MUTANT_SEEDS } from './findSeed.ts';
import { findMutant, MUTANTS } from './mutants.ts';

const names = Object.keys(MUTANTS);

describe('the simulation notices within 400 seeds that', () => {
  it.each(names)('%s', async (name) => {
    expect(MUTANTS[name]?.seed).toBeLessThanOrEqual(MUTANT_SEEDS);
    expect(await findMutant(name)).toBeDefined();
  });
});
