// The resource of an alert, and its service in resources.yaml.

import { describe, expect, it } from 'vitest';
import { locateAlert, type Service } from './resource.ts';

const service = (...workloads: string[]): Service => ({
  workloads,
  repository: null,
  flags: [],
  dashboards: [],
  dependencies: [],
});

describe('the resource of an alert', () => {
  it.each([
    [
      'alertmanager',
      { deployment: 'checkout', namespace: 'shop', cluster: 'prod' },
      'k8s:prod/shop/Deployment/checkout',
    ],
    [
      'alertmanager',
      { pod: 'checkout-7d9c6bf8d4-x2kqp', namespace: 'shop' },
      'k8s:-/shop/Deployment/checkout',
    ],
    ['alertmanager', { pod: 'db-0', namespace: 'shop' }, 'k8s:-/shop/Pod/db-0'],
    ['alertmanager', { node: 'n1', namespace: 'monitoring', cluster: 'prod' }, 'k8s:prod/-/Node/n1'],
    ['alertmanager', { instance: 'db-1:9100' }, 'host:db-1'],
    [
      'cloud-monitoring',
      { service_name: 'cart', location: 'europe-west1', project_id: 'p' },
      'gcp:run:p/europe-west1/cart',
    ],
    [
      'cloud-monitoring',
      {
        top_level_controller_name: 'web',
        top_level_controller_type: 'StatefulSet',
        namespace_name: 'shop',
        cluster_name: 'c',
      },
      'k8s:c/shop/StatefulSet/web',
    ],
    [
      'aws',
      { FunctionName: 'pay', region: 'eu-central-1', account: '123' },
      'aws:lambda:123/eu-central-1/pay',
    ],
    ['datadog', { kube_deployment: 'web' }, 'k8s:-/-/Deployment/web'],
    ['json', { service: 'check out' }, 'service:check%20out'],
    ['json', { team: 'payments' }, null],
  ])('of %s with %j is %s', (source, labels, resource) => {
    expect(locateAlert({ source, labels }).resource).toBe(resource);
  });
});

describe('the service of a resource', () => {
  const labels = { pod: 'checkout-7d9c6bf8d4-x2kqp', namespace: 'shop' };
  const prod = 'k8s:prod/shop/Deployment/checkout';

  it('is the one whose workload matches, which completes the name', () => {
    const located = locateAlert(
      { source: 'json', labels },
      { checkout: service(prod), cart: service('service:cart') },
    );
    expect(located).toMatchObject({ resource: prod, service: 'checkout', candidates: [] });
  });

  it('is not guessed between several, nor from another namespace or name', () => {
    const several = { a: service(prod), b: service('k8s:test/shop/Deployment/checkout') };
    expect(locateAlert({ source: 'json', labels }, several)).toMatchObject({
      resource: 'k8s:-/shop/Deployment/checkout',
      service: null,
      candidates: ['a', 'b'],
    });
    for (const other of [
      'k8s:prod/web/Deployment/checkout',
      'k8s:prod/shop/Deployment/cart',
      'k8s:prod/shop/Deployment/-',
    ])
      expect(locateAlert({ source: 'json', labels }, { a: service(other) }).service).toBeNull();
  });

  it('is the service of that name where labels know no more', () => {
    const located = locateAlert({ source: 'json', labels: { service: 'cart' } }, { cart: service(prod) });
    expect(located).toMatchObject({ resource: 'service:cart', service: 'cart' });
  });
});
