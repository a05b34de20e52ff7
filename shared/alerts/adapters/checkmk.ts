// Checkmk, Nagios and Icinga: the variables of a notification as JSON, under the names of their environments
// or in lower case as scripts and relays send them.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts } from '../fields/adapter.ts';
import { createFieldReader } from '../fields/fieldReader.ts';
import { joinTexts } from '../fields/fields.ts';

const TYPES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['PROBLEM', 'firing'],
  ['RECOVERY', 'resolved'],
  ['ACKNOWLEDGEMENT', 'acknowledged'],
  ['DOWNTIMESTART', 'acknowledged'],
  ['FLAPPINGSTART', 'firing'],
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
    const { NOTIFICATIONTYPE, HOSTNAME, HOSTDISPLAYNAME } = normalizeVariables(payload);
    if (NOTIFICATIONTYPE === undefined || (HOSTNAME ?? HOSTDISPLAYNAME) === undefined) return undefined;
    return 'NOTIFICATIONTYPE and HOSTNAME of a notification';
  },
  read({ places }, { payload }) {
    const fields = createFieldReader(normalizeVariables(payload), places);
    const type = fields.text('status', 'NOTIFICATIONTYPE')?.toUpperCase() ?? '';
    const host = fields.text('title', 'HOSTALIAS', 'HOSTDISPLAYNAME', 'HOSTNAME');
    const service = fields.text('title', 'SERVICEDESC', 'SERVICEDISPLAYNAME', 'SERVICENAME');
    const state = fields.text(
      'severity',
      ...(service === undefined ? ['HOSTSTATE'] : ['SERVICESTATE', 'HOSTSTATE']),
    );
    const before = fields.peek(service === undefined ? 'PREVIOUSHOSTHARDSTATE' : 'PREVIOUSSERVICEHARDSTATE');
    const worst = state !== undefined && STATES.has(state) ? before : state;
    const identity = [
      fields.text('identity', 'OMD_SITE'),
      fields.text('identity', 'HOSTNAME', 'HOSTDISPLAYNAME'),
      service,
    ];
    return {
      title: joinTexts(host, service, state),
      status: TYPES.get(type) ?? (STATES.get(state ?? '') === 'resolved' ? 'resolved' : 'firing'),
      severity:
        SEVERITIES[worst?.toUpperCase() ?? ''] ??
        (STATES.get(state ?? '') === 'resolved' ? undefined : state),
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
        ...readCheckmkLabels(normalizeVariables(payload)),
      },
    };
  },
};

/** Further names of variables, in upper case without underscores, beside those that scripts derive. */
const NAMES: Record<string, string> = {
  SERVICEDESCRIPTION: 'SERVICEDESC',
  PLUGINOUTPUT: 'SERVICEOUTPUT',
  HOST: 'HOSTNAME',
  SERVICE: 'SERVICEDESC',
  OUTPUT: 'SERVICEOUTPUT',
  SUMMARY: 'SERVICEOUTPUT',
  SITE: 'OMD_SITE',
  OMDSITE: 'OMD_SITE',
  ADDRESS: 'HOSTADDRESS',
  ALIAS: 'HOSTALIAS',
  URL: 'SERVICEURL_ABSOLUTE',
};

/**
 * The variables under the names of Checkmk: without NOTIFY_, NAGIOS_ and ICINGA_, and those of relays
 * (`host_name`, `state`) under the name of the variable that they hold.
 */
function normalizeVariables(payload: unknown): Record<string, unknown> {
  const body = asObject(payload);
  const plain = Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key.replace(/^(?:NOTIFY|NAGIOS|ICINGA2?)_/, ''), value]),
  );
  if (!Object.hasOwn(body, 'notification_type')) return plain;
  const renamed = Object.entries(plain).map(([key, value]) => {
    const name = key.toUpperCase().replaceAll('_', '');
    return [NAMES[name] ?? name, value];
  });
  const variables: Record<string, unknown> = Object.fromEntries(renamed);
  // A relay has one state, that of the service if there is one.
  const { STATE, STATUS, SEVERITY, SERVICEDESC } = variables;
  const ofService = [STATE, SEVERITY, STATUS].find(hasText);
  const ofHost = [STATE, STATUS, SEVERITY].find(hasText);
  return { HOSTSTATE: ofHost, ...(hasText(SERVICEDESC) && { SERVICESTATE: ofService }), ...variables };
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** HOSTLABEL_os and SERVICELABEL_app are labels that people or Checkmk gave. */
function readCheckmkLabels(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = /^(?:HOST|SERVICE)LABEL_(.+)$/.exec(key)?.[1];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}
