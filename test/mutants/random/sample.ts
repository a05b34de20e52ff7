// Chooses mutants at random by a seed, and states how far the rate of a sample can be from the rate of all.

import { createHash } from 'node:crypto';
import { type Mutant, nameMutant } from './mutant.ts';

/**
 * Chooses `count` mutants, all with the same probability. The seed gives each mutant its place in one order,
 * so the same seed chooses the same ones at the same commit, a larger sample contains the smaller one, and a
 * commit that changes few places changes few of the chosen.
 */
export function chooseSample<M extends Mutant>(mutants: readonly M[], count: number, seed: number): M[] {
  return mutants
    .map((mutant) => ({ mutant, place: hash(`${seed} ${nameMutant(mutant)}`) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** 97.5 % of a normal distribution are below this many standard deviations. */
const Z = 1.959964;

/**
 * Wilson's interval of 95 % for a rate that was measured on a sample.
 * @param hits at most `total`.
 * @returns both ends, from 0 to 1; 0 and 1 without a measurement.
 */
export function wilsonInterval(hits: number, total: number): [number, number] {
  if (total === 0) return [0, 1];
  const rate = hits / total;
  const scale = 1 + Z ** 2 / total;
  const middle = (rate + Z ** 2 / (2 * total)) / scale;
  const half = (Z * Math.sqrt((rate * (1 - rate)) / total + Z ** 2 / (4 * total ** 2))) / scale;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
