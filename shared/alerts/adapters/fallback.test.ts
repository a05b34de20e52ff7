import { describe, expect, it } from 'vitest';
import { readJson, readText } from './fallback.ts';

describe('readJson', () => {
  it.each([
    [{ title: 'A', summary: 'B' }, 'A'],
    [{ summary: 'B', message: 'C' }, 'B'],
    [{ Message: 'C' }, 'C'],
    [{ title: '  ', name: 'D' }, 'D'],
    [{ id: 7, event: { name: 'E' } }, 'E'],
    [[{ title: 'F' }, { title: 'G' }], 'F'],
    ['first line\nsecond', 'first line'],
    [{ id: 7 }, undefined],
    [null, undefined],
    [12, undefined],
    [[], undefined],
  ])('takes the title of %j', (payload, title) => {
    expect(readJson(payload).title).toBe(title);
  });

  it('reads the common fields of a Grafana notification', () => {
    const grafana = {
      receiver: 'inquest',
      version: '1',
      orgId: 1,
      status: 'firing',
      state: 'alerting',
      title: '[FIRING:1] High CPU',
      message: 'CPU above 90 %',
      externalURL: 'https://grafana.example.com/',
      commonLabels: { alertname: 'High CPU', host: 'db-7' },
      alerts: [],
    };
    expect(readJson(grafana)).toMatchObject({
      source: 'json',
      title: '[FIRING:1] High CPU',
      status: 'firing',
      summary: 'CPU above 90 %',
      url: 'https://grafana.example.com/',
      labels: { alertname: 'High CPU', host: 'db-7' },
    });
  });

  it('understands the usual words for a status, and admits it when it does not', () => {
    expect(readJson({ state: 'ALARM' }).status).toBe('firing');
    expect(readJson({ status: 'OK' }).status).toBe('resolved');
    expect(readJson({ status: 'constructor' }).status).toBe('unknown');
  });
});

describe('readText', () => {
  it('takes the first line that is not blank', () => {
    expect(readText('\n  \r\n disk /dev/sda1 is full\nsince noon')).toMatchObject({
      source: 'text',
      title: 'disk /dev/sda1 is full',
    });
  });
});
