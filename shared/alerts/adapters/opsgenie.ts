// Opsgenie: webhooks of an action on an alert.

import { asObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts } from '../fields/adapter.ts';
import { labelsOfTags } from '../fields/fields.ts';

const STATUSES: ReadonlyMap<string, AlertFacts['status']> = new Map([
  ['create', 'firing'],
  ['unacknowledge', 'firing'],
  ['escalate', 'firing'],
  ['escalatenext', 'firing'],
  ['close', 'resolved'],
  ['delete', 'resolved'],
  ['test', 'test'],
]);

/** The identity is alertId. Of several alerts with one alias Opsgenie has only one open at a time. */
export const opsgenie: AlertAdapter = {
  source: 'opsgenie',
  recognise({ payload }) {
    const { action, alert } = asObject(payload);
    const { alertId, tinyId, alias } = asObject(alert);
    if (typeof action !== 'string' || typeof (alertId ?? tinyId) !== 'string') return undefined;
    return alias === undefined && alertId === undefined ? undefined : 'an action on an alert with alertId';
  },
  read(fields) {
    const action = fields.text('status', 'action') ?? '';
    const alert = fields.within('alert');
    return {
      title: alert.text('title', 'message', 'alias') ?? 'Opsgenie alert',
      // Notes, tags and owners are given by people who know of the alert, or change nothing about it.
      status: STATUSES.get(action.toLowerCase()) ?? 'acknowledged',
      severity: alert.text('severity', 'priority'),
      identity: alert.text('identity', 'alertId', 'alias'),
      summary: alert.text('summary', 'description'),
      url: alert.text('url', 'details.url', 'details.link'),
      runbookUrl: alert.text('runbookUrl', 'details.runbook_url', 'details.runbook'),
      startedAt: alert.start('createdAt'),
      labels: {
        ...labelsOfTags(alert.raw('tags')),
        ...alert.map('labels', 'details'),
        alias: alert.text('labels', 'alias'),
        entity: alert.text('labels', 'entity'),
        alert_source: alert.text('labels', 'source'),
        integration: fields.text('labels', 'integrationName'),
      },
    };
  },
};
