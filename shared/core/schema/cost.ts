// The cost of model calls. An unknown price makes a cost unknown, never zero.

import * as z from 'zod';
import type { TokenUsage } from './common.ts';

const MILLION = 1_000_000;
/** Dollars are rounded to this fraction, so that sums have no meaningless digits. */
const FRACTIONS = 1e9;

/** Service tiers of Gemini: `flex` is cheaper, can be refused under load; `priority` costs more. */
export const SERVICE_TIERS = ['standard', 'flex', 'priority'] as const;
/** A service tier of Gemini. */
export type ServiceTier = (typeof SERVICE_TIERS)[number];

const price = z.number().nonnegative().max(100_000);
const tokenPrices = { input: price, cached: price, output: price };

/**
 * US dollars per million tokens, from a day on. `output` also applies to thinking, `cached` to the cached
 * part of a prompt.
 */
export const modelPriceSchema = z.strictObject({
  /** The first day on which the prices apply, in UTC: `2026-09-02`. */
  from: z.iso.date(),
  ...tokenPrices,
  /** The prices of a whole call with more input tokens than `above`. */
  longContext: z.strictObject({ above: z.int().positive(), ...tokenPrices }).optional(),
  /** Prices of other service tiers, as multiples of these. A tier without one has an unknown price. */
  tiers: z
    .strictObject({ flex: z.number().positive().max(100), priority: z.number().positive().max(100) })
    .partial()
    .optional(),
});
/** The price of a model from a day on. */
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** The cost of several calls. */
export const costSchema = z.strictObject({
  /** US dollars of the calls with a known price. */
  usd: z.number().nonnegative(),
  /** Number of calls with unknown cost: without a price, or without token counts. */
  unpricedCalls: z.int().nonnegative(),
});
/** The cost of several calls. */
export type Cost = z.infer<typeof costSchema>;

/** The cost of no call. */
export const NO_COST: Cost = { usd: 0, unpricedCalls: 0 };

/** The sum of two costs. */
export function addCosts(a: Cost, b: Cost): Cost {
  return { usd: roundDollars(a.usd + b.usd), unpricedCalls: a.unpricedCalls + b.unpricedCalls };
}

/**
 * The cost of a call in US dollars; null if unknown.
 * @param tokens null if the provider counted none.
 * @param prices of the model; the newest that applies at `at` is used.
 * @param tier the service tier that answered. Default: `standard`.
 */
export function costOfCall(
  tokens: TokenUsage | null,
  prices: readonly ModelPrice[] | undefined,
  at: Date,
  tier: ServiceTier = 'standard',
): number | null {
  const day = at.toISOString().slice(0, 10);
  const effective = (prices ?? []).filter(({ from }) => from <= day);
  const newest = effective.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1);
  const factor = tier === 'standard' ? 1 : newest?.tiers?.[tier];
  if (newest === undefined || factor === undefined || tokens === null) return null;
  const { longContext } = newest;
  const { input, cached, output } =
    longContext !== undefined && tokens.input > longContext.above ? longContext : newest;
  const repeated = Math.min(tokens.cached, tokens.input);
  const dollars =
    (tokens.input - repeated) * input + repeated * cached + (tokens.output + tokens.thinking) * output;
  return roundDollars((dollars * factor) / MILLION);
}

function roundDollars(dollars: number): number {
  return Math.round(dollars * FRACTIONS) / FRACTIONS;
}
