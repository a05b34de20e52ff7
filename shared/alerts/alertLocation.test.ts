// The place of an alert, for the labels of each source.

import { describe, expect, it } from 'vitest';
import { payloadOf } from '../../test/alerts/payloads.ts';
import { createMasker } from '../masking/masker.ts';
import { locateAlertPlace, placeText } from './alertLocation.ts';
import { readAlert } from './index.ts';

const masker = createMasker({});
const receivedAt = new Date('2026-11-20T09:16:00Z');

function placeIn(file: string): string {
  const reading = readAlert(payloadOf(file), masker, { receivedAt });
  if (!reading.ok) throw new Error(reading.failure.message);
  return placeText(locateAlertPlace(reading.alert));
}

const RECORDED: Record<string, string> = {
  'alertmanager.v4.firing.json': 'shop',
  'alertmanager.v3.firing.json': 'shop/checkout-1',
  'aws.sns.firing.json': 'checkout · EU (Ireland) · 123456789012',
  'aws.eventbridge.firing.json': 'checkout · eu-west-1 · 123456789012',
  'aws.health.firing.json': 'EC2 · eu-west-1 · 123456789012',
  'azure-monitor.common.firing.json': 'shop/checkout-1 · 22222222-2222-2222-2222-222222222222',
  'checkmk.service.firing.json': 'db-7 · prod',
  'checkmk.host.firing.json': 'db-7',
  'cloud-monitoring.metric.firing.json': 'shop/checkout · shop-prod',
  'datadog.custom.firing.json': 'db · prod',
  'dynatrace.details.firing.json': 'checkout',
  'grafana.unified.firing.json': 'db-7',
  'json.plain.firing.json': 'db-7',
  'new-relic.incident.firing.json': 'checkout · prod · Example',
  'opsgenie.webhook.firing.json': 'db-7 · prod',
  'pagerduty.events-api.firing.json': 'shop/checkout · cluster-1',
  'pagerduty.webhook.firing.json': 'Checkout',
  'sentry.event.firing.json': 'checkout-1 · prod',
  'sentry.issue.firing.json': 'checkout',
  'splunk.detector.firing.json': 'db-7',
  'text.plain.firing.txt': '',
};

describe('the place of a recorded alert', () => {
  it.each(Object.entries(RECORDED))('of %s is "%s"', (file, place) => {
    expect(placeIn(file)).toBe(place);
  });
});

describe('the place in labels', () => {
  const at = (source: string, labels: Record<string, string>) =>
    placeText(locateAlertPlace({ source, labels }));

  it('is the object, not kube-state-metrics, which measured it', () => {
    const scraper = { job: 'kube-state-metrics', service: 'kube-state-metrics', instance: '10.8.0.14:8080' };
    const pod = { namespace: 'shop', pod: 'checkout-7d9c6bf8d4-x2kqp', container: 'checkout' };
    expect(at('alertmanager', { ...scraper, ...pod, cluster: 'shop-prod' })).toBe(
      'shop/checkout · shop-prod',
    );
    const node = { node: 'worker-3', container: 'kube-state-metrics', cluster: 'eu' };
    expect(at('alertmanager', { ...scraper, ...node })).toBe('worker-3 · eu');
    expect(at('grafana', { ...scraper, service: 'prometheus-kube-state-metrics', namespace: 'shop' })).toBe(
      'shop',
    );
  });

  it('is the node that an exporter measures', () => {
    const labels = { job: 'node-exporter', pod: 'prometheus-node-exporter-x2kqp', instance: '10.0.0.7:9100' };
    expect(at('alertmanager', { ...labels, nodename: 'worker-3' })).toBe('worker-3');
  });

  it('is the service of a workload that exports its own metrics', () => {
    expect(at('alertmanager', { job: 'checkout', service: 'checkout', namespace: 'shop' })).toBe(
      'shop/checkout',
    );
  });

  it('prefers the exported labels, which the scraper renamed', () => {
    const labels = { namespace: 'monitoring', exported_namespace: 'shop', exported_pod: 'db-0', pod: 'x' };
    expect(at('alertmanager', labels)).toBe('shop/db-0');
  });

  it('keeps the number of a pod of a stateful set', () => {
    expect(at('alertmanager', { pod: 'postgres-0', namespace: 'shop' })).toBe('shop/postgres-0');
  });

  it.each([
    ['alertmanager', { host: 'prometheus-server' }, 'prometheus-server'],
    ['alertmanager', { namespace: 'prometheus', pod: 'db-0' }, 'prometheus/db-0'],
    ['alertmanager', { deployment: ' ', app: ' shop ' }, 'shop'],
    ['alertmanager', { app: 'shop', instance: '10.0.0.7:9100' }, 'shop'],
    ['alertmanager', { service: 'node-exporter', instance: '10.0.0.7:9100' }, ''],
    ['alertmanager', { service: 'node-exporter', instance: '10.0.0.7:9100/probe' }, '10.0.0.7:9100/probe'],
    ['sentry', { project: '4711', server_name: '42' }, '42'],
    ['sentry', { project: 'shop2' }, 'shop2'],
    ['json', { project: '4711', host: 'a' }, 'a · 4711'],
  ])('of %s, %j, is "%s"', (source, labels, place) => {
    expect(at(source, labels as unknown as Record<string, string>)).toBe(place);
  });

  it.each([
    [
      { service_name: 'checkout', location: 'europe-west4', project_id: 'webshop' },
      'checkout · europe-west4 · webshop',
    ],
    [
      {
        namespace_name: 'shop',
        pod_name: 'checkout-7d9c6bf8d4-x2kqp',
        cluster_name: 'shop-prod',
        location: 'eu',
      },
      'shop/checkout · shop-prod',
    ],
    [{ database_id: 'webshop:orders', region: 'europe-west4' }, 'webshop:orders · europe-west4'],
    [{ subscription_id: 'orders', project_id: 'webshop' }, 'orders · webshop'],
  ])('knows the names of Cloud Monitoring: %o', (labels, place) => {
    expect(at('cloud-monitoring', labels as unknown as Record<string, string>)).toBe(place);
  });

  it('limits the length of hostile labels', () => {
    expect(at('json', { host: 'x'.repeat(5_000) }).length).toBe(120);
    // Does not end if the search for scrapers reads it all.
    expect(at('json', { service: '-'.repeat(1_000_000) }).length).toBe(120);
  });
});
