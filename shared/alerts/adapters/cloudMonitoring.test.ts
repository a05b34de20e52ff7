import { describe, expect, it } from 'vitest';
import { readWithAdapter } from './adapter.fixture.ts';
import { cloudMonitoring } from './cloudMonitoring.ts';

const read = (payload: unknown) => readWithAdapter(cloudMonitoring, payload);

const incident = {
  condition: {
    conditionThreshold: {
      comparison: 'COMPARISON_GT',
      duration: '300s',
      filter: 'resource.type = "cloud_run_revision" AND metric.type = "run.googleapis.com/request_latencies"',
      thresholdValue: 800,
    },
    displayName: 'p99 latency above 800 ms',
    name: 'projects/webshop-prod/alertPolicies/1234567890/conditions/987',
  },
  condition_name: 'p99 latency above 800 ms',
  documentation: {
    content: '## Checkout is slow',
    mime_type: 'text/markdown',
    subject: '[ALERT] Checkout latency',
  },
  ended_at: null,
  incident_id: '0.nzq8w1x4kq2u',
  metadata: { system_labels: {}, user_labels: { team: 'shop' } },
  metric: {
    displayName: 'Request Latency',
    labels: { response_code_class: '2xx' },
    type: 'run.googleapis.com/request_latencies',
  },
  observed_value: '1843.221',
  policy_name: 'Checkout latency',
  policy_user_labels: { tier: 'frontend' },
  resource: {
    labels: { location: 'europe-west4', project_id: 'webshop-prod', service_name: 'checkout' },
    type: 'cloud_run_revision',
  },
  resource_display_name: 'checkout',
  resource_id: '',
  resource_name: 'webshop-prod Cloud Run Revision labels {location=europe-west4, service_name=checkout}',
  resource_type_display_name: 'Cloud Run Revision',
  scoping_project_id: 'webshop-prod',
  scoping_project_number: 123456789012,
  severity: 'Critical',
  started_at: 1795165200,
  state: 'open',
  summary:
    'Request Latency for webshop-prod Cloud Run Revision is above the threshold of 800 with a value of 1843.221.',
  threshold_value: '800',
  url: 'https://console.cloud.google.com/monitoring/alerting/alerts/0.nzq8w1x4kq2u?project=webshop-prod',
};
const notification = { incident, version: '1.2' };

describe('cloudMonitoring', () => {
  it('reads an open incident', () => {
    expect(read(notification)).toEqual({
      links: [],
      members: [],
      title: 'Checkout latency: p99 latency above 800 ms',
      counts: undefined,
      status: 'firing',
      severity: 'Critical',
      identity: '0.nzq8w1x4kq2u',
      summary: incident.summary,
      url: incident.url,
      runbookUrl: undefined,
      startedAt: new Date(1795165200_000),
      endedAt: null,
      labels: {
        project_id: 'webshop-prod',
        policy_name: 'Checkout latency',
        condition_name: 'p99 latency above 800 ms',
        resource_type: 'cloud_run_revision',
        metric_type: 'run.googleapis.com/request_latencies',
        team: 'shop',
        tier: 'frontend',
        response_code_class: '2xx',
        location: 'europe-west4',
        service_name: 'checkout',
      },
    });
  });

  it.each([
    [
      {
        links: [
          { displayName: 'Dashboard', url: 'https://a.example.com' },
          { displayName: 'Runbook', url: 'https://b.example.com' },
        ],
      },
      'https://b.example.com',
    ],
    [
      { links: [null, 7, { displayName: 'Dashboard', url: 'https://a.example.com' }] },
      'https://a.example.com',
    ],
    [{ content: 'Slow. [Runbook](https://c.example.com/slow) and more' }, 'https://c.example.com/slow'],
    [{ content: 'See https://d.example.com' }, undefined],
    ['Test documentation', undefined],
  ])('links to the runbook of %j', (documentation, url) => {
    expect(read({ ...notification, incident: { ...incident, documentation } })?.runbookUrl).toBe(url);
  });

  it('keeps the identity when the incident is closed', () => {
    const closed = { ...notification, incident: { ...incident, state: 'closed', ended_at: 1795168800 } };
    expect(read(closed)).toMatchObject({ status: 'resolved', identity: '0.nzq8w1x4kq2u' });
  });

  it('reads the test message of the console', () => {
    const test = {
      version: 'test',
      incident: {
        incident_id: 12345,
        scoping_project_id: 12345,
        scoping_project_number: 12345,
        url: 'http://www.example.com',
        started_at: 0,
        ended_at: 0,
        state: 'OPEN',
        summary: 'Test Incident',
        apigee_url: 'http://www.example.com',
        observed_value: '1.0',
        resource: { type: 'example_resource', labels: { example: 'label' } },
        resource_type_display_name: 'Example Resource Type',
        documentation: 'Test documentation',
        policy_name: 'Test Policy',
        condition_name: 'Test Condition',
        metadata: { system_labels: { example: 'label' }, user_labels: { example: 'label' } },
      },
    };
    expect(read(test)).toMatchObject({
      title: 'Test Policy: Test Condition',
      status: 'test',
      identity: undefined,
      summary: 'Test Incident',
      startedAt: null,
    });
  });

  it('reads an alert about logs, and one without severity', () => {
    const { metric: _, ...logs } = {
      ...incident,
      condition: { conditionMatchedLog: { filter: 'severity>=ERROR' } },
    };
    expect(read({ ...notification, incident: { ...logs, severity: 'No severity' } })).toMatchObject({
      severity: undefined,
      labels: { service_name: 'checkout', log_filter: 'severity>=ERROR' },
    });
  });

  it('falls back to the summary when the policy has no name', () => {
    const nameless = { ...incident, policy_name: null, condition_name: '' };
    expect(read({ ...notification, incident: nameless })?.title).toBe(incident.summary);
  });

  it.each([
    ['another version', { ...notification, version: '2.0' }],
    ['an incident without id and state', { version: '1.2', incident: { title: 'x' } }],
    ['no incident', { version: '1.2' }],
    ['text', 'incident'],
  ])('leaves %s to others', (_, payload) => {
    expect(read(payload)).toBeUndefined();
  });
});
