// Prices of Google's current models, for configurations whose prices.yaml does not name them.

import type { ModelPrice } from '../core/schema/cost.ts';

/**
 * Standard prices of the Gemini API in US dollars for a million tokens, by the id of the model. Without
 * batch, free tier and native tools. Source: ai.google.dev/gemini-api/docs/pricing as published in November
 * 2026, compared on 2026-11-23 with the price lists of LiteLLM (discussions 39357 and 46238) and TokenMeter
 * (release 0.13.1); `from` of older models is the first day on which they are known to hold.
 */
const LIST_PRICES: Readonly<Record<string, readonly ModelPrice[]>> = {
  'gemini-4-argon': [
    { from: '2026-10-13', input: 2, cached: 0.1, output: 10 },
    { from: '2026-12-01', input: 4, cached: 0.2, output: 20 },
  ],
  'gemini-4-carbon': [
    { from: '2026-11-10', input: 2, cached: 0.2, output: 10 },
    { from: '2026-12-01', input: 4, cached: 0.4, output: 20 },
  ],
  'gemini-3.8-flash': [
    { from: '2026-09-02', input: 0.75, cached: 0.075, output: 3.75 },
    { from: '2027-01-01', input: 1.5, cached: 0.15, output: 7.5 },
  ],
  'gemini-3.5-flash': [{ from: '2026-05-19', input: 1.5, cached: 0.15, output: 9 }],
  'gemini-3.1-pro-preview': [
    {
      from: '2026-03-01',
      input: 2,
      cached: 0.2,
      output: 12,
      longContext: { above: 200_000, input: 4, cached: 0.4, output: 18 },
    },
  ],
  'gemini-3.1-flash-lite': [{ from: '2026-03-01', input: 0.25, cached: 0.025, output: 1.5 }],
  'gemini-2.5-pro': [
    {
      from: '2026-03-01',
      input: 1.25,
      cached: 0.125,
      output: 10,
      longContext: { above: 200_000, input: 2.5, cached: 0.25, output: 15 },
    },
  ],
  'gemini-2.5-flash': [{ from: '2026-03-01', input: 0.3, cached: 0.03, output: 2.5 }],
  'gemini-2.5-flash-lite': [{ from: '2026-03-01', input: 0.1, cached: 0.01, output: 0.4 }],
};

/**
 * The tier `flex` costs half of the standard prices. Those of `priority` are only published as 75 to 100 %
 * more, so that its cost is unknown without prices.yaml. Source: ai.google.dev/gemini-api/docs/optimization,
 * November 2026.
 */
const FLEX_FACTOR = 0.5;

/**
 * The list prices of a Google model; undefined for unknown models and for other providers, which can use the
 * same id.
 */
export function findListPrices({
  provider,
  model,
}: {
  provider: string;
  model: string;
}): readonly ModelPrice[] | undefined {
  if (provider !== 'google' || !Object.hasOwn(LIST_PRICES, model)) return undefined;
  return LIST_PRICES[model]?.map((prices) => ({ ...prices, tiers: { flex: FLEX_FACTOR } }));
}
