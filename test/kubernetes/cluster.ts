// The recorded cluster: discovery of the API, one namespace, one node, a pod that runs out of memory, and its event.

const created = '2026-11-09T08:00:00Z';
const verbs = ['get', 'list', 'watch'];
const resource = (name: string, kind: string, namespaced: boolean) => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced,
  kind,
  verbs,
});

export const VERSION = { major: '1', minor: '31', gitVersion: 'v1.31.4', platform: 'linux/amd64' };

const group = (name: string, version: string) => ({
  name,
  versions: [{ groupVersion: `${name}/${version}`, version }],
  preferredVersion: { groupVersion: `${name}/${version}`, version },
});

/** Answers of discovery by path. */
export const API_GROUPS: Record<string, object> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [group('apps', 'v1'), group('authorization.k8s.io', 'v1'), group('metrics.k8s.io', 'v1beta1')],
  },
};

/** Resources of each group by path. */
export const API_RESOURCES: Record<string, object> = {
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      resource('namespaces', 'Namespace', false),
      resource('nodes', 'Node', false),
      resource('pods', 'Pod', true),
      { ...resource('pods/log', 'Pod', true), verbs: ['get'] },
      resource('events', 'Event', true),
    ],
  },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'apps/v1',
    resources: [resource('deployments', 'Deployment', true)],
  },
  '/apis/authorization.k8s.io/v1': {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'authorization.k8s.io/v1',
    resources: [
      { ...resource('selfsubjectaccessreviews', 'SelfSubjectAccessReview', false), verbs: ['create'] },
    ],
  },
  '/apis/metrics.k8s.io/v1beta1': {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'metrics.k8s.io/v1beta1',
    resources: [resource('nodes', 'NodeMetrics', false), resource('pods', 'PodMetrics', true)],
  },
};

const list = (kind: string, items: object[]) => ({
  kind,
  apiVersion: 'v1',
  metadata: { resourceVersion: '1' },
  items,
});

export const NAMESPACES = list('NamespaceList', [
  {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'shop', creationTimestamp: created },
    status: { phase: 'Active' },
  },
]);

export const NODES = list('NodeList', [
  {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'node-1', creationTimestamp: created, labels: { 'kubernetes.io/os': 'linux' } },
    status: {
      capacity: { cpu: '2', memory: '8Gi' },
      allocatable: { cpu: '2', memory: '7Gi' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  },
]);

const POD = 'checkout-7d9c6bf8d4-x2kqp';

export const PODS = list('PodList', [
  {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: POD, namespace: 'shop', creationTimestamp: created, labels: { app: 'checkout' } },
    spec: {
      nodeName: 'node-1',
      containers: [
        { name: 'checkout', image: 'checkout:1.42.0', resources: { limits: { memory: '256Mi' } } },
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'checkout',
          ready: false,
          restartCount: 12,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
        },
      ],
    },
  },
]);

export const EVENTS = list('EventList', [
  {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${POD}.18a`, namespace: 'shop', creationTimestamp: created },
    involvedObject: { kind: 'Pod', namespace: 'shop', name: POD, apiVersion: 'v1' },
    reason: 'BackOff',
    type: 'Warning',
    message: 'Back-off restarting failed container checkout',
    count: 12,
    firstTimestamp: '2026-11-17T09:20:00Z',
    lastTimestamp: '2026-11-17T09:32:00Z',
    source: { component: 'kubelet' },
  },
]);
