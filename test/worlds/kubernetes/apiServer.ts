// A small API server of Kubernetes: recorded answers for discovery, /version, lists, tables, events, logs,
// metrics and the kubelet's files, as a cluster of version 1.31 with one namespace gives them. Every other
// request is answered with 404.

import { createServer, type IncomingMessage } from 'node:http';
import { boundPort } from '../../../local/processes/ports.ts';
import { API_GROUPS, API_RESOURCES, KINDS, type ListedKind, OBJECTS, VERSION } from './cluster.ts';
import { tableOf } from './columns.ts';

const POD_LOG = `2026-11-17T09:31:51Z loading 500000 quotes into the cache
2026-11-17T09:31:53Z heap at 251 MiB of 256 MiB
`;

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/** The account can do everything that the server offers: read. */
const ACCESS_REVIEWS: Record<string, object> = {
  [`POST ${REVIEWS}`]: {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    spec: {},
    status: { allowed: true },
  },
};

/** A running server. */
export interface ApiServer {
  url: string;
  /** Method and path of each request of kubernetes-mcp-server that it has no answer for. */
  unknown: string[];
  stop(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. It takes every token. */
export async function startApiServer(): Promise<ApiServer> {
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const { pathname } = new URL(url, 'http://cluster');
    const answer = method === 'GET' ? answerTo(pathname, request) : ACCESS_REVIEWS[`${method} ${pathname}`];
    if (typeof answer === 'string') {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(answer);
      return;
    }
    // Others can still send to the server that had this port before.
    const isOwn = request.headers['user-agent']?.startsWith('kubernetes-mcp-server') === true;
    if (answer === undefined && isOwn) unknown.push(`${method} ${url}`);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? notFound(url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${boundPort(server)}`,
    unknown,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The answer to a GET; undefined where this cluster has none. */
function answerTo(pathname: string, { headers }: IncomingMessage): object | string | undefined {
  const discovery: Record<string, object> = { '/version': VERSION, ...API_GROUPS, ...API_RESOURCES };
  if (discovery[pathname] !== undefined) return discovery[pathname];
  const metrics: Record<string, object> = {
    '/apis/metrics.k8s.io/v1beta1/nodes': nodeMetrics(),
    '/apis/metrics.k8s.io/v1beta1/pods': podMetrics(),
    '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods': podMetrics(),
  };
  if (metrics[pathname] !== undefined) return metrics[pathname];
  for (const listed of KINDS) {
    const [namespace, name] = asked(pathname, listed) ?? [];
    if (namespace === undefined) continue;
    const items = OBJECTS.filter(
      ({ kind, metadata }) => kind === listed.kind && (namespace === '' || metadata.namespace === namespace),
    );
    if (name !== undefined) return items.find(({ metadata }) => metadata.name === name);
    if (String(headers.accept).includes('as=Table')) return tableOf(items);
    return {
      kind: `${listed.kind}List`,
      apiVersion: listed.apiVersion,
      metadata: { resourceVersion: '1' },
      items,
    };
  }
  if (pathname.endsWith('/log')) return POD_LOG;
  if (pathname === '/api/v1/nodes/node-1/proxy/stats/summary') return STATS;
  if (pathname.startsWith('/api/v1/nodes/node-1/proxy/logs')) return 'kubelet: started\n';
  return undefined;
}

/** The namespace ('' for all) and the name that a path asks for; undefined for a path of another kind. */
function asked(
  pathname: string,
  { root, plural, isNamespaced }: ListedKind,
): [string, string | undefined] | undefined {
  if (!pathname.startsWith(`${root}/`)) return undefined;
  const parts = pathname.slice(root.length + 1).split('/');
  const namespace = isNamespaced && parts[0] === 'namespaces' && parts.length > 2 ? parts[1] : '';
  const [resource, name, ...more] = namespace === '' ? parts : parts.slice(2);
  return resource === plural && more.length === 0 ? [namespace ?? '', name] : undefined;
}

function nodeMetrics() {
  const usage = { cpu: '212m', memory: '1712Mi' };
  const item = { metadata: { name: 'node-1' }, timestamp: '2026-11-17T09:32:00Z', window: '20s', usage };
  return { kind: 'NodeMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: [item] };
}

function podMetrics() {
  const containers = [{ name: 'checkout', usage: { cpu: '31m', memory: '251Mi' } }];
  const metadata = { name: 'checkout-7d9c6bf8d4-x2kqp', namespace: 'shop' };
  const item = { metadata, timestamp: '2026-11-17T09:32:00Z', window: '20s', containers };
  return { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: [item] };
}

const STATS = {
  node: {
    nodeName: 'node-1',
    memory: { workingSetBytes: 1795162112 },
    fs: { availableBytes: 61203283968, capacityBytes: 103865303040 },
  },
  pods: [],
};

const notFound = (url: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: `${url} was not recorded`,
  reason: 'NotFound',
  code: 404,
});
