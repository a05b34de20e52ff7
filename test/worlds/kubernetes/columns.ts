// The columns with which an API server 1.31 prints objects: tables of a list, as in kubectl.

import type { ClusterObject } from './cluster.ts';

type Cell = string | number;
type Column = [name: string, cell: (object: ClusterObject) => Cell];
interface Status {
  name: string;
  ready: boolean;
  restartCount: number;
  state: { waiting?: { reason: string }; terminated?: { reason: string } };
  lastState: { terminated?: { finishedAt: string } };
}
type Condition = { type: string; status: string };

const NOW = Date.parse('2026-11-17T09:33:00Z');

function age(time: unknown): string {
  const seconds = (NOW - Date.parse(String(time))) / 1000;
  if (seconds < 120) return `${Math.round(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${Math.round(seconds % 60)}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

const number = (object: ClusterObject, name: string): number => Number(object.status?.[name] ?? 0);
const text = (object: ClusterObject, name: string): string => String(object.status?.[name] ?? '');
const spec = (object: ClusterObject, name: string): string => String(object.spec?.[name] ?? '');
const nodeInfo = ({ status }: ClusterObject): Record<string, string> =>
  (status?.nodeInfo ?? {}) as Record<string, string>;
const statuses = ({ status }: ClusterObject): Status[] => (status?.containerStatuses ?? []) as Status[];
const containers = ({ spec: own }: ClusterObject): { name: string; image: string }[] => {
  const pod = (own?.template as { spec?: object } | undefined)?.spec ?? own ?? {};
  return ((pod as { containers?: [] }).containers ?? []) as { name: string; image: string }[];
};
const isTrue = ({ status }: ClusterObject, type: string): boolean =>
  ((status?.conditions ?? []) as Condition[]).some((one) => one.type === type && one.status === 'True');

function podStatus(pod: ClusterObject): string {
  const reasons = statuses(pod)
    .map(({ state }) => state.waiting?.reason ?? state.terminated?.reason)
    .filter((reason) => reason !== undefined);
  return reasons[0] ?? (text(pod, 'reason') || text(pod, 'phase'));
}

function restarts(pod: ClusterObject): string {
  const own = statuses(pod);
  const count = own.reduce((sum, one) => sum + one.restartCount, 0);
  const last = own.find(({ lastState }) => lastState.terminated)?.lastState.terminated?.finishedAt;
  return last === undefined ? String(count) : `${count} (${age(last)} ago)`;
}

const AGE: Column = ['Age', ({ metadata }) => age(metadata.creationTimestamp)];
const quota = (of: 'hard' | 'used', { status }: ClusterObject): Record<string, string> =>
  (status?.[of] ?? {}) as Record<string, string>;

const COLUMNS: Record<string, Column[]> = {
  Namespace: [['Status', (object) => text(object, 'phase')], AGE],
  Node: [
    ['Status', (object) => (isTrue(object, 'Ready') ? 'Ready' : 'NotReady')],
    ['Roles', () => '<none>'],
    AGE,
    ['Version', (node) => nodeInfo(node).kubeletVersion ?? ''],
    [
      'Internal-IP',
      ({ status }) => (status?.addresses as { address: string }[] | undefined)?.[0]?.address ?? '',
    ],
    ['External-IP', () => '<none>'],
    ['OS-Image', (node) => nodeInfo(node).osImage ?? ''],
  ],
  Pod: [
    ['Ready', (pod) => `${statuses(pod).filter(({ ready }) => ready).length}/${containers(pod).length}`],
    ['Status', podStatus],
    ['Restarts', restarts],
    AGE,
    ['IP', (pod) => text(pod, 'podIP') || '<none>'],
    ['Node', (pod) => spec(pod, 'nodeName')],
    ['Nominated Node', () => '<none>'],
    ['Readiness Gates', () => '<none>'],
  ],
  Deployment: [
    ['Ready', (object) => `${number(object, 'readyReplicas')}/${spec(object, 'replicas')}`],
    ['Up-to-date', (object) => number(object, 'updatedReplicas')],
    ['Available', (object) => number(object, 'availableReplicas')],
    AGE,
    [
      'Containers',
      (object) =>
        containers(object)
          .map(({ name }) => name)
          .join(','),
    ],
    [
      'Images',
      (object) =>
        containers(object)
          .map(({ image }) => image)
          .join(','),
    ],
    ['Selector', ({ metadata }) => `app=${metadata.name}`],
  ],
  ReplicaSet: [
    ['Desired', (object) => Number(spec(object, 'replicas'))],
    ['Current', (object) => number(object, 'replicas')],
    ['Ready', (object) => number(object, 'readyReplicas')],
    AGE,
    [
      'Containers',
      (object) =>
        containers(object)
          .map(({ name }) => name)
          .join(','),
    ],
    [
      'Images',
      (object) =>
        containers(object)
          .map(({ image }) => image)
          .join(','),
    ],
  ],
  StatefulSet: [['Ready', (object) => `${number(object, 'readyReplicas')}/${spec(object, 'replicas')}`], AGE],
  DaemonSet: [
    ['Desired', (object) => number(object, 'desiredNumberScheduled')],
    ['Current', (object) => number(object, 'currentNumberScheduled')],
    ['Ready', (object) => number(object, 'numberReady')],
    ['Up-to-date', (object) => number(object, 'updatedNumberScheduled')],
    ['Available', (object) => number(object, 'numberAvailable')],
    ['Node Selector', () => '<none>'],
    AGE,
  ],
  Job: [
    ['Status', (object) => (isTrue(object, 'Failed') ? 'Failed' : 'Complete')],
    ['Completions', (object) => `${number(object, 'succeeded')}/${spec(object, 'completions')}`],
    ['Duration', () => '10s'],
    AGE,
  ],
  PersistentVolumeClaim: [
    ['Status', (object) => text(object, 'phase')],
    ['Volume', (object) => spec(object, 'volumeName')],
    ['Capacity', () => '10Gi'],
    ['Access Modes', () => 'RWO'],
    ['StorageClass', (object) => spec(object, 'storageClassName')],
    AGE,
  ],
  ResourceQuota: [
    AGE,
    [
      'Request',
      (object) =>
        Object.entries(quota('hard', object))
          .map(([name, hard]) => `${name}: ${quota('used', object)[name]}/${hard}`)
          .join(', '),
    ],
    ['Limit', () => ''],
  ],
  HorizontalPodAutoscaler: [
    ['Reference', () => 'Deployment/checkout'],
    ['Targets', () => 'cpu: 31%/80%'],
    ['MinPods', (object) => Number(spec(object, 'minReplicas'))],
    ['MaxPods', (object) => Number(spec(object, 'maxReplicas'))],
    ['Replicas', (object) => number(object, 'currentReplicas')],
    AGE,
  ],
  // Of a custom resource: the columns that its definition names.
  Certificate: [
    ['Ready', (object) => (isTrue(object, 'Ready') ? 'True' : 'False')],
    ['Secret', (object) => spec(object, 'secretName')],
    AGE,
  ],
};

/** The table of a list. */
export function tableOf(items: ClusterObject[]): object {
  const columns: Column[] = [
    ['Name', ({ metadata }) => metadata.name],
    ...(COLUMNS[items[0]?.kind ?? ''] ?? [AGE]),
  ];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '1' },
    columnDefinitions: columns.map(([name]) => ({
      name,
      type: 'string',
      format: '',
      description: '',
      priority: 0,
    })),
    rows: items.map((object) => ({ cells: columns.map(([, cell]) => cell(object)), object })),
  };
}
