// Google Cloud Monitoring, notification version 1.2 (Pub/Sub or webhook), and the test message of the console,
// which has version "test", other types for ids and an upper-case state.

import * as z from 'zod';
import type { AlertAdapter } from '../adapter.ts';
import { unixDate } from '../clean.ts';
import { looseMap, looseText } from './fields.ts';

const incidentSchema = z.object({
  incident_id: looseText,
  state: looseText,
  severity: looseText,
  url: looseText,
  summary: looseText,
  started_at: looseText,
  policy_name: looseText,
  condition_name: looseText,
  scoping_project_id: looseText,
  policy_user_labels: looseMap,
  resource: z.object({ type: looseText, labels: looseMap }).catch({ labels: {} }),
  metric: z.object({ type: looseText, labels: looseMap }).catch({ labels: {} }),
  metadata: z.object({ user_labels: looseMap }).catch({ user_labels: {} }),
});

const payloadSchema = z.object({
  version: z.string().regex(/^(1\.\d+|test)$/),
  incident: incidentSchema.refine(
    (incident) => incident.incident_id !== undefined || incident.state !== undefined,
  ),
});

/** Reads an incident. The identity is the incident's id, which is also in the message that closes it. */
export const cloudMonitoring: AlertAdapter = (payload) => {
  const { data } = payloadSchema.safeParse(payload);
  if (data === undefined) return undefined;

  const { incident } = data;
  const { policy_name: policy, condition_name: condition, resource, metric } = incident;
  const names = [...new Set([policy, condition])].filter(Boolean);
  return {
    source: 'cloud-monitoring',
    title: names.join(': ') || incident.summary,
    status: STATUSES.get(incident.state?.toLowerCase() ?? '') ?? 'unknown',
    severity: incident.severity?.toLowerCase() === 'no severity' ? undefined : incident.severity,
    identity: incident.incident_id,
    summary: incident.summary,
    url: incident.url,
    startedAt: unixDate(incident.started_at),
    labels: {
      project_id: incident.scoping_project_id,
      policy_name: policy,
      condition_name: condition,
      resource_type: resource.type,
      metric_type: metric.type,
      ...incident.metadata.user_labels,
      ...incident.policy_user_labels,
      ...metric.labels,
      ...resource.labels,
    },
  };
};

const STATUSES = new Map([
  ['open', 'firing'],
  ['closed', 'resolved'],
] as const) as ReadonlyMap<string, 'firing' | 'resolved'>;
