// Prometheus Alertmanager, webhook payload version 4: a group of alerts.

import * as z from 'zod';
import type { AlertAdapter } from '../adapter.ts';
import { isoDate } from '../clean.ts';
import { firstText, looseMap, looseText } from './fields.ts';

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

  const alerts = data.alerts.filter((alert) => alert !== null);
  const firing = alerts.filter((alert) => alert.status !== 'resolved');
  const relevant = firing.length > 0 ? firing : alerts;
  const [first] = relevant;
  const labels = { ...data.groupLabels, ...data.commonLabels };
  const annotations = { ...first?.annotations, ...data.commonAnnotations };

  const name = firstText(labels, 'alertname') ?? firstText(first?.labels ?? {}, 'alertname');
  const headline = firstText(annotations, 'summary', 'message', 'description');
  const count = data.alerts.length + data.truncatedAlerts;
  const title = [name, headline].filter(Boolean).join(': ') || 'Alertmanager notification';
  const starts = relevant.map((alert) => isoDate(alert.startsAt)).filter((date) => date !== null);

  return {
    source: 'alertmanager',
    title: count > 1 ? `${title} (${count} alerts)` : title,
    status: data.status === 'firing' || data.status === 'resolved' ? data.status : 'unknown',
    severity: firstText(labels, 'severity') ?? firstText(first?.labels ?? {}, 'severity'),
    identity: data.groupKey,
    summary: firstText(annotations, 'description', 'message', 'summary'),
    url: count === 1 && first?.generatorURL ? first.generatorURL : data.externalURL,
    startedAt: starts.reduce<Date | null>((min, date) => (min === null || date < min ? date : min), null),
    labels: Object.keys(labels).length > 0 ? labels : (first?.labels ?? {}),
  };
};
