import { describe, expect, it } from 'vitest';
import { readJsonAlert, readTextAlert } from './fallback.ts';

describe('readJsonAlert', () => {
  it.each([
    [{ title: 'A', summary: 'B' }, 'A'],
    [{ summary: 'B', message: 'C' }, 'B'],
    [{ Message: 'C' }, 'C'],
    [{ title: '  ', name: 'D' }, 'D'],
    [{ id: 7, event: { name: 'E' } }, 'E'],
    [{ message: 'C', alert: { title: 'E' } }, 'E'],
    [[{ title: 'F' }, { title: 'G' }], 'F'],
    ['first line\nsecond', 'first line'],
    [{ id: 7 }, undefined],
    [null, undefined],
    [12, undefined],
    [[], undefined],
  ])('takes the title of %j', (payload, title) => {
    expect(readJsonAlert(payload).title).toBe(title);
  });

  it('reads the common fields of a group of an unknown source', () => {
    const notification = {
      receiver: 'inquest',
      version: '1',
      status: 'firing',
      state: 'alerting',
      title: '[FIRING:1] High CPU',
      message: 'CPU above 90 %',
      externalURL: 'https://grafana.example.com/',
      commonLabels: { alertname: 'High CPU', host: 'db-7' },
      alerts: [],
    };
    expect(readJsonAlert(notification)).toMatchObject({
      title: '[FIRING:1] High CPU',
      status: 'firing',
      summary: 'CPU above 90 %',
      url: 'https://grafana.example.com/',
      labels: { alertname: 'High CPU', host: 'db-7' },
    });
  });

  it('understands the usual words for a status, and admits it when it does not', () => {
    expect(readJsonAlert({ state: 'ALARM' }).status).toBe('firing');
    expect(readJsonAlert({ status: 'OK' }).status).toBe('resolved');
    expect(readJsonAlert({ status: 'constructor' }).status).toBe('unknown');
    expect(readJsonAlert({ status: 'Acked' }).status).toBe('acknowledged');
    expect(readJsonAlert({ event_type: 'test' }).status).toBe('test');
    expect(readJsonAlert({ event_type: 'load.test' }).status).toBe('unknown');
    // An alert may be about a deletion.
    expect(readJsonAlert({ event_type: 'bucket.deleted' }).status).toBe('unknown');
  });
});

describe('readJsonAlert of one alert', () => {
  it('keeps severity, summary, start, identity and runbook where it has them', () => {
    const plain = {
      title: 'Disk full',
      severity: 'critical',
      summary: '/var is at 99 %',
      startsAt: '2026-11-20T09:14:03Z',
      fingerprint: '8d1f6ac0b7e2455c',
      runbook_url: 'https://runbooks.example.com/disk-full',
    };
    expect(readJsonAlert(plain)).toMatchObject({
      title: 'Disk full',
      severity: 'critical',
      summary: '/var is at 99 %',
      startedAt: new Date('2026-11-20T09:14:03Z'),
      identity: '8d1f6ac0b7e2455c',
      runbookUrl: 'https://runbooks.example.com/disk-full',
    });
    expect(readJsonAlert({ title: 'Disk full' })).toMatchObject({
      severity: undefined,
      summary: undefined,
      startedAt: null,
      identity: undefined,
      runbookUrl: undefined,
    });
  });

  it('looks into its labels and annotations', () => {
    const labelled = {
      Labels: { alertname: 'DiskFull', severity: 'warning', host: 'db-7' },
      annotations: { description: '/var is at 99 %', Runbook_URL: 'https://runbooks.example.com/disk-full' },
    };
    expect(readJsonAlert(labelled)).toMatchObject({
      title: 'DiskFull',
      severity: 'warning',
      summary: '/var is at 99 %',
      runbookUrl: 'https://runbooks.example.com/disk-full',
      labels: labelled.Labels,
    });
  });

  it('looks into two levels of wrappers, and no deeper', () => {
    const alert = { labels: { alertname: 'DiskFull', severity: 'critical' }, status: 'firing', id: 'a-1' };
    const facts = { title: 'DiskFull', severity: 'critical', status: 'firing', identity: 'a-1' };
    expect(readJsonAlert({ alert })).toMatchObject(facts);
    expect(readJsonAlert({ id: 'delivery-1', Event: { id: 'delivery-2', Data: alert } })).toMatchObject(
      facts,
    );
    expect(readJsonAlert({ payload: { event: { data: alert } } }).title).toBeUndefined();
  });

  it.each([
    ['2026-11-20T09:14:03+01:00', '2026-11-20T08:14:03.000Z'],
    ['2026-11-20T09:14:03.250+0000', '2026-11-20T09:14:03.250Z'],
    ['2026-11-20 09:14:03', '2026-11-20T09:14:03.000Z'],
    [1_795_165_200, '2026-11-20T09:00:00.000Z'],
    ['1795165200000', '2026-11-20T09:00:00.000Z'],
    [1_795_165_200_000_000_000, '2026-11-20T09:00:00.000Z'],
    ['0001-01-01T00:00:00Z', undefined],
    [7, undefined],
    ['noon', undefined],
  ])('reads the start %j', (startedAt, start) => {
    expect(readJsonAlert({ startedAt }).startedAt?.toISOString()).toBe(start);
  });

  it('takes the next field when one holds no date', () => {
    expect(readJsonAlert({ startsAt: 'noon', timestamp: 1_795_165_200 }).startedAt).not.toBeNull();
  });

  it('reads the payloads of other sources', () => {
    const pagerDuty = (event_type: string) => ({
      event: {
        id: '01DELIVERY',
        event_type,
        occurred_at: '2026-11-20T09:14:03.238Z',
        data: { id: 'PGR0VU2', type: 'incident', title: 'Disk full', urgency: 'high', priority: null },
      },
    });
    expect(readJsonAlert(pagerDuty('incident.triggered'))).toMatchObject({
      title: 'Disk full',
      status: 'firing',
      severity: 'high',
      identity: 'PGR0VU2',
    });
    expect(readJsonAlert(pagerDuty('incident.resolved'))).toMatchObject({
      status: 'resolved',
      identity: 'PGR0VU2',
    });

    const sns = (NewStateValue: string) => ({
      Type: 'Notification',
      MessageId: 'delivery-1',
      Subject: 'ALARM: "DiskFull" in EU (Ireland)',
      Message: JSON.stringify({
        AlarmName: 'DiskFull',
        NewStateValue,
        AlarmArn: 'arn:aws:cloudwatch:1:alarm:x',
      }),
    });
    const alarm = { title: 'DiskFull', identity: 'arn:aws:cloudwatch:1:alarm:x' };
    expect(readJsonAlert(sns('ALARM'))).toMatchObject({ ...alarm, status: 'firing' });
    expect(readJsonAlert(sns('OK'))).toMatchObject({ ...alarm, status: 'resolved' });

    const opsgenie = { action: 'Close', alert: { alertId: 'f1-2', message: 'Disk full', priority: 'P1' } };
    expect(readJsonAlert(opsgenie)).toMatchObject({
      title: 'Disk full',
      status: 'resolved',
      severity: 'P1',
      identity: 'f1-2',
    });
    expect(readJsonAlert({ title: '[Recovered] Disk full', id: '1' }).status).toBe('resolved');
    expect(readJsonAlert({ title: '[Triggered] Disk full', id: '1' }).status).toBe('firing');
  });
});

describe('readJsonAlert of several alerts', () => {
  const over = { status: 'resolved', title: 'Over', severity: 'critical', startsAt: '2026-11-20T08:00:00Z' };
  const late = { status: 'firing', labels: { alertname: 'Late', severity: 'warning' }, fingerprint: 'f-1' };
  const worse = { state: 'open', name: 'Worse', severity: 'P1', startsAt: '2026-11-20T09:00:00Z' };

  it.each<[string, (entries: unknown[]) => unknown]>([
    ['a list', (entries) => entries],
    ['an envelope', (alerts) => ({ alerts })],
    ['an envelope that says it is resolved', (alerts) => ({ status: 'resolved', alerts })],
    ['an envelope that says ok', (data) => ({ status: 'ok', data })],
    ['an envelope in an envelope', (incidents) => ({ event: { payload: { incidents } } })],
    ['a list of envelopes', (alerts) => [{ alerts }]],
    ['a list of wrapped alerts', (entries) => entries.map((alert) => ({ alert }))],
  ])('fires when one of them does: %s', (_, wrap) => {
    expect(readJsonAlert(wrap([over, late, worse]))).toMatchObject({
      title: 'Late',
      status: 'firing',
      severity: 'P1',
      counts: '2 firing, 1 resolved',
      startedAt: new Date('2026-11-20T09:00:00Z'),
    });
  });

  it('is resolved only when all of them are', () => {
    expect(readJsonAlert([over, over])).toMatchObject({ status: 'resolved', counts: '2 resolved' });
    expect(readJsonAlert([over, { title: 'A' }])).toMatchObject({
      title: 'A',
      status: 'unknown',
      counts: '1 resolved, 1 of unknown status',
    });
  });

  it('has an identity when its source gives the group one, or there is one alert', () => {
    expect(readJsonAlert({ groupKey: '{}:{a="b"}', alerts: [late, worse] }).identity).toBe('{}:{a="b"}');
    expect(readJsonAlert([late]).identity).toBe('f-1');
    expect(readJsonAlert([late, { ...late, fingerprint: 'f-2' }]).identity).toBeUndefined();
  });

  it('has the labels of its first alert, if it states none itself', () => {
    const labels = { namespace: 'shop', pod: 'checkout-1' };
    expect(readJsonAlert({ version: '4', alerts: [{ status: 'firing', labels }] }).labels).toEqual(labels);
  });

  it('loses none of them to one that is no alert', () => {
    const odd = [null, 7, [], 'text', { labels: 7, annotations: [], startsAt: {}, status: [] }, late];
    expect(readJsonAlert(odd)).toMatchObject({ status: 'firing', severity: 'warning' });
    expect(readJsonAlert({ alerts: odd })).toMatchObject({ status: 'firing', severity: 'warning' });
  });
});

describe('readTextAlert', () => {
  it('takes the first line that is not blank', () => {
    expect(readTextAlert('\n  \r\n disk /dev/sda1 is full\nsince noon')).toMatchObject({
      title: 'disk /dev/sda1 is full',
    });
  });
});
