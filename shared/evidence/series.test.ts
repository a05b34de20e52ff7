import { expect, it } from 'vitest';
import { readDocumentSeries } from './series.ts';

it('a matrix and a vector of Prometheus have their labels, and samples in the order of time', () => {
  const metric = { __name__: 'up', job: 'a', port: 80 };
  const values = [
    [1_794_904_860, '2'],
    [1_794_904_800, '1'],
    [1_794_904_920_000, '+Inf'],
    [1_794_904_980, '-Inf'],
    [1_794_905_040, 'NaN'],
    [1_794_905_100, ' '],
    [1_794_905_160, null],
    [1_794_905_220, true],
    ['soon', '9'],
  ];
  const other = { metric: { job: 'b' }, value: ['1794904800', 3] };
  expect(readDocumentSeries({ data: { result: [{ metric, values }, other] } })).toEqual([
    {
      metric: 'up',
      labels: { job: 'a' },
      samples: [
        [1_794_904_800_000, 1],
        [1_794_904_860_000, 2],
        [1_794_904_920_000, Number.POSITIVE_INFINITY],
        [1_794_904_980_000, Number.NEGATIVE_INFINITY],
        [1_794_905_040_000, Number.NaN],
        [1_794_905_100_000, Number.NaN],
        [1_794_905_160_000, Number.NaN],
        [1_794_905_220_000, 1],
      ],
    },
    { labels: { job: 'b' }, samples: [[1_794_904_800_000, 3]] },
  ]);
});

it('a time series of Cloud Monitoring has its metric, its unit, and the labels of metric and resource', () => {
  const points = ['2026-11-17T09:01:00Z', '2026-11-17T09:00:00Z', 'never'].map((endTime, index) => ({
    interval: { endTime },
    value: { doubleValue: index },
  }));
  const one = {
    metric: { type: 'run.googleapis.com/latency', labels: { code: '500' } },
    resource: { labels: { service: 'api' } },
    unit: 'ms',
    points,
  };
  expect(readDocumentSeries(JSON.stringify({ timeSeries: [one, { ...one, unit: 1 }] }))).toMatchObject([
    {
      metric: 'run.googleapis.com/latency',
      labels: { code: '500', service: 'api', type: 'run.googleapis.com/latency' },
      unit: 'ms',
      samples: [
        [Date.parse('2026-11-17T09:00:00Z'), 1],
        [Date.parse('2026-11-17T09:01:00Z'), 0],
      ],
    },
    { samples: [{}, {}] },
  ]);
});

it.each<[string, unknown]>([
  ['a text', 'values'],
  ['a text of a list', '[{"values":[[1,"2"]]}]'],
  ['no value', null],
  ['a list of numbers', [1, 2]],
  ['an object without samples', { values: [], points: {}, value: 5 }],
  ['a type that no series has', { metric: { type: 'x' } }],
])('%s has no series', (_, document) => {
  expect(readDocumentSeries(document)).toEqual([]);
});

it('a metric of Prometheus is not named by a label of that name', () => {
  const [one] = readDocumentSeries({ metric: { type: 'x' }, values: [[1, '2']] });
  expect(one).toEqual({ labels: { type: 'x' }, samples: [[1000, 2]] });
});

it('series 20 levels deep are read, and no deeper ones', () => {
  const nested = (depth: number): unknown => (depth === 0 ? { values: [[1, '2']] } : [nested(depth - 1)]);
  expect([20, 21].map((depth) => readDocumentSeries(nested(depth)).length)).toEqual([1, 0]);
});
