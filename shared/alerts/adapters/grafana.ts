// Grafana: unified alerting (a group like Alertmanager's, with an organisation), and the older alerting.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { joinTexts, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';
import { readPrometheusGroup } from './prometheusGroup.ts';

/** The identity is the group's key; in old alerting organisation and rule, which all its messages have. */
export const grafana: AlertAdapter = {
  source: 'grafana',
  recognise({ payload }) {
    const { orgId, alerts, ruleId, ruleName, ruleUrl, state } = asObject(payload);
    if (Array.isArray(alerts) && orgId !== undefined) return 'alerts with an orgId';
    if (ruleId !== undefined && ruleName !== undefined && (state ?? ruleUrl) !== undefined) {
      return 'ruleId and ruleName of old alerting';
    }
    return undefined;
  },
  read(fields, { payload }) {
    return Array.isArray(asObject(payload).alerts) ? readUnified(fields) : readOld(fields);
  },
};

function readUnified(fields: FieldReader): Partial<AlertFacts> {
  const group = readPrometheusGroup(fields, 'alerts');
  const isTest =
    fields.peek('alerts.0.labels.alertname') === 'TestAlert' &&
    fields.peek('alerts.0.labels.instance') === 'Grafana';
  return {
    ...group,
    // The default title lists state and labels of the group; the names of its alerts are clearer.
    title: group.title ?? fields.text('title', 'title'),
    status: isTest ? 'test' : (group.status ?? 'unknown'),
    summary: group.summary ?? fields.text('summary', 'message'),
  };
}

/** States of legacy alerting that mean that the rule itself has no result. */
const OLD_STATES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['no_data', 'firing'],
  ['pending', 'unknown'],
  ['paused', 'acknowledged'],
]);

function readOld(fields: FieldReader): Partial<AlertFacts> {
  const state = fields.text('status', 'state');
  const isTest = fields.peek('ruleId') === '0' || fields.peek('ruleName') === 'Test notification';
  const rule = fields.text('identity', 'ruleUid', 'ruleId');
  const values = fields.list('evalMatches').map(asObject);
  return {
    title:
      joinTexts(fields.text('title', 'ruleName'), fields.text('title', 'message')) ??
      fields.text('title', 'title'),
    status: isTest ? 'test' : (OLD_STATES.get(state ?? '') ?? parseStatusWord(state)),
    identity: rule === undefined || isTest ? undefined : `org ${fields.peek('orgId') ?? '1'}, rule ${rule}`,
    summary: fields.text('summary', 'message'),
    severity: fields.text('severity', 'tags.severity'),
    url: fields.text('url', 'ruleUrl'),
    links: keepUsableLinks(['Picture', fields.text('links', 'imageUrl')]),
    labels: {
      ...asObject(values[0]?.tags),
      ...fields.map('labels', 'tags'),
      ...(values[0]?.metric !== undefined && { metric: values[0].metric }),
    },
  };
}
