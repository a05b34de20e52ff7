// The recorded cluster: discovery, the objects of objects.yaml, and columns for printing.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An object of the API. */
export interface ClusterObject {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace?: string; creationTimestamp: string };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export const OBJECTS: ClusterObject[] = parse(
  readFileSync(new URL('objects.yaml', import.meta.url), 'utf8'),
  { merge: true },
);

export const VERSION = { major: '1', minor: '31', gitVersion: 'v1.31.4', platform: 'linux/amd64' };

/** The names of resources by kind; those without a namespace have none. */
const PLURALS: Record<string, string> = {
  Namespace: 'namespaces',
  Node: 'nodes',
  PersistentVolume: 'persistentvolumes',
};
const GLOBAL = new Set(Object.keys(PLURALS));
const pluralOf = (kind: string): string => PLURALS[kind] ?? `${kind.toLowerCase().replace(/y$/, 'ie')}s`;

export interface ListedKind {
  kind: string;
  apiVersion: string;
  /** The path under the group, without a namespace: `pods`. */
  plural: string;
  isNamespaced: boolean;
  /** `/api/v1`, `/apis/apps/v1`. */
  root: string;
}

const rootOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Every kind that has an object. */
export const KINDS: ListedKind[] = [
  ...new Map(
    OBJECTS.map(({ kind, apiVersion }) => [
      kind,
      { kind, apiVersion, plural: pluralOf(kind), isNamespaced: !GLOBAL.has(kind), root: rootOf(apiVersion) },
    ]),
  ).values(),
];

const verbs = ['get', 'list', 'watch'];
const resource = ({ plural, kind, isNamespaced }: Omit<ListedKind, 'root' | 'apiVersion'>) => ({
  name: plural,
  singularName: kind.toLowerCase(),
  namespaced: isNamespaced,
  kind,
  verbs,
});

const EXTRA: Record<string, object[]> = {
  '/api/v1': [{ ...resource({ plural: 'pods/log', kind: 'Pod', isNamespaced: true }), verbs: ['get'] }],
  '/apis/authorization.k8s.io/v1': [
    {
      ...resource({
        plural: 'selfsubjectaccessreviews',
        kind: 'SelfSubjectAccessReview',
        isNamespaced: false,
      }),
      verbs: ['create'],
    },
  ],
  '/apis/metrics.k8s.io/v1beta1': [
    resource({ plural: 'nodes', kind: 'NodeMetrics', isNamespaced: false }),
    resource({ plural: 'pods', kind: 'PodMetrics', isNamespaced: true }),
  ],
};
const ROOTS = [...new Set([...KINDS.map(({ root }) => root), ...Object.keys(EXTRA)])];

/** Resources of each group by path. */
export const API_RESOURCES: Record<string, object> = Object.fromEntries(
  ROOTS.map((root) => [
    root,
    {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: root.replace(/^\/apis?\//, ''),
      resources: [...KINDS.filter((one) => one.root === root).map(resource), ...(EXTRA[root] ?? [])],
    },
  ]),
);

/** Answers of discovery by path. */
export const API_GROUPS: Record<string, object> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: ROOTS.filter((root) => root.startsWith('/apis/')).map((root) => {
      const [, , name = '', version = ''] = root.split('/');
      const groupVersion = `${name}/${version}`;
      return {
        name,
        versions: [{ groupVersion, version }],
        preferredVersion: { groupVersion, version },
      };
    }),
  },
};
