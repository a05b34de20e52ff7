// Payloads of monitoring tools without an adapter of their own, known by fields that no other tool has together. Each gives
// the facts that the usual names of fields do not give. Teams write these payloads themselves, so `CHECK_NAME`, `checkName`
// and `check.name` are one key.

import { asArray, asObject, asText } from '../../text/json.ts';
import type { AlertFacts, FactName, FactPlaces } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { joinTexts, firstText as textOf } from '../fields/fields.ts';
import { statusOf } from '../fields/status.ts';

type Fields = Record<string, unknown>;
type Shape = (body: Fields) => Partial<AlertFacts> | undefined;

const bare = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '');
const bareKeys = (map: Fields) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [bare(key), value]));
const has = (body: Fields, ...keys: string[]) => keys.every((key) => Object.hasOwn(body, bare(key)));
const firstText = (map: Fields, ...keys: string[]) => textOf(map, ...keys.map(bare));

/** A check has one state, and no id of the outage: the identity is that of the check. */
const pingdom: Shape = (body) => {
  if (!has(body, 'check_id', 'current_state', 'previous_state')) return undefined;
  const state = firstText(body, 'current_state')?.toUpperCase();
  return {
    title: joinTexts(firstText(body, 'check_name'), state),
    status:
      state === 'UP' || state === 'SUCCESS'
        ? 'resolved'
        : state === 'DOWN' || state === 'FAILING'
          ? 'firing'
          : 'unknown',
    severity: firstText(body, 'importance_level'),
    identity: `pingdom ${firstText(body, 'check_id')}`,
    summary: firstText(body, 'long_description', 'description'),
    startedAt: looseDate(firstText(body, 'state_changed_timestamp', 'state_changed_utc_time')),
  };
};

const LIBRENMS_STATES: Record<string, AlertFacts['status']> = {
  '0': 'resolved',
  '1': 'firing',
  '2': 'acknowledged',
  '3': 'firing',
  '4': 'firing',
  '5': 'firing',
};

const librenms: Shape = (body) => {
  const isOver = has(body, 'state') && /^Device \S+ recovered from /i.test(firstText(body, 'title') ?? '');
  const isOne =
    has(body, 'state', 'rule') && ['sysname', 'device_id', 'faults', 'uid'].some((key) => has(body, key));
  if (!isOne && !isOver) return undefined;
  const state = firstText(body, 'state') ?? '';
  const status = LIBRENMS_STATES[state] ?? statusOf(state);
  const device = firstText(body, 'device_id', 'hostname', 'sysname');
  const rule = firstText(body, 'rule_id', 'name', 'rule');
  return {
    title:
      firstText(body, 'title') ??
      joinTexts(firstText(body, 'hostname', 'sysname'), firstText(body, 'name', 'rule')),
    status: isOver || (status === 'unknown' && /^recover/i.test(state)) ? 'resolved' : status,
    identity: `librenms ${firstText(body, 'alert_id') ?? [device, rule].filter(Boolean).join(' ')}`,
  };
};

/** Names that media types and scripts give to the macros of Zabbix. */
const zabbix: Shape = (body) => {
  const trigger = firstText(body, 'trigger_id', 'triggerid');
  const event = firstText(body, 'event_id', 'eventid');
  const isOne =
    (event !== undefined &&
      (trigger !== undefined || has(body, 'event_value') || has(body, 'event_nseverity'))) ||
    (trigger !== undefined &&
      (has(body, 'hostname') || has(body, 'trigger_name') || has(body, 'trigger_status')));
  if (!isOne) return undefined;
  const value = firstText(body, 'event_value', 'trigger_value');
  const stated = firstText(body, 'event_status', 'trigger_status', 'status', 'event_recovery_status');
  const byValue = value === '0' ? 'resolved' : value === '1' ? 'firing' : statusOf(stated);
  const isUpdate = firstText(body, 'event_update_status') === '1';
  const isAcknowledged = /^yes$/i.test(firstText(body, 'event_ack_status') ?? '');
  return {
    title: firstText(
      body,
      ...['event_name', 'trigger_name', 'alert_subject', 'subject', 'name', 'title', 'alert_message'],
    ),
    status: byValue === 'firing' && isUpdate && isAcknowledged ? 'acknowledged' : byValue,
    severity: firstText(body, 'event_severity', 'trigger_severity', 'severity', 'event_nseverity'),
    identity: `zabbix ${event ?? firstText(body, 'id') ?? trigger}`,
    summary: firstText(
      body,
      'alert_message',
      'trigger_description',
      'event_opdata',
      'message',
      'description',
    ),
  };
};

const checkly: Shape = (body) => {
  const type = firstText(body, 'alert_type');
  if (
    type === undefined ||
    !/^(?:ALERT|ALERT_SSL|SSL)_?/.test(type) ||
    !(has(body, 'check_id') || has(body, 'check_name'))
  )
    return undefined;
  return {
    title: firstText(body, 'check_name', 'alert_title', 'event'),
    status: /RECOVER|REMAIN_OK|NO_ALERT/.test(type) ? 'resolved' : 'firing',
    severity: type.includes('DEGRADED') ? 'warning' : undefined,
    identity: `checkly ${firstText(body, 'check_id', 'check_name')}`,
    summary: firstText(body, 'alert_title', 'event', 'check_error_message'),
    url: firstText(body, 'result_link', 'check_result_link'),
    startedAt: looseDate(firstText(body, 'started_at', 'moment')),
  };
};

const dash0: Shape = (body) => {
  const issue = bareKeys(asObject(asObject(body.data).issue));
  const id = firstText(issue, 'id', 'issueidentifier');
  if (id === undefined || !/^alert\./.test(asText(body.type) ?? '')) return undefined;
  const state = firstText(issue, 'status')?.toLowerCase();
  const isOver = state === 'resolved' || body.type === 'alert.resolved';
  return {
    title:
      firstText(issue, 'summary', 'description') ?? firstText(asObject(asArray(issue.checkrules)[0]), 'name'),
    status: isOver ? 'resolved' : 'firing',
    severity: isOver ? undefined : state === 'degraded' ? 'warning' : state,
    identity: `dash0 ${id}`,
    summary: firstText(issue, 'description', 'summary'),
    url: firstText(issue, 'url'),
    startedAt: looseDate(firstText(issue, 'start')),
    endedAt: looseDate(firstText(issue, 'end')),
  };
};

const GRAYLOG_SEVERITIES: Record<string, string> = {
  '1': 'low',
  '2': 'medium',
  '3': 'high',
  '4': 'critical',
};

/** An event names its definition and the key it was grouped by. Graylog sends no recoveries. */
const graylog: Shape = (body) => {
  if (!has(body, 'event_definition_id', 'event')) return undefined;
  const event = bareKeys(asObject(body.event));
  const key = firstText(event, 'key');
  return {
    title: joinTexts(firstText(body, 'event_definition_title'), firstText(event, 'message')),
    status: event.alert === false ? 'unknown' : 'firing',
    severity: GRAYLOG_SEVERITIES[firstText(event, 'priority') ?? ''],
    identity: `graylog ${[firstText(body, 'event_definition_id'), key].filter(Boolean).join(' ')}`,
    summary: firstText(event, 'message') ?? firstText(body, 'event_definition_description'),
    startedAt: looseDate(firstText(event, 'timestamp')),
  };
};

const SHAPES: readonly [tool: string, shape: Shape][] = [
  ['Pingdom', pingdom],
  ['LibreNMS', librenms],
  ['Zabbix', zabbix],
  ['Checkly', checkly],
  ['Dash0', dash0],
  ['Graylog', graylog],
];

/**
 * The facts of a payload of one of these tools; none for any other.
 * @param places gets the tool for each fact that was read.
 */
export function factsOfShape(payload: Fields | undefined, places: FactPlaces): Partial<AlertFacts> {
  if (payload === undefined) return {};
  const body = bareKeys(payload);
  for (const [tool, shape] of SHAPES) {
    const facts = shape(body);
    if (facts === undefined) continue;
    const read = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
    for (const [name] of read) places[name as FactName] ??= [`the fields of ${tool}`];
    return Object.fromEntries(read);
  }
  return {};
}
