import { expect, it } from 'vitest';
import { plainQuery } from './plainQuery.ts';

it.each<[string, string, string[], Record<string, string>]>([
  ['up', 'up', [], {}],
  [' up{job="a", pod=~\'b.*\', x!="c"} > 0.5 ', 'up', [], { job: 'a', pod: 'b.*' }],
  ['m{a="}"} == bool 1e3', 'm', [], { a: '}' }],
  ['rate(m[5m])', 'm', ['rate'], {}],
  ['sum by (pod) (rate(m{a="b"}[5m] offset 1h))', 'm', ['sum', 'rate'], { a: 'b' }],
  ['max( avg(m) without (pod) )', 'm', ['max', 'avg'], {}],
  ['min(max(sum(avg(m))))', 'm', ['min', 'max', 'sum', 'avg'], {}],
])('%j is a query of %s with %j', (query, metric, functions, selected) => {
  expect(plainQuery(query)).toEqual({ metric, functions, selected });
});

it.each([
  '',
  'a / b',
  'a or b',
  'count(m)',
  'sum(a + b)',
  'absent(m)',
  'sum(sum(sum(sum(sum(m)))))',
  'sum()',
  '5 > 3',
])('%j is no plain query', (query) => {
  expect(plainQuery(query)).toBeUndefined();
});
