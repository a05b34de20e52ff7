// Uptime Kuma, webhooks of type application/json: one heartbeat of one monitor.

import type { AlertAdapter, AlertFacts } from '../../shared/alerts/fields/adapter.ts';
import { joinTexts } from '../../shared/alerts/fields/fields.ts';
import { asObject, isObject } from '../../shared/text/json.ts';

/** Of a heartbeat, as numbers. Maintenance is known to people, and pending is not down yet. */
const STATUSES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['0', 'firing'],
  ['1', 'resolved'],
  ['2', 'unknown'],
  ['3', 'acknowledged'],
]);

/** The identity is the monitor's id: a heartbeat is another one in each message. A test has no monitor. */
export const uptimeKuma: AlertAdapter = {
  source: 'uptime-kuma',
  recognise({ payload }) {
    const { heartbeat, monitor, msg } = asObject(payload);
    if (typeof msg !== 'string' || heartbeat === undefined || monitor === undefined) return undefined;
    return isObject(heartbeat) || heartbeat === null ? 'heartbeat, monitor and msg' : undefined;
  },
  read(fields) {
    const isTest = fields.raw('monitor') === null;
    const status = fields.text('status', 'heartbeat.status');
    const id = fields.text('identity', 'monitor.id');
    const error = fields.text('summary', 'heartbeat.msg');
    return {
      title: joinTexts(fields.text('title', 'monitor.name'), error) ?? fields.text('title', 'msg'),
      status: isTest ? 'test' : (STATUSES.get(status ?? '') ?? 'unknown'),
      identity: id === undefined ? undefined : `monitor ${id}`,
      summary: error,
      url: fields.text('url', 'monitor.url'),
      startedAt: fields.start('heartbeat.time'),
      labels: {
        type: fields.text('labels', 'monitor.type'),
        host: fields.text('labels', 'monitor.hostname'),
      },
    };
  },
};
