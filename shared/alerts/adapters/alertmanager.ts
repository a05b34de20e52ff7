// Prometheus Alertmanager, webhook payload version 4: a group of alerts.

import * as z from 'zod';
import type { AlertAdapter } from '../adapter.ts';
import { earliest, isoDate } from '../dates.ts';
import { worstSeverity } from '../severity.ts';
import { countStatuses, relevantEntries, statusOf, statusOfGroup } from '../status.ts';
import { firstText, looseMap, looseText, runbookIn } from './fields.ts';

const alertSchema = z.object({
  status: looseText,
  labels: looseMap,
  annotations: looseMap,
  startsAt: looseText,
  generatorURL: looseText,
});

const payloadSchema = z.object({
  version: z.literal('4'),
  // Grafana sends a payload of the same family, with an organisation.
  orgId: z.undefined().optional(),
  groupKey: z.string(),
  status: looseText,
  groupLabels: looseMap,
  commonLabels: looseMap,
  commonAnnotations: looseMap,
  externalURL: looseText,
  truncatedAlerts: z.int().nonnegative().catch(0),
  alerts: z.array(alertSchema.nullable().catch(null)),
});

/** Reads a group of alerts. The identity is the group's key, which stays the same while alerts join and leave the group. */
export const alertmanager: AlertAdapter = (payload) => {
  const { data } = payloadSchema.safeParse(payload);
  if (data === undefined) return undefined;

  const alerts = data.alerts.map((alert) => ({ ...alert, status: statusOf(alert?.status) }));
  const statuses = alerts.map(({ status }) => status);
  const relevant = relevantEntries(alerts);
  const first = relevant.find(({ labels }) => labels !== undefined);
  const labels = { ...data.groupLabels, ...data.commonLabels };
  const annotations = { ...first?.annotations, ...data.commonAnnotations };

  const name = firstText(labels, 'alertname') ?? firstText(first?.labels ?? {}, 'alertname');
  const headline = firstText(annotations, 'summary', 'message', 'description');
  const severities = [labels, ...relevant.map((alert) => alert.labels ?? {})];

  return {
    source: 'alertmanager',
    title: [name, headline].filter(Boolean).join(': ') || 'Alertmanager notification',
    counts: countStatuses(statuses, data.truncatedAlerts),
    // Alertmanager takes the group's status from the alerts that are in the message.
    status: statusOfGroup(statusOf(data.status), statuses, data.truncatedAlerts),
    severity: worstSeverity(severities.map((map) => firstText(map, 'severity'))),
    identity: data.groupKey,
    summary: firstText(annotations, 'description', 'message', 'summary'),
    url:
      alerts.length + data.truncatedAlerts === 1 && first?.generatorURL
        ? first.generatorURL
        : data.externalURL,
    runbookUrl: runbookIn([data.commonAnnotations, ...relevant.map((alert) => alert.annotations ?? {})]),
    startedAt: earliest(relevant.map((alert) => isoDate(alert.startsAt))),
    labels: Object.keys(labels).length > 0 ? labels : (first?.labels ?? {}),
  };
};
