import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../shared/alerts/adapters.ts';
import { readAlert } from '../../shared/alerts/index.ts';
import { alertSchema } from '../../shared/alerts/schema/alert.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { PAYLOADS } from '../../test/alerts/payloads.ts';
import { uptimeKuma } from './uptimeKuma.ts';

const masker = createMasker({});

const monitor = { id: 7, name: 'shop', url: 'https://shop.example.com/', hostname: null, type: 'http' };
const heartbeat = (status: number, msg: string) => ({
  monitorID: 7,
  status,
  time: '2026-11-20 09:14:03.238',
  msg,
  important: true,
});
const down = {
  heartbeat: heartbeat(0, 'timeout of 48000 ms'),
  monitor,
  msg: '[shop] [Down] timeout of 48000 ms',
};

/** Reads a payload as it would be read if `uptimeKuma` stood in the list of adapters. */
function read(payload: unknown) {
  const adapters = [...ADAPTERS, uptimeKuma];
  const reading = readAlert(Buffer.from(JSON.stringify(payload)), masker, { adapters });
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading.alert;
}

describe('uptimeKuma', () => {
  it('reads a monitor that is down into an alert that can be stored', () => {
    const alert = read(down);
    expect(alertSchema.parse(alert)).toEqual(alert);
    expect(alert).toMatchObject({
      source: 'uptime-kuma',
      title: 'shop: timeout of 48000 ms',
      status: 'firing',
      identity: 'monitor 7',
      url: 'https://shop.example.com/',
      startedAt: new Date('2026-11-20T09:14:03.238Z'),
      labels: { type: 'http' },
    });
  });

  it('keeps the identity when the monitor is up again', () => {
    const up = { ...down, heartbeat: heartbeat(1, '200 - OK') };
    expect(read(up)).toMatchObject({ status: 'resolved', identity: 'monitor 7' });
  });

  it('reads its test, and fields of other types as absent', () => {
    expect(read({ heartbeat: null, monitor: null, msg: 'Testing' })).toMatchObject({
      status: 'test',
      title: 'Testing',
    });
    expect(read({ ...down, monitor: 'shop', heartbeat: { time: [] } })).toMatchObject({
      status: 'unknown',
      identity: null,
      startedAt: null,
    });
  });

  it('does not recognise payloads of other sources', () => {
    const json = PAYLOADS.filter(
      ({ file, source }) => file.endsWith('.json') && source !== 'uptime-kuma',
    ).map(({ data }) => JSON.parse(data.toString()));
    const claimed = json.filter((payload) =>
      uptimeKuma.recognise({ payload, attributes: {}, receivedAt: null }),
    );
    expect(claimed).toEqual([]);
  });
});
