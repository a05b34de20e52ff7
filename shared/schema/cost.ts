// What calls of models cost. A price that is not known makes a cost unknown, never zero.

import * as z from 'zod';
import { asObject } from '../text/json.ts';
import type { TokenUsage } from './common.ts';

const MILLION = 1_000_000;
/** Dollars are kept to this fraction, so that sums of them have no digits that mean nothing. */
const FRACTIONS = 1e9;

const price = z.number().nonnegative().max(100_000);
const tokenPrices = { input: price, cached: price, output: price };

/** US dollars for a million tokens, from a day on. `output` is also what thinking costs, `cached` what is repeated of a prompt. */
export const modelPriceSchema = z.strictObject({
  /** The first day on which they hold, in UTC: `2026-09-02`. */
  from: z.iso.date(),
  ...tokenPrices,
  /** What a call with more input tokens than `above` costs instead, wholly. */
  longContext: z.strictObject({ above: z.int().positive(), ...tokenPrices }).optional(),
});
/** The price of a model from a day on. */
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** What several calls cost. */
export const costSchema = z.strictObject({
  /** US dollars of the calls whose price is known. */
  usd: z.number().nonnegative(),
  /** Number of calls whose cost is not known: without a price, or without counts of tokens. */
  unpricedCalls: z.int().nonnegative(),
});
/** What several calls cost. */
export type Cost = z.infer<typeof costSchema>;

/** The cost of no call. */
export const NO_COST: Cost = { usd: 0, unpricedCalls: 0 };

/** The cost in a document of code that counted tokens alone: unknown, if there were any. */
export function unpricedCost(tokens: unknown): Cost {
  return { usd: 0, unpricedCalls: Number(asObject(tokens).total) > 0 ? 1 : 0 };
}

/** The sum of two costs. */
export function addCosts(a: Cost, b: Cost): Cost {
  return { usd: rounded(a.usd + b.usd), unpricedCalls: a.unpricedCalls + b.unpricedCalls };
}

/**
 * What a call costs in US dollars; null when that is not known.
 * @param tokens null when the provider counted none.
 * @param prices of the model; the newest that has begun at `at` holds.
 */
export function costOfCall(
  tokens: TokenUsage | null,
  prices: readonly ModelPrice[] | undefined,
  at: Date,
): number | null {
  const day = at.toISOString().slice(0, 10);
  const begun = (prices ?? []).filter(({ from }) => from <= day);
  const newest = begun.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1);
  if (newest === undefined || tokens === null) return null;
  const { longContext } = newest;
  const { input, cached, output } =
    longContext !== undefined && tokens.input > longContext.above ? longContext : newest;
  const repeated = Math.min(tokens.cached, tokens.input);
  const dollars =
    (tokens.input - repeated) * input + repeated * cached + (tokens.output + tokens.thinking) * output;
  return rounded(dollars / MILLION);
}

function rounded(dollars: number): number {
  return Math.round(dollars * FRACTIONS) / FRACTIONS;
}
