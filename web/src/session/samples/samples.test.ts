// Which results are samples, and how they are drawn.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import { limitText } from '../../../../shared/text/limitText.ts';
import { readSamples } from './readSamples.ts';
import { createLookup, drawLinePath, nearestIndex, ticksAround, timeSpan } from './scale.ts';
import { thresholdFor } from './threshold.ts';
import { amountText, amountTexts, unitOfMetric, unitOfMonitoring } from './units.ts';

interface Recorded {
  arguments: { query: string };
  text: string;
}
/** Answers of the pack's server on a real Prometheus. */
const RECORDED: Recorded[] = JSON.parse(
  readFileSync(new URL('../../../../test/worlds/prometheus/recorded.json', import.meta.url), 'utf8'),
);
const recorded = (query: string, type: string): Recorded => {
  const found = RECORDED.find((one) => one.arguments.query === query && one.text.includes(type));
  if (found === undefined) throw new Error(`${query} was not recorded`);
  return found;
};
const read = (text: string, call: object = {}) => readSamples(text, JSON.stringify(call), false);
const MEMORY = 'container_memory_working_set_bytes{namespace="shop",container="checkout"}';
const AT = 1_794_904_800;
const matrix = (values: unknown[], metric: object = {}) =>
  JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [{ metric, values }] } });

describe('samples', () => {
  it('of Prometheus are lines over time, or bars at one time', () => {
    for (const { arguments: given, text } of RECORDED) {
      const set = read(text, given);
      if (text.includes('"result":[]')) expect(set).toBeUndefined();
      else
        expect([given.query, set?.form]).toEqual([given.query, text.includes('matrix') ? 'lines' : 'bars']);
    }
    const { arguments: given, text } = recorded(MEMORY, 'matrix');
    const set = read(text, given);
    expect(set).toMatchObject({ unit: 'B', isCut: false, metric: 'container_memory_working_set_bytes' });
    expect(set?.shared).toBe(
      'container_memory_working_set_bytes · container checkout · job kubelet · namespace shop · node node-1',
    );
    expect(set?.series.map(({ name, samples }) => [name, samples.length, samples.at(-1)])).toEqual([
      ['pod checkout-7d9c6bf8d4-9wz4m', 13, [1_794_908_400_000, 112_070_000]],
      ['pod checkout-7d9c6bf8d4-x2kqp', 13, [1_794_908_400_000, 251_000_000]],
    ]);
  });

  it('of Cloud Monitoring are in the order of time, with their unit, as a list and as a body in base64', () => {
    const point = (minute: number, value: object) => ({
      interval: { startTime: `2026-11-17T09:${minute - 1}:00Z`, endTime: `2026-11-17T09:${minute}:00Z` },
      value,
    });
    const series = (queue: string, value: string) => ({
      metric: { type: 'pubsub.googleapis.com/subscription/oldest_unacked_message_age', labels: {} },
      resource: { type: 'pubsub_subscription', labels: { project_id: 'shop-prod', subscription_id: queue } },
      points: [
        point(42, { int64Value: value }),
        point(41, { int64Value: '30' }),
        point(40, { doubleValue: 1.5 }),
      ],
    });
    const set = read(
      JSON.stringify({ timeSeries: [series('mail', '90'), series('bills', '31')], unit: 's' }),
    );
    expect(set).toMatchObject({
      form: 'lines',
      unit: 's',
      shared: 'pubsub.googleapis.com/subscription/oldest_unacked_message_age · project_id shop-prod',
    });
    expect(set?.series[0]).toMatchObject({ name: 'subscription_id mail' });
    expect(set?.series[0]?.samples.map(([, value]) => value)).toEqual([1.5, 30, 90]);
    const body = { contentType: 'application/json', data: btoa(recorded(MEMORY, 'matrix').text) };
    expect(read(JSON.stringify(body))?.series.length).toBe(2);
  });

  it.each([
    [
      'fixed columns',
      'TIME                  POD    CPU_PERCENT\n2026-11-17T09:40:00Z  web-1  12\n2026-11-17T09:41:00Z  web-1  90\n2026-11-17T09:40:00Z  web-2  11\n2026-11-17T09:41:00Z  web-2  -\n',
    ],
    [
      'CSV',
      'time,pod,cpu_percent\n2026-11-17 09:41:00,web-1,90\n2026-11-17 09:40:00,web-1,12\n1794908400,"web-2",11\n1794908460000,web-2,\n',
    ],
    [
      'markdown',
      'Load:\n\n| time | pod | cpu_percent |\n|---|---|---:|\n| 2026-11-17T09:40:00Z | web-1 | 12 |\n| 2026-11-17 10:41:00 +01:00 | web-1 | 90 |\n| 2026-11-17T09:40Z | web-2 | 11 |\n| 2026-11-17T09:41Z | web-2 | null |\n',
    ],
  ])('of a table in %s are one series for each column of values and combination of labels', (_, text) => {
    const set = read(text);
    expect(set?.unit).toBe('%');
    expect(set?.series.map(({ name, samples }) => [name.toLowerCase(), samples])).toEqual([
      [
        'pod web-1',
        [
          [1_794_908_400_000, 12],
          [1_794_908_460_000, 90],
        ],
      ],
      [
        'pod web-2',
        [
          [1_794_908_400_000, 11],
          [1_794_908_460_000, Number.NaN],
        ],
      ],
    ]);
  });

  it.each([
    ['a log', '2026-11-17T09:40:00Z ERROR timeout 3000\n2026-11-17T09:41:00Z ERROR timeout 3000\n'],
    ['a list of events', 'time,message,ms\n2026-11-17T09:40:00Z,a,1\n2026-11-17T09:41:00Z,b,2\n'],
    ['a table without times', 'NAME    AGE\nweb-1   4\nweb-2   5\n'],
    ['numbers that name something', 'time,status\n2026-11-17T09:40:00Z,500\n2026-11-17T09:41:00Z,500\n'],
    ['pairs without times', '{"values":[[1,2],[3,4]]}'],
    ['an object', '{"kind":"Pod","status":{"phase":"Running"}}'],
    [
      'samples without a number',
      matrix([
        [AT, 'NaN'],
        [AT + 60, null],
      ]),
    ],
    ['brackets in brackets', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['objects in objects', `${'{"values":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['nothing', ''],
  ])('are not in %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('of a cut answer are those before the cut, and the cut is stated', () => {
    const { text } = recorded(MEMORY, 'matrix');
    const all = read(text)?.series.flatMap(({ samples }) => samples).length ?? 0;
    for (const bytes of [450, 700, 1_000]) {
      const set = read(limitText(text, bytes).content);
      const drawn = set?.series.flatMap(({ samples }) => samples) ?? [];
      expect(set?.isCut).toBe(true);
      expect(drawn.length).toBeGreaterThan(2);
      expect(drawn.length).toBeLessThan(all);
      expect(drawn.every(([, value]) => value > 110_000_000)).toBe(true);
    }
    const noted = `[This result is r5: 90000 bytes in 1 lines. Parts of it follow.]\n${limitText(text, 700).content}`;
    expect(read(noted)?.series.length).toBe(1);
    const table = `time,cpu\n2026-11-17T09:40:00Z,1\n2026-11-17T09:41:00Z,2\n2026-11-17T09:42:00Z,3`;
    expect(readSamples(table, '{}', true)?.series[0]?.samples.length).toBe(2);
  });

  it('in milliseconds, out of order, twice, and infinite are read; a gap breaks the line', () => {
    const times = [60, 0, 120, 120, 180, 240, 1_200];
    const values = times.map((second, index) => [
      (AT + second) * 1_000,
      index === 5 ? '+Inf' : String(index),
    ]);
    const set = read(matrix(values));
    const [series] = set?.series ?? [];
    if (series === undefined) throw new Error('nothing was read');
    expect(series.samples.map(([, value]) => value)).toEqual([1, 0, 2, 3, 4, Number.POSITIVE_INFINITY, 6]);
    const path = drawLinePath(series, { from: AT * 1_000, to: (AT + 1_200) * 1_000 }, { from: 0, to: 10 });
    expect(path).toBe('M0 90h0L50 100L100 80L100 70L150 60M1000 40h0');
    expect(createLookup(series)((AT + 70) * 1_000)).toBe(0);
    expect(createLookup(series)((AT + 700) * 1_000)).toBeUndefined();
  });

  it('with equal labels stay distinct, and labels stay texts of limited length', () => {
    const label = `<img src=x onerror=alert(1)>${'x'.repeat(500)}`;
    const series = [1, 2].map((value) => ({ metric: { pod: label }, value: [AT, String(value)] }));
    const set = read(JSON.stringify({ resultType: 'vector', result: series }));
    expect(set?.series.map(({ name }) => name)).toEqual(['value', 'value (2)']);
    expect(set?.shared.startsWith('pod <img src=x')).toBe(true);
    expect(set?.shared.length).toBeLessThan(250);
  });
});

describe('a threshold', () => {
  const url = (expression: string) => `https://prometheus/graph?g0.expr=${encodeURIComponent(expression)}`;
  const ofUrl = (...expressions: string[]) => parseStatedConditions({ urls: expressions.map(url), text: '' });
  const call = (query: string) => JSON.stringify({ query, step: '1m' });

  it.each([
    ['its query', ['rate(x[5m]) > 0.2'], 'rate(x[5m])', 0.2],
    ['its query in other white space', ['sum( rate(x[5m]) )>= 5'], 'sum(rate(x[5m]))', 5],
    ['its whole expression', ['free < 2e9'], 'free < 2e9', 2e9],
    ['another query', ['rate(x[5m]) > 0.2'], 'rate(y[5m])', undefined],
    ['a query without a comparison', ['up'], 'up', undefined],
    ['its expression as true or false', ['x > bool 5'], 'x > bool 5', undefined],
    ['one of two conditions', ['x > 5', 'y > 7'], 'x', 5],
    ['two that differ', ['x > 5', 'x < 1'], 'x', undefined],
  ])('is that of the alert for a call of %s', (_, expressions, query, value) => {
    expect(thresholdFor(ofUrl(...expressions), call(query), undefined)?.value).toBe(value);
  });

  it('of a policy of Cloud Monitoring is for its metric in its aggregation', () => {
    const type = 'run.googleapis.com/request_latencies';
    const conditionThreshold = {
      filter: `resource.type = "cloud_run_revision" AND metric.type = "${type}"`,
      comparison: 'COMPARISON_GT',
      thresholdValue: 800,
      aggregations: [{ perSeriesAligner: 'ALIGN_PERCENTILE_99' }],
    };
    const conditions = parseStatedConditions({
      urls: [],
      text: JSON.stringify({ incident: { condition: { conditionThreshold } } }),
    });
    const given = (perSeriesAligner: string) =>
      JSON.stringify({ filter: `metric.type="${type}"`, aggregation: { perSeriesAligner } });
    expect(thresholdFor(conditions, given('ALIGN_PERCENTILE_99'), type)).toEqual({
      operator: '>',
      value: 800,
    });
    expect(thresholdFor(conditions, given('ALIGN_MEAN'), type)).toBeUndefined();
    expect(thresholdFor(conditions, given('ALIGN_PERCENTILE_99'), 'another')).toBeUndefined();
  });

  it('is not looked for in an alert of brackets', () => {
    expect(parseStatedConditions({ urls: [], text: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })).toEqual(
      [],
    );
  });
});

describe('a value', () => {
  it.each([
    [251_000_000, 'B', '251 MB'],
    [-1_500, 'B', '-1.5 kB'],
    [1_234_567, 'B/s', '1.235 MB/s'],
    [0.25, 's', '250 ms'],
    [4_000, 's', '1 h 6 min'],
    [0.2, 'ratio', '20 %'],
    [12.345, '%', '12.35 %'],
    [1_204_417, '', '1,204,417'],
    [0.000123456, '', '0.0001235'],
    [1e-9, '', '1.000e-9'],
    [3, '/s', '3/s'],
    [Number.NaN, 's', 'NaN'],
    [Number.NEGATIVE_INFINITY, 'B', '-Inf'],
  ])('of %d %j reads %j', (value, unit, text) => {
    expect(amountText(value, unit)).toBe(text);
  });

  it.each([
    ['container_memory_working_set_bytes', [], 'B'],
    ['node_network_receive_bytes_total', ['sum', 'rate'], 'B/s'],
    ['container_cpu_usage_seconds_total', ['rate'], ''],
    ['http_requests_total', ['rate'], '/s'],
    ['http_request_duration_seconds_sum', [], 's'],
    ['http_request_duration_seconds_count', [], ''],
    ['certmanager_certificate_expiration_timestamp_seconds', [], ''],
    ['up', [], ''],
  ])('of %s in %j has the unit %j', (metric, functions, unit) => {
    expect(unitOfMetric(metric, functions)).toBe(unit);
  });

  it('of an axis has so many digits that no two read the same', () => {
    expect(amountTexts([112_000_000, 112_020_000, 112_040_000], 'B')).toEqual([
      '112 MB',
      '112.02 MB',
      '112.04 MB',
    ]);
    expect(amountTexts([0, 1_000], '')).toEqual(['0', '1,000']);
  });

  it('of Cloud Monitoring has its unit', () => {
    expect(['By', '10^2.%', '1', 'ms', '{request}/s'].map(unitOfMonitoring)).toEqual([
      'B',
      'ratio',
      '',
      'ms',
      'request/s',
    ]);
  });
});

describe('an axis', () => {
  it.each([
    [{ from: 0, to: 0 }, [0, 0.5]],
    [{ from: 110e6, to: 251e6 }, [0, 100e6, 200e6, 300e6]],
    [{ from: 0.97, to: 1 }, [0.96, 0.98, 1]],
    [{ from: -3, to: 2 }, [-4, -2, 0, 2]],
    [{ from: 5, to: 5 }, [4, 6]],
  ])('around %j has lines at %j', (span, ticks) => {
    expect(ticksAround(span)).toEqual(ticks);
  });

  it('of time reaches to an alert that is near, and leads to the nearest sample', () => {
    expect(timeSpan([1_000, 2_000], 2_200)).toEqual({ from: 1_000, to: 2_200 });
    expect(timeSpan([1_000, 2_000], 9_000)).toEqual({ from: 1_000, to: 2_000 });
    expect(timeSpan([90_000], undefined)).toEqual({ from: 30_000, to: 150_000 });
    expect([0, 14, 16, 99].map((ms) => nearestIndex([10, 20, 30], ms))).toEqual([0, 0, 1, 2]);
  });
});
