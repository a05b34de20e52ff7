// Checkmk, and Nagios where a script sends the same: the variables of a notification as JSON, with or without NOTIFY_ before
// their names.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts } from '../adapter.ts';
import { createFieldReader } from '../fieldReader.ts';
import { joined } from './fields.ts';

const TYPES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['PROBLEM', 'firing'],
  ['RECOVERY', 'resolved'],
  ['ACKNOWLEDGEMENT', 'acknowledged'],
  ['DOWNTIMESTART', 'acknowledged'],
  ['TEST', 'test'],
]);
const STATES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['OK', 'resolved'],
  ['UP', 'resolved'],
]);
const SEVERITIES: Record<string, string> = {
  CRIT: 'critical',
  CRITICAL: 'critical',
  DOWN: 'critical',
  WARN: 'warning',
  WARNING: 'warning',
  UNKNOWN: 'warning',
  UNREACH: 'warning',
  UNREACHABLE: 'warning',
};

/** The identity is site, host and service: the id of a problem is known only while it lasts. */
export const checkmk: AlertAdapter = {
  source: 'checkmk',
  recognise({ payload }) {
    const body = asObject(payload);
    const has = (key: string) => Object.hasOwn(body, key) || Object.hasOwn(body, `NOTIFY_${key}`);
    if (!has('NOTIFICATIONTYPE') || !has('HOSTNAME')) return undefined;
    return 'NOTIFICATIONTYPE and HOSTNAME of a notification';
  },
  read({ places }, { payload }) {
    const fields = createFieldReader(withoutPrefix(payload), places);
    const type = fields.text('status', 'NOTIFICATIONTYPE')?.toUpperCase() ?? '';
    const host = fields.text('title', 'HOSTALIAS', 'HOSTNAME');
    const service = fields.text('title', 'SERVICEDESC');
    const state = fields.text(
      'severity',
      ...(service === undefined ? ['HOSTSTATE'] : ['SERVICESTATE', 'HOSTSTATE']),
    );
    const before = fields.peek(service === undefined ? 'PREVIOUSHOSTHARDSTATE' : 'PREVIOUSSERVICEHARDSTATE');
    const worst = state !== undefined && STATES.has(state) ? before : state;
    const identity = [fields.text('identity', 'OMD_SITE'), fields.text('identity', 'HOSTNAME'), service];
    return {
      title: joined(host, service, state),
      status: TYPES.get(type) ?? (STATES.get(state ?? '') === 'resolved' ? 'resolved' : 'firing'),
      severity: SEVERITIES[worst?.toUpperCase() ?? ''] ?? state,
      identity: identity.filter(Boolean).join('/'),
      summary: fields.text(
        'summary',
        ...(service === undefined ? ['HOSTOUTPUT'] : ['SERVICEOUTPUT', 'HOSTOUTPUT']),
      ),
      url: fields.text('url', 'SERVICEURL_ABSOLUTE', 'HOSTURL_ABSOLUTE', 'SERVICEURL', 'HOSTURL'),
      runbookUrl: fields.text('runbookUrl', 'SERVICENOTESURL', 'HOSTNOTESURL'),
      startedAt: fields.start('LASTSERVICESTATECHANGE', 'LASTHOSTSTATECHANGE', 'MICROTIME', 'SHORTDATETIME'),
      labels: {
        host: fields.text('labels', 'HOSTNAME'),
        service,
        site: fields.text('labels', 'OMD_SITE'),
        address: fields.text('labels', 'HOSTADDRESS'),
        notification_type: type,
        ...labelsOf(withoutPrefix(payload)),
      },
    };
  },
};

function withoutPrefix(payload: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(asObject(payload)).map(([key, value]) => [key.replace(/^NOTIFY_/, ''), value]),
  );
}

/** HOSTLABEL_os and SERVICELABEL_app are labels that people or Checkmk gave. */
function labelsOf(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = /^(?:HOST|SERVICE)LABEL_(.+)$/.exec(key)?.[1];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}
