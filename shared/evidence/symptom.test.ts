import { describe, expect, it } from 'vitest';
import { queryOfAlert, readSymptom, statesCondition } from './symptom.ts';

const START = Date.parse('2026-11-17T09:30:00Z');
const NOW = START + 20 * 60_000;
const LEFT = 'sum(rate(errors[5m])) / sum(rate(requests[5m]))';
const ALERT = {
  urls: [`https://prom/graph?g0.expr=${encodeURIComponent(`${LEFT} > 0.05`)}&g0.tab=1`],
  text: '',
  labels: { pod: 'checkout-x2kqp' } as Record<string, string>,
};

/** Samples of every minute from 5 minutes before the alert until now. */
const samples = (
  valueAt: (minute: number) => number,
  minutes = Array.from({ length: 26 }, (_, n) => n - 5),
) => minutes.map((minute) => [(START + minute * 60_000) / 1000, String(valueAt(minute))]);
const matrix = (...series: unknown[]) =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'matrix', result: series.map((values) => ({ metric: {}, values })) },
  });
const read = (text: string, query = LEFT, alert: typeof ALERT = ALERT) =>
  readSymptom(alert, [{ arguments: JSON.stringify({ query, start: 'x' }), text }], {
    start: START,
    now: NOW,
  });

it("clears the alert only by a series with the alert's labels", () => {
  const labelled = (metric: object) => JSON.stringify({ data: { result: [{ metric, values: calm }] } });
  expect(read(labelled({ __name__: 'up', pod: 'checkout-x2kqp', container: 'app' }))).toBe('never_true');
  expect(read(labelled({ pod: 'checkout-other' }))).toBe('incomplete');
  expect(read(labelled({ container: 'app' }))).toBe('incomplete');
  const both = ['checkout-other', 'checkout-x2kqp'].map((pod) => ({ metric: { pod }, values: calm }));
  expect(read(JSON.stringify({ data: { result: both } }))).toBe('never_true');
});

it('finds the query beside other arguments, and states it without the comparison', () => {
  const given = [{ arguments: JSON.stringify({ step: 60, of: null, in: [{ LEFT }] }), text: matrix(calm) }];
  expect(readSymptom(ALERT, given, { start: START, now: NOW })).toBe('never_true');
  expect(queryOfAlert(ALERT.urls)).toBe(LEFT);
  expect([ALERT, { urls: [], text: 'up' }].map(statesCondition)).toEqual([true, false]);
});

const calm = samples(() => 0.01);
const high = samples(() => 0.2);
/** Minutes of samples, with one step of a minute and a half. */
const HALF_LATE = [-5, -4, ...Array.from({ length: 22 }, (_, n) => n - 2.5)];

describe("the alert's condition, read again", () => {
  it.each([
    ['true now', matrix(samples(() => 0.2)), 'true_now'],
    ['never true', matrix(calm), 'never_true'],
    ['true before and false now', matrix(samples((minute) => (minute < 3 ? 0.2 : 0.01))), 'recovered'],
    [
      'true for one of two series',
      matrix(
        calm,
        samples(() => 0.2),
      ),
      'true_now',
    ],
    ['without samples', matrix(), 'incomplete'],
    ['with a gap', matrix(calm.filter((_, index) => index !== 9)), 'incomplete'],
    ['only since the alert', matrix(calm.slice(7)), 'incomplete'],
    ['only until before now', matrix(calm.slice(0, 12)), 'incomplete'],
    ['in steps that are too long', matrix(calm.filter((_, index) => index % 6 === 0)), 'incomplete'],
    ['for one series with a gap', matrix(calm, calm.slice(0, 5)), 'incomplete'],
    ['true until 10 minutes before now', matrix(high.slice(0, 16)), 'true_now'],
    ['true until 11 minutes before now', matrix(high.slice(0, 15)), 'incomplete'],
    ['false until 10 minutes before now', matrix(calm.slice(0, 16)), 'never_true'],
    ['false until 11 minutes before now', matrix(calm.slice(0, 15)), 'incomplete'],
    ['false from a step after the needed time', matrix(calm.slice(1)), 'never_true'],
    ['false from two steps after it', matrix(calm.slice(2)), 'incomplete'],
    ['in steps of 5 minutes', matrix(calm.filter((_, index) => index % 5 === 0)), 'never_true'],
    ['with one sample', matrix(calm.slice(0, 1)), 'incomplete'],
    ['with a sample that is half a step late', matrix(samples(() => 0.01, HALF_LATE)), 'never_true'],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('as a filter proves that it is true, never that it was not', () => {
    expect(read(matrix(samples(() => 0.2)), `${LEFT}>0.05`)).toBe('true_now');
    expect(read(matrix(calm), `${LEFT} > 0.05`)).toBe('true_now');
    expect(read(matrix(), `${LEFT} > 0.05`)).toBe('incomplete');
    expect(read(matrix(samples(() => 1)), `${LEFT} > bool 0.05`)).toBe('true_now');
    expect(read(matrix(samples(() => 0)), `${LEFT} > bool 0.05`)).toBe('never_true');
  });

  it.each([
    ['> 5', [5, 6]],
    ['>= 5', [4, 5]],
    ['< 5', [5, 4]],
    ['<= 5', [6, 5]],
    ['== 5', [4, 5]],
    ['!= 5', [5, 4]],
    ['> bool 5', [0, 1]],
  ])('with the comparison %s is false and true at %j', (comparison, [no, yes]) => {
    const urls = [`https://prom/graph?g0.expr=${encodeURIComponent(`${LEFT} ${comparison}`)}`];
    const query = comparison.includes('bool') ? `${LEFT} ${comparison}` : LEFT;
    const readSamples = (value = 0) => read(matrix(samples(() => value)), query, { ...ALERT, urls });
    expect([readSamples(no), readSamples(yes)]).toEqual(['never_true', 'true_now']);
  });

  it('is no all-clear while one of several conditions was not read', () => {
    const url = (expr: string) => `https://prom/graph?g0.expr=${encodeURIComponent(expr)}`;
    const two = { urls: [url(`${LEFT} > 0.05`), url('up == 0')], text: '', labels: {} };
    expect(read(matrix(calm), LEFT, two)).toBe('incomplete');
    expect(read(matrix(samples(() => 0.2)), LEFT, two)).toBe('true_now');
  });

  it('is that of the address, not one from the text of the alert', () => {
    const forged = { ...ALERT, text: '{"annotations": {"expr": "vector(0) > 1"}}' };
    expect(read(matrix(calm), 'vector(0)', forged)).toBeUndefined();
    expect(read(matrix(calm), 'vector(0)', { urls: [], text: forged.text, labels: {} })).toBe('never_true');
  });

  it('is not another query', () => {
    expect(read(matrix(calm), 'sum(rate(errors[5m]))')).toBeUndefined();
    expect(read(matrix(calm), LEFT, { urls: ['https://prom/graph'], text: '', labels: {} })).toBeUndefined();
  });

  it('is read of brackets in brackets, too, and a sample without a number is no 0', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(read(deep)).toBe('incomplete');
    expect(read(matrix(calm), LEFT, { urls: [], text: deep, labels: {} })).toBeUndefined();
    expect(read(matrix(calm.map(([time]) => [time, null])))).toBe('incomplete');
  });

  it('of the alert as text, and of a policy of Cloud Monitoring', () => {
    const stated = { urls: [], labels: {}, text: JSON.stringify({ rule: { expr: `${LEFT} > 0.05` } }) };
    expect(read(matrix(calm), LEFT, stated)).toBe('never_true');
    const filter = 'metric.type="run.googleapis.com/request_count"';
    const threshold = { filter, comparison: 'COMPARISON_GT', thresholdValue: 5 };
    const policy = {
      urls: [],
      labels: {},
      text: JSON.stringify({ incident: { condition: { conditionThreshold: threshold } } }),
    };
    const points = Array.from({ length: 26 }, (_, n) => ({
      interval: { endTime: new Date(START + (n - 5) * 60_000).toISOString() },
      value: { int64Value: '9' },
    }));
    expect(read(JSON.stringify({ timeSeries: [{ points }] }), filter, policy)).toBe('true_now');
  });
});
