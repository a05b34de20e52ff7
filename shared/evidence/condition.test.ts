import { expect, it } from 'vitest';
import { parseStatedConditions, readAggregation } from './condition.ts';

const stated = (text: string, ...urls: string[]) => parseStatedConditions({ urls, text });
const UP = { query: 'up', written: 'up', operator: '==', threshold: 0 };

it('the expressions of addresses count before those of the text', () => {
  const url = 'https://prom/graph?g0.expr=up+%3D%3D+0&g0.tab=1&g1.expr=rate(a%5B5m%5D)+%3E%3D+-1.5e3&expr=b';
  expect(stated('{"expr":"c > 1"}', 'no address', url)).toEqual([
    UP,
    { query: 'rate(a[5m])', written: 'rate(a[5m])', operator: '>=', threshold: -1500 },
  ]);
  expect(stated('{"expr": "up == 0", "query":"", "name":"d > 1"}', 'https://prom/graph')).toEqual([UP]);
  expect(stated('"expression" : "sum( \\"x\\" )"')).toEqual([
    { query: 'sum("x")', written: 'sum( "x" )', threshold: 0 },
  ]);
  expect(stated('"expr":"a > bool 1"')).toEqual([{ query: 'a>bool1', written: 'a > bool 1', threshold: 0 }]);
});

it.each([
  ['COMPARISON_GT', '>'],
  ['COMPARISON_GE', '>='],
  ['COMPARISON_LT', '<'],
  ['COMPARISON_LE', '<='],
  ['COMPARISON_EQ', '=='],
  ['COMPARISON_NE', '!='],
])('a policy of Cloud Monitoring with %s compares by %s', (comparison, operator) => {
  const conditionThreshold = { filter: 'metric.type = "a"', comparison, thresholdValue: 5 };
  const aggregation = { aligner: 'ALIGN_NONE', reducer: 'REDUCE_NONE' };
  expect(stated(JSON.stringify({ conditions: [{ conditionThreshold }] }))).toEqual([
    { query: 'metric.type="a"', written: 'metric.type = "a"', operator, threshold: 5, aggregation },
  ]);
});

it.each<[string, object, number]>([
  ['without a threshold', { filter: 'a', comparison: 'COMPARISON_GT' }, 1],
  ['without a filter', { comparison: 'COMPARISON_GT' }, 0],
  ['of another comparison', { filter: 'a', comparison: 'COMPARISON_UNSPECIFIED' }, 0],
])('a policy %s states %j: %d', (_, conditionThreshold, count) => {
  const conditions = stated(JSON.stringify({ conditionThreshold }));
  expect(conditions.map(({ threshold }) => threshold)).toEqual(Array.from({ length: count }, () => 0));
});

it('policies 20 levels deep are read, and no deeper ones', () => {
  const policy = { conditionThreshold: { filter: 'a', comparison: 'COMPARISON_GT' } };
  const nested = (depth: number): unknown => (depth === 0 ? policy : [nested(depth - 1)]);
  expect([20, 21].map((depth) => stated(JSON.stringify(nested(depth))).length)).toEqual([1, 0]);
});

it('an aggregation that is not stated is none', () => {
  expect(readAggregation({ perSeriesAligner: 'ALIGN_RATE', crossSeriesReducer: 'REDUCE_SUM' })).toEqual({
    aligner: 'ALIGN_RATE',
    reducer: 'REDUCE_SUM',
  });
  expect(readAggregation(undefined)).toEqual({ aligner: 'ALIGN_NONE', reducer: 'REDUCE_NONE' });
});
