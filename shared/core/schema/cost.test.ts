import { describe, expect, it } from 'vitest';
import { NO_TOKENS } from './common.ts';
import { addCosts, costOfCall, type ModelPrice } from './cost.ts';

const prices: ModelPrice[] = [
  { from: '2027-01-01', input: 1.5, cached: 0.15, output: 7.5 },
  { from: '2026-09-02', input: 0.75, cached: 0.075, output: 3.75 },
];
const tokens = { ...NO_TOKENS, input: 10_000, cached: 4_000, output: 500, thinking: 300, total: 10_800 };
const at = (day: string) => new Date(`${day}T00:00:00.000Z`);

describe('the cost of a call', () => {
  it('counts the repeated part of a prompt as cached, and thinking as output', () => {
    // 6,000 x 0.75 + 4,000 x 0.075 + 800 x 3.75, for a million
    expect(costOfCall(tokens, prices, at('2026-11-22'))).toBe(0.0078);
  });

  it('is that of the newest price that has started', () => {
    expect(costOfCall(tokens, prices, at('2026-12-31'))).toBe(0.0078);
    expect(costOfCall(tokens, prices, at('2027-01-01'))).toBe(0.0156);
  });

  it('is another for a long prompt', () => {
    const longContext = { above: 9_999, input: 4, cached: 0.4, output: 18 };
    const [price] = prices;
    const long = [{ ...(price as ModelPrice), longContext }];
    expect(costOfCall(tokens, long, at('2027-01-01'))).toBe(0.04);
    expect(costOfCall({ ...tokens, input: 9_999 }, long, at('2027-01-01'))).toBe(0.0155985);
  });

  it('is multiplied for other service tiers, and unknown for a tier without a factor', () => {
    const tiered = prices.map((price) => ({ ...price, tiers: { flex: 0.5 } }));
    const costs = (['standard', 'flex', 'priority'] as const).map((tier) =>
      costOfCall(tokens, tiered, at('2026-11-22'), tier),
    );
    expect(costs).toEqual([0.0078, 0.0039, null]);
  });

  it.each([
    ['a model without a price', tokens, undefined, '2027-01-01'],
    ['a model whose price has not begun', tokens, prices, '2026-09-01'],
    ['an answer whose tokens nobody counted', null, prices, '2027-01-01'],
  ])('is unknown for %s', (_what, counted, known, day) => {
    expect(costOfCall(counted, known, at(day))).toBeNull();
  });
});

it('costs add up without digits that mean nothing', () => {
  expect(addCosts({ usd: 0.1, unpricedCalls: 1 }, { usd: 0.2, unpricedCalls: 2 })).toEqual({
    usd: 0.3,
    unpricedCalls: 3,
  });
});
