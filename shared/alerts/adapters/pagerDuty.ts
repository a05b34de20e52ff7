// PagerDuty: webhooks version 3 (one event of one incident), and events sent to its Events API version 2.

import { asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter, AlertFacts, FieldReader } from '../fields/adapter.ts';
import { looseDate } from '../fields/dates.ts';
import { firstText, joinTexts, keepUsableLinks } from '../fields/fields.ts';
import { parseStatusWord } from '../fields/status.ts';

/** Events of roles and tasks of an incident have data without a type. */
const INCIDENT_EVENT = /^incident\.\w+/;

/** The identity is the incident's id: the event's own id differs in each message. */
export const pagerDuty: AlertAdapter = {
  source: 'pagerduty',
  recognise({ payload, attributes }) {
    const { event, event_action, payload: details } = asObject(payload);
    const { event_type, data } = asObject(event);
    const isTyped = typeof data === 'object' && typeof asObject(data).type === 'string';
    if (typeof event_type === 'string' && isObject(data) && (isTyped || INCIDENT_EVENT.test(event_type))) {
      return attributes['x-pagerduty-signature'] === undefined
        ? 'an event with event_type and typed data'
        : 'header X-PagerDuty-Signature, an event with event_type and data';
    }
    const isEvent = typeof event_action === 'string' && /^(trigger|acknowledge|resolve)$/.test(event_action);
    return isEvent && (isObject(details) || event_action !== 'trigger')
      ? 'event_action of the Events API'
      : undefined;
  },
  read(fields, { payload }) {
    return Object.hasOwn(asObject(payload), 'event_action') ? readEventsApi(fields) : readWebhook(fields);
  },
};

function readWebhook(fields: FieldReader): Partial<AlertFacts> {
  const event = fields.within('event');
  const type = event.peek('event_type') ?? '';
  if (type === 'pagey.ping') {
    event.note('status', 'event_type');
    return {
      title: event.text('title', 'data.message') ?? 'PagerDuty test',
      status: 'test',
      labels: { event_type: type },
    };
  }
  const data = event.within('data');
  const isIncident = data.peek('type') === 'incident';
  // An event about part of an incident (a note, a responder) only references the incident.
  const incident = isIncident || event.raw('data.incident') === undefined ? data : data.within('incident');
  const isReopened = type === 'incident.reopened';
  const service = data.peek('service.summary');
  return {
    title:
      joinTexts(service, incident.text('title', 'title', 'summary')) ??
      joinTexts(event.text('title', 'event_type'), data.text('title', 'name', 'role.name', 'summary')) ??
      'PagerDuty incident',
    status: isIncident ? parseStatusWord(incident.text('status', 'status') ?? type) : 'acknowledged',
    severity: data.text('severity', 'priority.summary', 'urgency'),
    // The id of a role or of a task is not that of its incident.
    identity:
      isIncident || incident !== data
        ? incident.text('identity', 'id')
        : data.text('identity', 'incident_id', 'id'),
    summary: data.text('summary', 'body.details', 'content', 'message'),
    url: incident.text('url', 'html_url'),
    links: keepUsableLinks(['Conference', data.text('links', 'conference_bridge.conference_url')]),
    // One that is opened again keeps the time of its creation.
    startedAt:
      (isReopened ? event.start('occurred_at') : null) ??
      data.start('created_at') ??
      event.start('occurred_at'),
    endedAt: looseDate(event.peek('occurred_at')),
    labels: {
      event_type: type,
      // Notes of deliveries go to this incident.
      incident_id: isIncident || incident !== data ? incident.peek('id') : data.peek('incident_id'),
      service,
      urgency: data.text('labels', 'urgency'),
      escalation_policy: data.text('labels', 'escalation_policy.summary'),
      incident_key: data.text('labels', 'incident_key'),
    },
  };
}

/** Its routing key is left out: it works like a password. */
function readEventsApi(fields: FieldReader): Partial<AlertFacts> {
  const details = fields.within('payload');
  const links = fields.list('links').map(asObject);
  return {
    // Only a trigger event has a summary.
    title: details.text('title', 'summary') ?? fields.text('title', 'dedup_key') ?? 'PagerDuty event',
    status: parseStatusWord(fields.text('status', 'event_action')),
    severity: details.text('severity', 'severity'),
    identity: fields.text('identity', 'dedup_key'),
    summary: details.text('summary', 'summary'),
    url: fields.text('url', 'client_url') ?? links.map((link) => firstText(link, 'href')).find(Boolean),
    links: links.flatMap((link) =>
      keepUsableLinks([firstText(link, 'text') ?? 'Link', firstText(link, 'href')]),
    ),
    startedAt: details.start('timestamp'),
    labels: {
      source: details.text('labels', 'source'),
      component: details.text('labels', 'component'),
      group: details.text('labels', 'group'),
      class: details.text('labels', 'class'),
      ...details.map('labels', 'custom_details'),
    },
  };
}
