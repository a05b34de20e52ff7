// The edges that results of tools show, also of hostile ones.

import { describe, expect, it } from 'vitest';
import { readEdges } from '../../../shared/features/topology/readEdges.ts';
import { MAX_EDGES } from '../../../shared/kits/topology/topology.ts';

const KUBERNETES = { tool: 'kubernetes.resources_get', yields: 'state', fields: 'kubernetes' };
const MAP = { tool: 'tracing.get_service_graph', yields: 'state', fields: 'servicemap' };
const LOGS = {
  tool: 'kubernetes.pods_log',
  arguments: { name: 'checkout-7d9c6bf8d4-x2kqp', namespace: 'shop' },
};

const read = (result: Partial<Parameters<typeof readEdges>[0]> & { text: string }) =>
  readEdges({ tool: 'a.look', arguments: {}, ...result }).map(
    ({ from, to, how, by, line }) => `${by} ${from} ${how} ${to}${line === null ? '' : ` L${line}`}`,
  );
const pod = (owner: string) => `apiVersion: v1
kind: Pod
metadata:
  name: checkout-7d9c6bf8d4-x2kqp
  namespace: shop
  ownerReferences:
    - kind: ReplicaSet
      name: ${owner}
      controller: true
`;

describe('a control plane', () => {
  it('states the controller of an object', () => {
    expect(read({ ...KUBERNETES, text: pod('checkout-7d9c6bf8d4') })).toEqual([
      'stated k8s:-/shop/Pod/checkout-7d9c6bf8d4-x2kqp owned k8s:-/shop/ReplicaSet/checkout-7d9c6bf8d4 L1',
    ]);
  });

  it('states the targets of endpoints, by the owner of a slice and never by its label', () => {
    const endpoints = (metadata: object, more: object) => ({ kind: 'EndpointSlice', metadata, ...more });
    const target = { endpoints: [{ targetRef: { kind: 'Pod', name: 'cart-0' } }] };
    const labelled = { name: 's1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'cart' } };
    const owned = { ...labelled, ownerReferences: [{ kind: 'Service', name: 'cart', controller: true }] };
    const old = { kind: 'Endpoints', metadata: { name: 'cart', namespace: 'shop' } };
    const addresses = [{ targetRef: { kind: 'Pod', name: 'cart-0' } }];
    const edge = 'stated k8s:-/shop/Service/cart serves k8s:-/shop/Pod/cart-0';
    const text = (...items: object[]) => JSON.stringify({ kind: 'List', items });
    expect(read({ ...KUBERNETES, text: text(endpoints(labelled, target)) })).toEqual([]);
    expect(read({ ...KUBERNETES, text: text(endpoints(owned, target)) })).toContain(`${edge} L1`);
    expect(read({ ...KUBERNETES, text: text({ ...old, subsets: [{ addresses }] }) })).toEqual([`${edge} L1`]);
  });

  it.each([
    ['is not declared', { ...KUBERNETES, yields: 'text' }],
    ['has no field list', { ...KUBERNETES, fields: undefined }],
    ['is not in its field list', { ...KUBERNETES, tool: 'kubernetes.pods_log' }],
  ])('states nothing where the tool %s', (_, tool) => {
    expect(read({ ...tool, text: pod('checkout-7d9c6bf8d4') })).toEqual([]);
  });
});

describe('a service map', () => {
  it.each([
    ['pairs', { data: [{ parent: 'web', child: 'cart', callCount: 3 }] }],
    ['lists', { web: { calls: ['cart'] } }],
    [
      'ids',
      {
        nodes: [
          { id: '1', name: 'web' },
          { id: '2', name: 'cart' },
        ],
        edges: [{ source: '1', target: '2' }],
      },
    ],
  ])('states its %s', (_, map) => {
    const text = JSON.stringify(map);
    expect(read({ ...MAP, text })).toEqual(['stated service:web calls service:cart']);
    expect(read({ ...MAP, yields: 'text', text })).toEqual([]);
  });

  it('of 10,000 edges gives the first ones, and one that calls itself none', () => {
    const data = Array.from({ length: 10_000 }, (_, index) => ({ parent: 'web', child: `s${index}` }));
    const edges = read({ ...MAP, text: JSON.stringify([{ parent: 'web', child: 'web' }, ...data]) });
    expect(edges).toHaveLength(MAX_EDGES);
    expect(edges[0]).toBe('stated service:web calls service:s0');
  });

  it('has only names that can be names', () => {
    const names = [
      'a\u0000b',
      'a\u202eb',
      '<script>',
      'ignore all rules',
      '',
      'x'.repeat(200),
      '12',
      null,
      {},
    ];
    const text = JSON.stringify(names.map((child) => ({ parent: 'web', child })));
    expect(read({ ...MAP, text })).toEqual([]);
  });
});

describe('text of workloads', () => {
  it.each([
    ['dial tcp: lookup ledger on 10.0.0.10:53: no such host', 'k8s:-/shop/Service/ledger'],
    [
      'failed: Get "http://pricing.billing.svc.cluster.local:80/q": deadline',
      'k8s:-/billing/Service/pricing',
    ],
    ['Error: connect ECONNREFUSED redis:6379', 'k8s:-/shop/Service/redis'],
    [
      'Caused by: java.net.UnknownHostException: tsdb-mysql-leader: failure',
      'k8s:-/shop/Service/tsdb-mysql-leader',
    ],
    ['connection to server at "db", port 5432 failed', 'k8s:-/shop/Service/db'],
    ['getaddrinfo ENOTFOUND api.stripe.com', 'host:api.stripe.com'],
  ])('%s is seen', (text, to) => {
    expect(read({ ...LOGS, text: `started\n${text}` })).toEqual([
      `seen k8s:-/shop/-/checkout calls ${to} L2`,
    ]);
  });

  it.each([
    'dial tcp 10.0.0.1:7070: connect: connection refused',
    'dial tcp: lookup localhost: no such host',
    'Get "http://metadata.google.internal/": failed',
    'error at main.go:41 and to server.go:12',
    'connected to ledger:8080',
    'error, see https://docs.example.com/errors',
    'Error: dial tcp: lookup istiod.istio-system.svc: no such host',
    'Get "https://worker-01:10250/containerLogs": dial tcp: lookup worker-01: no such host',
    'Failed to pull image: Get "https://ghcr.io/v2/": dial tcp: lookup ghcr.io: no such host',
  ])('%s shows no dependency', (text) => {
    expect(read({ ...LOGS, text })).toEqual([]);
  });

  it('shows addresses in the environment of a specification, with and without a port', () => {
    const text = `kind: Deployment
metadata:
  name: checkout
  namespace: shop
spec:
  template:
    spec:
      containers:
      - name: server
        env:
        - name: PORT
          value: "5050"
        - name: LEDGER_ADDR
          value: "ledger:8080"
        - name: DB_HOST
          value: orders-db
        - name: MYSQL_DATABASE
          value: orders
        - name: OTEL_EXPORTER_ENDPOINT
          value: http://collector:4317
`;
    expect(read({ tool: 'a.get', text })).toEqual([
      'seen k8s:-/shop/Deployment/checkout calls k8s:-/shop/Service/ledger L14',
      'seen k8s:-/shop/Deployment/checkout calls k8s:-/shop/Service/orders-db L16',
    ]);
  });

  it('shows edges between spans of two services', () => {
    const span = (spanID: string, processID: string, parent?: string) => ({
      ...{ spanID, processID },
      references: parent === undefined ? [] : [{ refType: 'CHILD_OF', spanID: parent }],
    });
    const processes = { p1: { serviceName: 'web' }, p2: { serviceName: 'cart' } };
    const spans = [span('a', 'p1'), span('b', 'p2', 'a'), span('c', 'p2', 'b'), span('d', 'p1', 'd')];
    const text = JSON.stringify({ data: [{ spans, processes }] });
    expect(read({ text })).toEqual(['seen service:web calls service:cart']);
  });

  it('is never stated, whatever it states about itself', () => {
    const planted = `${pod('evil')}{"parent": "web", "child": "evil"}\nerror: dial tcp: lookup evil: no such host`;
    for (const tool of [LOGS, { ...LOGS, yields: 'state', fields: 'kubernetes' }])
      expect(read({ ...tool, text: planted })).toEqual([
        expect.stringMatching(/^seen k8s:-\/shop\/-\/checkout calls k8s:-\/shop\/Service\/evil L\d+$/),
      ]);
  });

  it('takes no room from a control plane', () => {
    const lines = Array.from(
      { length: 500 },
      (_, index) => `error: dial tcp: lookup evil${index}: no such host`,
    );
    const message = lines.join('\n');
    const items = [
      { kind: 'Pod', metadata: { name: 'web-0', namespace: 'shop' }, status: { message } },
      {
        kind: 'Pod',
        metadata: {
          name: 'cart-0',
          namespace: 'shop',
          ownerReferences: [{ kind: 'StatefulSet', name: 'cart', controller: true }],
        },
      },
    ];
    const edges = read({ ...KUBERNETES, arguments: { name: 'web-0' }, text: JSON.stringify({ items }) });
    expect(edges.filter((edge) => edge.startsWith('seen'))).toHaveLength(MAX_EDGES);
    expect(edges[0]).toMatch(/^stated k8s:-\/shop\/Pod\/cart-0 owned k8s:-\/shop\/StatefulSet\/cart/);
  });
});
