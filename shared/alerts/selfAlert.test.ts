import { describe, expect, it } from 'vitest';
import { sampleAlert } from '../../test/support/samples.ts';
import { type OwnNames, ownSubject } from './selfAlert.ts';

const own: OwnNames = {
  projectId: 'shop-prod',
  functions: ['ingestAlert', 'runIteration', 'sweep'],
  topics: ['iterations', 'iterations-dead'],
  subscriptions: ['alerts-push', 'iterations-push'],
  schedules: ['inquest-sweep'],
  databases: ['inquest'],
  services: ['inquest-mcp'],
};
const monitored = (labels: Record<string, string>) =>
  sampleAlert({ source: 'cloud-monitoring', labels: { project_id: 'shop-prod', ...labels } });
const subject = (alert: Parameters<typeof ownSubject>[0]) => ownSubject(alert, own);

describe('an alert that Inquest causes itself', () => {
  it.each([
    ['cloud_run_revision', 'service_name', 'runiteration'],
    ['cloud_function', 'function_name', 'runIteration'],
    ['pubsub_topic', 'topic_id', 'iterations-dead'],
    ['pubsub_subscription', 'subscription_id', 'alerts-push'],
    ['cloud_scheduler_job', 'job_id', 'inquest-sweep'],
    ['firestore.googleapis.com/Database', 'database_id', 'inquest'],
    ['pubsub_subscription', 'subscription_id', 'eventarc-europe-west1-runiteration-123456-sub-789'],
  ])('is about %s with %s %s', (type, label, name) => {
    expect(subject(monitored({ resource_type: type, [label]: name }))).toBe(name);
  });

  it.each(['service_name', 'function_name', 'service', 'job', 'deployment', 'container', 'container_name'])(
    'is about a configured service, named by %s, of any source and project',
    (label) => {
      expect(subject(sampleAlert({ labels: { [label]: 'inquest-mcp' } }))).toBe('inquest-mcp');
      expect(subject(sampleAlert({ labels: { [label]: 'inquest-mcp-2' } }))).toBeUndefined();
    },
  );
});

describe('any other alert is investigated:', () => {
  const ofFunction = { resource_type: 'cloud_run_revision', service_name: 'sweep' };
  it.each([
    ['of another project', monitored({ ...ofFunction, project_id: 'other' })],
    ['of another source', sampleAlert({ labels: { ...ofFunction, project_id: 'shop-prod' } })],
    ['of another resource', monitored({ ...ofFunction, resource_type: 'k8s_container' })],
    ['of another service', monitored({ ...ofFunction, service_name: 'sweeper' })],
    ['of another schedule', monitored({ resource_type: 'cloud_scheduler_job', job_id: 'sweep' })],
    [
      'of another database',
      monitored({ resource_type: 'firestore.googleapis.com/Database', database_id: '(default)' }),
    ],
    ['of another topic', monitored({ resource_type: 'pubsub_topic', topic_id: 'alerts' })],
    [
      'of another subscription',
      monitored({ resource_type: 'pubsub_subscription', subscription_id: 'eventarc-x-runiteration-copy' }),
    ],
    [
      'that mentions Inquest',
      sampleAlert({
        title: 'runIteration of inquest-mcp fails',
        summary: 'inquest-mcp',
        labels: { namespace: 'inquest-mcp', alertname: 'runIteration', service: 'checkout' },
      }),
    ],
    ['with odd labels', monitored({ resource_type: 'constructor', __proto__: 'x' })],
  ])('one %s', (_, alert) => {
    expect(subject(alert)).toBeUndefined();
  });
});
