// Which results are samples, and how they are drawn.

import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import type { Series } from '../../../../shared/evidence/series.ts';
import { limitText } from '../../../../shared/text/limitText.ts';
import { axisTexts, timeText } from './chartTimes.ts';
import { layOut } from './layout.ts';
import { readSamples } from './readSamples.ts';
import { makeSet } from './sampleSet.ts';
import {
  createLookup,
  drawLinePath,
  isNear,
  listSampleTimes,
  nearestIndex,
  shareIn,
  ticksAround,
  timeSpan,
  valueSpan,
} from './scale.ts';
import { firstSlots, hasRoom, toggledSlots } from './slots.ts';
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

/** Sets the reader's time zone for a test. */
function inZone(name: string): void {
  const zone = process.env.TZ;
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  process.env.TZ = name;
}

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
    ['another threshold', ['free < 2e9'], 'free < 3e9', undefined],
    ['another comparison', ['free < 2e9'], 'free > 2e9', undefined],
    ['another query with its comparison', ['free < 2e9'], 'used < 2e9', undefined],
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
    [0, 'B', '0 B'],
    [999, 'B', '999 B'],
    [1_000, 'B', '1 kB'],
    [2e18, 'B', '2,000 PB'],
    [0, 's', '0 s'],
    [1, 's', '1 s'],
    [-0.5, 's', '-500 ms'],
    [119, 's', '119 s'],
    [120, 's', '2 min'],
    [1e15, '', '1.000e+15'],
    [9.9e14, '', '990,000,000,000,000'],
    [1e-6, '', '0.000001'],
    [0, '', '0'],
    [-1_000.126, '', '-1,000.13'],
    [1_234.567, '', '1,234.57'],
    [Number.POSITIVE_INFINITY, '', '+Inf'],
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
    ['http_request_size_bytes_bucket', [], ''],
    ['certificate_expiry_seconds', [], ''],
    ['process_start_time_seconds', ['rate'], ''],
    ['cpu_percent', [], '%'],
    ['queue_wait_ms', ['rate'], ''],
    ['up', [], ''],
    ['up', ['rate'], '/s'],
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
    expect(amountTexts([1, 1], '')).toEqual(['1', '1']);
    expect(amountTexts([1, 1 + 1e-12], '')).toEqual(['1', '1']);
    expect(amountTexts([1, 1 + 1e-11], '')).toEqual(['1', '1.00000000001']);
  });

  it('of Cloud Monitoring has its unit', () => {
    expect(unitOfMonitoring('x'.repeat(30))).toBe('x'.repeat(20));
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
    [{ from: -5, to: -5 }, [-6, -4]],
    [{ from: 1, to: 2 }, [1, 1.5, 2]],
    [{ from: 0.9, to: 2 }, [0, 1, 2]],
    [{ from: 0, to: 7 }, [0, 2.5, 5, 7.5]],
    [{ from: 0, to: 27 }, [0, 10, 20, 30]],
    [{ from: 0, to: 6 }, [0, 2, 4, 6]],
  ])('around %j has lines at %j', (span, ticks) => {
    expect(ticksAround(span)).toEqual(ticks);
  });

  it('of time reaches to an alert that is near, and leads to the nearest sample', () => {
    expect(timeSpan([1_000, 2_000], 2_200)).toEqual({ from: 1_000, to: 2_200 });
    expect(timeSpan([1_000, 2_000], 9_000)).toEqual({ from: 1_000, to: 2_000 });
    expect(timeSpan([90_000], undefined)).toEqual({ from: 30_000, to: 150_000 });
    expect([0, 14, 15, 16, 20, 99].map((ms) => nearestIndex([10, 20, 30], ms))).toEqual([0, 0, 0, 1, 1, 2]);
    expect(nearestIndex([], 5)).toBe(0);
  });

  it.each([
    [751, { from: 751, to: 2_000 }],
    [750, { from: 1_000, to: 2_000 }],
    [1_500, { from: 1_000, to: 2_000 }],
    [2_249, { from: 1_000, to: 2_249 }],
    [2_250, { from: 1_000, to: 2_000 }],
    [undefined, { from: 1_000, to: 2_000 }],
  ])('of time reaches to an alert at %s only within a quarter', (alert, span) => {
    expect(timeSpan([1_000, 1_500, 2_000], alert)).toEqual(span);
  });

  const series = (...samples: [number, number][]) => ({ name: '', unit: '', samples });
  it('has the times and the finite values of all series', () => {
    const all = [series([30, 5], [10, Number.NaN]), series([10, -2], [20, Number.POSITIVE_INFINITY])];
    expect(listSampleTimes(all)).toEqual([10, 20, 30]);
    expect(valueSpan(all)).toEqual({ from: -2, to: 5 });
    expect(valueSpan([series([1, 4])])).toEqual({ from: 4, to: 4 });
    expect([valueSpan([]), valueSpan([series([1, Number.NaN])])]).toEqual([undefined, undefined]);
    expect(shareIn({ from: 10, to: 30 }, 15)).toBe(0.25);
  });

  it.each([
    [{ from: 10, to: 20 }, -20, true],
    [{ from: 10, to: 20 }, -21, false],
    [{ from: 10, to: 20 }, 50, true],
    [{ from: 10, to: 20 }, 51, false],
    [{ from: 5, to: 5 }, 20, true],
    [{ from: 5, to: 5 }, 21, false],
    [{ from: -5, to: -5 }, 10, true],
    [{ from: 0, to: 0 }, 3, true],
    [{ from: 0, to: 0 }, 4, false],
  ])('around %j has room for a threshold of %d: %s', (span, threshold, hasPlace) => {
    expect(isNear(span, threshold)).toBe(hasPlace);
  });

  it('has a line that breaks after three usual steps, and at values that are none', () => {
    const path = (...samples: [number, number][]) =>
      drawLinePath(series(...samples), { from: 0, to: 100 }, { from: 0, to: 10 });
    expect(path([0, 0], [10, 5], [20, 5], [50, 10])).toBe('M0 100h0L100 50L200 50L500 0');
    expect(path([0, 0], [10, 5], [20, 5], [51, 10])).toBe('M0 100h0L100 50L200 50M510 0h0');
    expect(path([0, 0], [10, Number.NaN], [20, 10])).toBe('M0 100h0M200 0h0');
    expect(path([33.3333, 1 / 3])).toBe('M333.33 96.67h0');
    expect(path()).toBe('');
  });

  it('finds the value of a series within a step', () => {
    const find = createLookup(series([0, 1], [10, 2], [40, 3]));
    expect([0, 4, 15, 24, 26, 25].map(find)).toEqual([1, 1, 2, 2, 3, 2]);
    expect([70, 69, -30, -29].map(find)).toEqual([undefined, 3, undefined, 1]);
    const unequal = createLookup(series([0, 1], [50, 2], [60, 3], [70, 4]));
    expect([79, 80].map(unequal)).toEqual([4, undefined]);
    const one = createLookup(series([5, 7]));
    expect([one(5), one(6), createLookup(series())(5)]).toEqual([7, undefined, undefined]);
  });
});

describe('a set of series', () => {
  const series = (
    labels: Record<string, string>,
    metric?: string,
    samples: [number, number][] = [[AT * 1e3, 1]],
  ) => ({ labels, samples, ...(metric !== undefined && { metric }) }) as Series;
  const made = (...all: Series[]) => makeSet(all, ({ metric }) => (metric === 'other' ? 'B' : 's'));
  const names = (...all: Series[]) => made(...all)?.series.map(({ name }) => name);

  it('is named by what differs, and shares the rest', () => {
    const set = made(series({ a: '1', b: 'x' }, 'm'), series({ a: '2', b: 'x' }, 'm'));
    expect(set).toMatchObject({ form: 'bars', shared: 'm · b x', unit: 's', metric: 'm' });
    expect(set?.series.map(({ name }) => name)).toEqual(['a 1', 'a 2']);
    const two = made(series({ a: '1' }, 'm'), series({ a: '1' }, 'other'));
    expect(two).toMatchObject({ shared: 'a 1', unit: '', metric: undefined });
    expect(two?.series.map(({ name, unit }) => `${name} ${unit}`)).toEqual(['m s', 'other B']);
    expect(names(series({ a: '1' }), series({ b: '1' }))).toEqual(['a 1', 'b 1']);
    expect(names(series({ a: '1' }, 'm'), series({}, 'm'))).toEqual(['a 1', 'm']);
    expect(names(series({}), series({}), series({}))).toEqual(['value', 'value (2)', 'value (3)']);
    expect(made(series({}))).toMatchObject({ metric: undefined, shared: '' });
    expect(names(series({ toString: 'x' }), series({}))).toEqual(['toString x', 'value']);
  });

  it('has names of at most 200 characters', () => {
    const label = (length: number) => made(series({}, 'x'.repeat(length)))?.shared;
    expect([label(200), label(201)]).toEqual(['x'.repeat(200), `${'x'.repeat(200)}…`]);
  });

  it('has lines over several times, and no series with impossible times', () => {
    const later = AT * 1e3 + 60_000;
    expect(made(series({}, 'm', [[AT * 1e3, 1]]), series({ a: '1' }, 'm', [[later, 1]]))?.form).toBe('lines');
    const at = (ms: number) => made(series({}, 'm', [[ms, 1]]))?.series.length;
    expect([978_307_200_000, 978_307_200_001, 4_102_444_799_999, 4_102_444_800_000].map(at)).toEqual([
      undefined,
      1,
      1,
      undefined,
    ]);
    expect(
      names(
        series({}, 'm', [
          [AT * 1e3, 1],
          [5, 1],
        ]),
        series({}, 'n'),
      ),
    ).toEqual(['n']);
    expect(made(series({}, 'm', [[later, Number.NaN]]))).toBeUndefined();
    expect(
      made(
        series({}, 'm', [
          [AT * 1e3, Number.NaN],
          [later, 0],
        ]),
      )?.series.length,
    ).toBe(1);
  });
});

describe('tables', () => {
  const hour = (minute: string) => `2026-11-17T09:${minute}:00Z`;
  const table = (...rows: string[]) =>
    read(rows.join('\n'))?.series.map(({ name, samples }) => [name, samples]);
  const at = 1_794_908_400_000;
  it.each([
    ['without a zone', '2026-11-17 09:40:00'],
    ['with UTC', '2026-11-17 09:40:00 UTC'],
    ['with a zone', '2026-11-17T10:40:00+0100'],
    ['with parts of seconds', '2026-11-17T09:40:00.000Z'],
    ['in seconds', '1794908400'],
    ['in parts of seconds', '1794908400.0'],
    ['in milliseconds', '1794908400000'],
  ])('have times %s', (_, time) => {
    inZone('Asia/Kolkata');
    expect(table('time,cpu', `${time},1`, `${hour('41')},2`)?.[0]?.[1]?.[0]).toEqual([at, 1]);
  });
  it('have days', () => {
    expect(table('day,cpu', '2026-11-17,1', '2026-11-18,2')?.[0]?.[1]).toEqual([
      [1_794_873_600_000, 1],
      [1_794_960_000_000, 2],
    ]);
  });
  it.each([
    ['one row', ['time,cpu', `${hour('40')},1`]],
    ['a time that is none', ['time,cpu', `${hour('40')},1`, 'later,2']],
    ['a name of times elsewhere', ['daytimes,cpu', `${hour('40')},1`, `${hour('41')},2`]],
    ['rows of other lengths', ['time,cpu', `${hour('40')},1`, `${hour('41')},2,3`]],
    ['words in a column of values', ['time,cpu', `${hour('40')},1`, `${hour('41')},x`]],
    ['no values', ['time,cpu', `${hour('40')},null`, `${hour('41')},-`]],
    ['one column', ['TIME', hour('40'), hour('41')]],
    ['no times at all', ['pod,cpu', 'a,1', 'a,2', 'a,3', 'a,4']],
    ['times in some rows only', ['time,cpu', `${hour('40')},1`, 'a,2', 'a,3', 'a,4']],
    ['words for times', ['time,cpu', '5 Nov 2026,1', '6 Nov 2026,2']],
    ['a column without a number', ['time,cpu,pod', `${hour('40')},-,a`, `${hour('41')},-,a`]],
    ['ports', ['time,port', `${hour('40')},1`, `${hour('41')},1`]],
  ])('are none with %s', (_, rows) => {
    expect(table(...rows)).toBeUndefined();
  });
  it('have a unit where all values are percentages, and gaps where there are none', () => {
    const set = read(`time,load,n\n${hour('40')},5 %,1\n${hour('41')},n/a,1 %\n${hour('42')},+Inf,3`);
    expect(set?.series.map(({ name, unit }) => `${name} ${unit}`)).toEqual(['load %', 'n ']);
    expect(set?.series.map(({ samples }) => samples.map(([, value]) => value))).toEqual([
      [5, Number.NaN, Number.NaN],
      [1, 1, 3],
    ]);
  });
  it('are lines with labels where half of the rows have their own', () => {
    const rows = ['a', 'a', 'b', 'b'].map((pod, index) => `${hour(`4${index % 2}`)},${pod},1`);
    expect(table('time,pod,n', ...rows)?.map(([name]) => name)).toEqual(['pod a', 'pod b']);
    expect(table('time,pod,n', ...rows.slice(0, 3))).toBeUndefined();
  });
  it('lose the last row of a cut text, also in fixed columns', () => {
    const text = [
      'TIME                  CPU',
      `${hour('40')}  1`,
      `${hour('41')}  2`,
      '',
      `${hour('42')}  3`,
    ].join('\n');
    expect([true, false].map((isCut) => readSamples(text, '{}', isCut)?.series[0]?.samples.length)).toEqual([
      2, 3,
    ]);
    expect(readSamples(text, '{}', true)?.isCut).toBe(true);
  });
});

describe('samples of a cut or strange text', () => {
  const values = [
    [AT, '1'],
    [AT + 60, '2'],
    [AT + 120, '3'],
  ];
  const count = (text: string, call: object = {}) =>
    readSamples(text, JSON.stringify(call), true)?.series[0]?.samples.length;
  it('are those of the items that are whole', () => {
    const text = matrix(values, { pod: 'a ] } \\" [' });
    expect(count(text)).toBe(3);
    for (const [end, whole] of [
      ['"3"', 2],
      [',"2"]', 1],
    ] as const)
      expect(count(text.slice(0, text.indexOf(end) + end.length - 1))).toBe(whole);
    expect(count(text.slice(0, text.indexOf('"3"]]') + 5))).toBe(3);
    expect(count(text.slice(0, text.indexOf('pod') + 1))).toBeUndefined();
  });
  it('have the unit of the answer, of the series, or of the query', () => {
    const unit = (text: string, query?: string) => read(text, { query, other: 5 })?.unit;
    const text = matrix(values, { __name__: 'x_bytes' });
    expect(unit(text)).toBe('B');
    expect(unit(text, 'rate(y_bytes[5m])')).toBe('B/s');
    expect(unit(text, 'no {query')).toBe('B');
    expect(unit(matrix(values))).toBe('');
  });
  it('are none in a body that is no base64', () => {
    expect(read(JSON.stringify({ contentType: 'application/json', data: '%' }))).toBeUndefined();
    expect(read(JSON.stringify({ data: btoa(matrix(values)) }))).toBeUndefined();
  });
});

describe('a chart', () => {
  const series = (name: string, ...values: number[]) => ({
    ...{ name, unit: '' },
    samples: values.map((value, index) => [1_000 * (index + 1), value] as [number, number]),
  });
  const set = (...all: ReturnType<typeof series>[]) =>
    ({ form: 'lines', shared: '', series: all, unit: '', metric: undefined }) as const;
  const over = { operator: '>', value: 20 };

  it('draws the series in its slots', () => {
    const all = set(series('a', 1, 9), series('b', 5, 100));
    const chart = layOut(all, [undefined, 0, 7], 2_100, over);
    expect(chart.drawn.map((one) => [one.series.name, one.slot])).toEqual([['a', 1]]);
    expect(chart).toMatchObject({
      times: [1_000, 2_000],
      time: { from: 1_000, to: 2_100 },
      found: { from: 1, to: 9 },
      values: { from: 0, to: 20 },
      alert: 2_100,
      threshold: over,
    });
    expect([...chart.lookups].map(([one, find]) => `${one.name} ${find(2_000)}`)).toEqual(['a 9', 'b 100']);
    expect(chart.ticks).toEqual([0, 10, 20]);
  });

  it('has an axis without series, and leaves out what is far away', () => {
    const all = set(series('a', 1, 2));
    expect(layOut(all, [], undefined, undefined)).toMatchObject({
      drawn: [],
      times: [1_000, 2_000],
      found: undefined,
      values: { from: 0, to: 1 },
      alert: undefined,
      threshold: undefined,
    });
    expect(layOut(all, [0], 9_000, over)).toMatchObject({ alert: undefined, threshold: undefined });
    expect([999, 1_000, 2_000, 2_900].map((alert) => layOut(all, [0], alert, over).alert)).toEqual([
      999,
      1_000,
      2_000,
      undefined,
    ]);
    expect(layOut(all, [0], 0, over).alert).toBeUndefined();
    expect(layOut(set(series('a', 1, 9)), [0], undefined, { ...over, value: -5 }).values.from).toBe(-5);
  });

  it('has eight slots, which series get and leave', () => {
    expect(firstSlots(2)).toEqual([0, 1, ...Array(6).fill(undefined)]);
    expect(firstSlots(20)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([hasRoom(firstSlots(7)), hasRoom(firstSlots(8))]).toEqual([true, false]);
    expect(toggledSlots([0, undefined, 2], 5)).toEqual([0, 5, 2]);
    expect(toggledSlots([0, 1, undefined], 0)).toEqual([undefined, 1, undefined]);
    expect(toggledSlots([0, 1], 5)).toEqual([0, 1]);
  });

  it('names times with their day at its start, and seconds within five minutes', () => {
    const from = Date.parse('2026-11-17T23:50:05Z');
    inZone('UTC');
    expect(axisTexts({ from, to: from + 299_998 })).toEqual(['17 Nov 2026 23:50:05', '23:52:34', '23:55:04']);
    expect(axisTexts({ from, to: from + 1_200_000 })).toEqual([
      '17 Nov 2026 23:50',
      '18 Nov 00:00',
      '18 Nov 00:10',
    ]);
    expect(axisTexts({ from, to: from + 300_000 })[2]).toBe('23:55');
    expect(timeText(from)).toBe('17 Nov 2026, 23:50:05 UTC');
    inZone('Asia/Kolkata');
    expect(timeText(from)).toBe('18 Nov 2026, 05:20:05 UTC+5:30');
  });
});
