// Datadog: the default payload of its webhooks, and custom ones made of its variables ($ALERT_TRANSITION and
// so on), whose names are compared in lower case.

import { asObject, asText } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts } from '../fields/adapter.ts';
import { createFieldReader } from '../fields/fieldReader.ts';
import { labelsOfTags } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';
import { lowerCaseKeys } from './flattenPayload.ts';

const CUSTOM = [
  'alert_id',
  'alert_cycle_key',
  'aggreg_key',
  'alert_title',
  'alert_metric',
  'alert_status',
  'alert_type',
  'alert_query',
  'monitor_id',
  'scopes',
];
const BRACKETS = /^\s*\[([^\]]{1,200})\]\s*/;
/** The types of events of monitors. */
const MONITOR_EVENT = /_(?:monitor|alert|check)$/;
const SEVERITY_OF: Record<string, string> = { warn: 'warning', 'no data': 'warning' };

/**
 * The identity is $ALERT_CYCLE_KEY, or $ALERT_ID with $AGGREG_KEY or $ALERT_SCOPE, under the names that
 * custom payloads commonly give them. The default payload has none: its id is that of the event, which
 * differs in each message.
 */
export const datadog: AlertAdapter = {
  source: 'datadog',
  recognise({ payload }) {
    const body = lowerCaseKeys(payload);
    const { org, title, event_type, last_updated } = body;
    if (Object.hasOwn(body, 'alert_transition') && CUSTOM.some((key) => Object.hasOwn(body, key))) {
      return 'alert_transition and other variables of a custom payload';
    }
    const type = asText(event_type);
    if (type !== undefined && MONITOR_EVENT.test(type) && readTitle(asText(title) ?? '').state !== undefined)
      return 'event_type of a monitor, and a state in the title';
    const isDefault = Object.hasOwn(asObject(org), 'name') && last_updated !== undefined;
    return isDefault && (title ?? event_type) !== undefined ? 'org, title and last_updated' : undefined;
  },
  read({ places }, { payload }) {
    const fields = createFieldReader(lowerCaseKeys(payload), places);
    const title = fields.text('title', 'alert_title', 'event_title', 'title');
    const inTitle = readTitle(title ?? '');
    const transition = fields.text('status', 'alert_transition') ?? inTitle.state;
    if (transition === inTitle.state) fields.note('status', 'title');
    const type = fields.text('severity', 'alert_type');
    const tags = fields.raw('tags') ?? fields.raw('alert_scope');
    if (tags !== undefined) fields.note('labels', fields.raw('tags') === undefined ? 'alert_scope' : 'tags');
    return {
      title: inTitle.rest || title,
      status: inTitle.isTest ? 'test' : parseStatusWord(transition),
      severity:
        fields.text('severity', 'alert_priority', 'severity') ??
        inTitle.priority ??
        // In the default payload it is the priority of the event, `normal` for every monitor.
        fields.text('severity', 'priority') ??
        // The type of a recovery is `success`, which is no severity.
        (type?.toLowerCase() === 'success' ? undefined : type) ??
        SEVERITY_OF[transition?.toLowerCase() ?? ''],
      identity: composeDatadogIdentity(fields),
      summary: fields.text('summary', 'alert_text', 'text_only_msg', 'event_msg', 'body'),
      url: fields.text('url', 'link', 'url', 'alert_url'),
      links: [],
      startedAt: fields.start('alert_started_at', 'date', 'last_updated'),
      labels: {
        ...labelsOfTags(tags),
        org: fields.text('labels', 'org.name', 'org_name'),
        host: fields.text('labels', 'hostname', 'host'),
        alert_id: fields.text('labels', 'alert_id'),
        metric: fields.text('labels', 'alert_metric'),
        event_type: fields.text('labels', 'event_type'),
      },
    };
  },
};

/** Reads `[Test] [P1] [Recovered on {host:db-7}] CPU is high`. Other brackets belong to the title. */
function readTitle(title: string) {
  const read: { isTest: boolean; priority?: string; state?: string; rest: string } = {
    isTest: false,
    rest: title,
  };
  for (let match = BRACKETS.exec(title); match !== null; match = BRACKETS.exec(read.rest)) {
    const [whole, text = ''] = match;
    const state = text.replace(/ on .*$/i, '').trim();
    if (/^test$/i.test(state)) read.isTest = true;
    else if (/^P[1-5]$/i.test(state)) read.priority ??= state.toUpperCase();
    else if (parseStatusWord(state) !== 'unknown') read.state ??= state;
    else break;
    read.rest = read.rest.slice(whole.length);
  }
  return read;
}

function composeDatadogIdentity(fields: ReturnType<typeof createFieldReader>): AlertFacts['identity'] {
  const cycle = fields.text('identity', 'alert_cycle_key');
  if (cycle !== undefined) return cycle;
  const monitor = fields.text('identity', 'alert_id', 'monitor_id', 'monitorid', 'monitor.id');
  const group = fields.text('identity', 'aggreg_key') ?? joinScopes(fields);
  return monitor === undefined ? fields.peek('aggreg_key') : [monitor, group].filter(Boolean).join(' ');
}

function joinScopes(fields: ReturnType<typeof createFieldReader>): string | undefined {
  const list = fields.list('scopes').filter((scope) => typeof scope === 'string');
  if (list.length > 0) return list.join(',');
  return fields.text('identity', 'scopes', 'alert_scope', 'scope');
}
