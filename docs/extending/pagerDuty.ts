// PagerDuty, webhooks version 3: one event of one incident.

import * as z from 'zod';
import type { AlertAdapter } from '../../shared/alerts/adapter.ts';
import { looseText } from '../../shared/alerts/adapters/fields.ts';
import { isoDate } from '../../shared/alerts/dates.ts';

/** What PagerDuty has instead of the whole object: a service, a priority. Null and anything else count as absent. */
const reference = z.object({ summary: looseText }).catch({ summary: undefined });

const payloadSchema = z.object({
  event: z.object({
    event_type: z.string().startsWith('incident.'),
    data: z.object({
      // Notes and status updates are events of an incident too, but hold only a reference to it.
      type: z.literal('incident'),
      id: z.string(),
      status: looseText,
      title: looseText,
      html_url: looseText,
      created_at: looseText,
      urgency: looseText,
      priority: reference,
      service: reference,
      escalation_policy: reference,
    }),
  }),
});

/** Reads an incident. The identity is the incident's id: the event's own id is another one in each message. */
export const pagerDuty: AlertAdapter = (payload) => {
  const { data } = payloadSchema.safeParse(payload);
  if (data === undefined) return undefined;
  const { event_type, data: incident } = data.event;
  const { priority, service, escalation_policy } = incident;

  return {
    source: 'pagerduty',
    title: [service.summary, incident.title].filter(Boolean).join(': ') || 'PagerDuty incident',
    counts: undefined,
    status: STATUSES.get(incident.status ?? '') ?? 'unknown',
    severity: priority.summary ?? incident.urgency,
    identity: incident.id,
    summary: undefined,
    url: incident.html_url,
    runbookUrl: undefined,
    startedAt: isoDate(incident.created_at),
    labels: {
      event_type,
      service: service.summary,
      escalation_policy: escalation_policy.summary,
      urgency: incident.urgency,
    },
  };
};

/** An acknowledged incident still burns. */
const STATUSES: ReadonlyMap<string, 'firing' | 'resolved'> = new Map([
  ['triggered', 'firing'],
  ['acknowledged', 'firing'],
  ['resolved', 'resolved'],
]);
