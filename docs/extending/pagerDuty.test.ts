import { describe, expect, it } from 'vitest';
import { readAlert } from '../../shared/alerts/index.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { alertSchema } from '../../shared/schema/session.ts';
import { pagerDuty } from './pagerDuty.ts';

const masker = createMasker({});

const incident = {
  id: 'PGR0VU2',
  type: 'incident',
  self: 'https://api.pagerduty.com/incidents/PGR0VU2',
  html_url: 'https://example.pagerduty.com/incidents/PGR0VU2',
  number: 2,
  status: 'triggered',
  incident_key: 'd3640fbd41094207a1c11e58e46b1662',
  created_at: '2026-11-05T10:20:30Z',
  title: 'Pod checkout-7d9f restarts',
  service: { id: 'PF9KMXH', summary: 'Checkout', type: 'service_reference' },
  assignees: [{ id: 'PTUXL6G', summary: 'User 123', type: 'user_reference' }],
  escalation_policy: { id: 'PUS0KTE', summary: 'Shop', type: 'escalation_policy_reference' },
  priority: { id: 'PSO75BM', summary: 'P1', type: 'priority_reference' },
  urgency: 'high',
};
const webhook = (data: unknown, event_type = 'incident.triggered') => ({
  event: {
    id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
    event_type,
    occurred_at: '2026-11-05T10:20:31Z',
    data,
  },
});

/** Reads a payload as it would be read if `pagerDuty` stood in the list of adapters. */
function read(payload: unknown) {
  const reading = readAlert(Buffer.from(JSON.stringify(payload)), masker, [pagerDuty]);
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading.alert;
}

describe('pagerDuty', () => {
  it('reads an incident into an alert that can be stored', () => {
    const alert = read(webhook(incident));
    expect(alertSchema.parse(alert)).toEqual(alert);
    expect(alert).toMatchObject({
      source: 'pagerduty',
      title: 'Checkout: Pod checkout-7d9f restarts',
      status: 'firing',
      severity: 'P1',
      identity: 'PGR0VU2',
      url: incident.html_url,
      startedAt: new Date('2026-11-05T10:20:30Z'),
      labels: {
        event_type: 'incident.triggered',
        service: 'Checkout',
        escalation_policy: 'Shop',
        urgency: 'high',
      },
    });
  });

  it('keeps the identity when the incident is resolved', () => {
    const resolved = webhook({ ...incident, status: 'resolved' }, 'incident.resolved');
    expect(read(resolved)).toMatchObject({ status: 'resolved', identity: 'PGR0VU2' });
  });

  it('reads an incident without priority, and fields of other types as absent', () => {
    const odd = { ...incident, priority: null, service: 'Checkout', title: ['x'], created_at: 7 };
    expect(read(webhook(odd))).toMatchObject({
      title: 'PagerDuty incident',
      severity: 'high',
      startedAt: null,
    });
  });

  it.each([
    ['a note', webhook({ type: 'incident_note', incident: { id: 'PGR0VU2' } }, 'incident.annotated')],
    ['a ping', webhook({ type: 'ping', message: 'Hello' }, 'pagey.ping')],
    ['a payload of Alertmanager', { version: '4', groupKey: '{}', alerts: [] }],
    ['text', 'incident'],
  ])('leaves %s to others', (_, payload) => {
    expect(pagerDuty(payload)).toBeUndefined();
  });
});
