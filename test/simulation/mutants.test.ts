// Proves that the simulation notices single lines that break the protocol.

import { describe, expect, it } from 'vitest';
import { SEEDS } from './findSeed.ts';
import { findMutant, MUTANTS } from './mutants.ts';

describe('the simulation notices within 200 seeds that', () => {
  it.each(Object.entries(MUTANTS))('%s', async (name, { seed }) => {
    expect(seed).toBeLessThanOrEqual(SEEDS);
    expect(await findMutant(name)).toBeDefined();
  });
});
