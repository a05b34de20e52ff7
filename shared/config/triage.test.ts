import { describe, expect, it } from 'vitest';
import { sampleAlert } from '../../test/support/samples.ts';
import type { Alert } from '../alerts/schema/alert.ts';
import { triageAlert } from './triage.ts';
import { triageFileSchema } from './triageFile.ts';

const configOf = (value: unknown) => triageFileSchema(value).parse(value);
const rule = (conditions: object, more: object = {}) =>
  configOf({ rules: [{ name: 'one', action: 'record', ...conditions }], ...more });
const alert = sampleAlert({
  labels: { env: 'dev', alertname: 'NodeDown' },
  severity: 'warning',
  members: [],
});
const body = '{"description":"Process 4711 was OOMKilled"}';
/** A Sunday in UTC, a Monday in Berlin. */
const at = new Date('2026-11-22T23:30:00Z');
const triage = (config: ReturnType<typeof configOf>, one: Partial<Alert> = {}, when = at) =>
  triageAlert(config, { ...alert, ...one }, body, when);

describe('a rule of triage takes an alert', () => {
  it.each<[string, object, string]>([
    ['by its source', { source: 'alertmanager' }, 'source is "alertmanager"'],
    ['by its severity', { severity: ['info', 'Warning'] }, 'severity is "warning" (Warning)'],
    ['by a label', { labels: { env: 'd*' } }, 'label env is "dev" (d*)'],
    ['by a text', { text: 'oomkilled' }, 'text has "oomkilled"'],
    ['by a pattern', { pattern: 'Process \\d+ was' }, 'pattern "Process \\d+ was" is found'],
    ['by its state', { state: ['firing'] }, 'state is firing'],
    ['by the day', { time: { days: 'sun' } }, 'time is sun 23:30, in all day sun UTC'],
    [
      'by the hour, in its zone',
      { time: { from: '00:00', to: '06:00', days: 'mon-fri', timezone: 'Europe/Berlin' } },
      'time is mon 00:30, in 00:00-06:00 mon, tue, wed, thu, fri Europe/Berlin',
    ],
  ])('%s', (_, conditions, text) => {
    expect(triage(rule(conditions))).toMatchObject({ action: 'record', by: 'rule', rule: 'one', text });
  });

  it.each<[string, object, string]>([
    ['of another state', { state: ['resolved', 'test'] }, 'state is firing, not resolved or test'],
    ['without its pattern', { pattern: 'Process [a-z]+' }, 'no pattern of Process [a-z]+ is found'],
    [
      'at another hour',
      { time: { from: '06:00', to: '22:00' } },
      'time is sun 23:30, not in 06:00-22:00 UTC',
    ],
  ])('but none %s', (_, conditions, text) => {
    const found = triage(rule(conditions));
    expect(found).toMatchObject({ action: 'investigate', by: 'default', passed: [{ rule: 'one', text }] });
  });

  it('and the first one that does decides, with its reason', () => {
    const config = configOf({
      rules: [
        { name: 'prod', labels: { env: 'prod' }, action: 'investigate' },
        { name: 'dev', labels: { env: 'dev' }, action: 'drop', reason: 'People look at dev by day' },
        { name: 'all', text: 'oomkilled', action: 'record' },
      ],
    });
    expect(triage(config)).toMatchObject({
      action: 'drop',
      rule: 'dev',
      text: 'People look at dev by day: label env is "dev"',
      passed: [{ rule: 'prod', text: 'label env is "dev", not prod' }],
    });
  });

  it('and else the default of the file', () => {
    expect(triage(configOf({ default: 'record' }))).toMatchObject({ action: 'record', rule: 'default' });
    expect(triage(configOf({}))).toMatchObject({ action: 'investigate', text: 'it is the default' });
  });

  it('by a pattern that would keep other engines busy for ever', () => {
    const hostile = { ...alert, title: `${'a'.repeat(50_000)}!` };
    expect(triageAlert(rule({ pattern: '(a+)+$' }), hostile, '', at).by).toBe('default');
  });
});

describe('a time', () => {
  const night = rule({ time: { days: ['fri', 'sat'], from: '22:00', to: '06:00' } });
  it.each([
    ['2026-11-20T22:00:00Z', 'record'],
    ['2026-11-21T05:59:59Z', 'record'],
    ['2026-11-21T06:00:00Z', 'investigate'],
    ['2026-11-22T05:00:00Z', 'record'],
    ['2026-11-20T05:00:00Z', 'investigate'],
    ['2026-11-22T23:00:00Z', 'investigate'],
  ])('that ends on the next day counts by the day on which it starts: %s', (time, action) => {
    expect(triage(night, {}, new Date(time)).action).toBe(action);
  });

  it('of a window is that of the file, of the window, or has its offset', () => {
    const windows = {
      file: { from: '2026-12-01T22:00', to: '2026-12-02T02:00' },
      own: { from: '2026-12-04T22:00', to: '2026-12-05T02:00', timezone: 'America/New_York' },
      offset: { from: '2026-12-10T22:00Z', to: '2026-12-11T02:00+01:00' },
      weekly: { days: 'sun', from: '02:00', to: '04:00' },
    };
    const config = rule({ window: Object.keys(windows) }, { timezone: 'Europe/Berlin', windows });
    const action = (time: string) => triage(config, {}, new Date(time)).action;
    expect(['2026-12-01T20:59:59Z', '2026-12-02T01:00:00Z'].map(action)).toEqual([
      'investigate',
      'investigate',
    ]);
    expect(['2026-12-01T21:00:00Z', '2026-12-02T00:59:59Z'].map(action)).toEqual(['record', 'record']);
    expect(['2026-12-05T02:59:00Z', '2026-12-05T03:00:00Z'].map(action)).toEqual(['investigate', 'record']);
    expect(['2026-12-11T00:59:00Z', '2026-12-11T01:00:00Z'].map(action)).toEqual(['record', 'investigate']);
    expect(['2026-12-13T01:00:00Z', '2026-12-13T03:00:00Z'].map(action)).toEqual(['record', 'investigate']);
    expect(triage(config, {}, new Date('2026-12-01T21:00:00Z')).text).toBe(
      'window file is open (2026-12-01T21:00Z to 2026-12-02T01:00Z)',
    );
  });
});

describe('a watchdog', () => {
  const watchdog = { labels: { alertname: 'Watchdog' }, severity: 'none' };
  it('is recorded without any rule', () => {
    expect(triage(configOf({}), watchdog)).toMatchObject({ action: 'record', by: 'watchdog' });
    expect(triage(configOf({}), { ...watchdog, labels: { alertname: 'DeadMansSwitch' } }).by).toBe(
      'watchdog',
    );
  });

  it('can be dropped by a rule', () => {
    expect(triage(rule({ labels: { alertname: 'Watchdog' } }), watchdog).by).toBe('rule');
  });

  it.each<[string, Partial<Alert>]>([
    ['that is resolved', { ...watchdog, status: 'resolved' }],
    ['of a source that knows none', { ...watchdog, source: 'json' }],
    ['that shares its group with another alert', { ...watchdog, members: sampleAlert().members }],
  ])('is none %s', (_, one) => {
    expect(triage(configOf({}), one).by).toBe('default');
  });
});
