import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { listPricesOf } from './listPrices.ts';

it('published prices are those of the default configuration, as far as both have them', () => {
  const { models } = parse(readFileSync(new URL('../../config/prices.yaml', import.meta.url), 'utf8'));
  const both = Object.keys(models).filter((model) => listPricesOf({ provider: 'google', model }));
  expect(both).toContain('gemini-3.8-flash');
  for (const model of both) expect(listPricesOf({ provider: 'google', model })).toEqual(models[model]);
});

it.each([
  ['google', 'gemini-unknown'],
  ['openai', 'gemini-3.8-flash'],
  ['google', 'toString'],
])('no price is published for %s %s', (provider, model) => {
  expect(listPricesOf({ provider, model })).toBeUndefined();
});
