import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { findListPrices } from './listPrices.ts';

it('every price of the default configuration is also the price without prices.yaml', () => {
  const { models } = parse(readFileSync(new URL('../../config/prices.yaml', import.meta.url), 'utf8'));
  expect(Object.keys(models)).toContain('gemini-3.8-flash');
  for (const model of Object.keys(models))
    expect(findListPrices({ provider: 'google', model }), model).toEqual(models[model]);
});

it.each([
  ['google', 'gemini-unknown'],
  ['openai', 'gemini-3.8-flash'],
  ['google', 'toString'],
])('no price is published for %s %s', (provider, model) => {
  expect(findListPrices({ provider, model })).toBeUndefined();
});
