// Google Cloud Monitoring, notification version 1.2 (Pub/Sub or webhook), and the test message of the console,
// which has version "test", other types for ids and an upper-case state.

import * as z from 'zod';
import type { AlertAdapter } from '../adapter.ts';
import { unixDate } from '../dates.ts';
import { statusOf } from '../status.ts';
import { looseMap, looseText } from './fields.ts';

const linkSchema = z.object({ displayName: looseText, url: looseText }).catch({});

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
  documentation: z.object({ content: looseText, links: z.array(linkSchema).catch([]) }).catch({ links: [] }),
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
    counts: undefined,
    status: statusOf(incident.state),
    severity: incident.severity?.toLowerCase() === 'no severity' ? undefined : incident.severity,
    identity: incident.incident_id,
    summary: incident.summary,
    url: incident.url,
    runbookUrl: runbookOf(incident.documentation),
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

/** The link of the policy's documentation that is named a runbook, else one beside that word in its text, else any link. */
function runbookOf({ content, links }: z.infer<typeof incidentSchema>['documentation']): string | undefined {
  const named = links.find(({ displayName, url }) => /(run|play)book/i.test(`${displayName} ${url}`));
  const written = /(?:run|play)book[^\n]{0,100}?(https?:\/\/[^\s)>"'\]]+)/i.exec(content ?? '')?.[1];
  return named?.url ?? written ?? links.find(({ url }) => url !== undefined)?.url;
}
