// Kinds of objects of Kubernetes, and the kinds of their changes.

import type { ChangeKind } from '../adapter.ts';

const KINDS: Readonly<Record<string, string>> = {
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  cronjobs: 'CronJob',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  configmaps: 'ConfigMap',
  networkpolicies: 'NetworkPolicy',
  ingresses: 'Ingress',
  rolebindings: 'RoleBinding',
  clusterrolebindings: 'ClusterRoleBinding',
};

/** `Deployment` for `deployments`. Of an unknown kind, the plural without its ending. */
export function kubernetesKind(plural: string): string {
  const known = Object.hasOwn(KINDS, plural) ? KINDS[plural] : undefined;
  const singular = plural.replace(/s$/, '');
  return known ?? (singular.charAt(0).toUpperCase() + singular.slice(1) || 'Object');
}

const CHANGES: readonly [RegExp, ChangeKind][] = [
  [/^(?:deployments|statefulsets|daemonsets|replicasets|pods|cronjobs|jobs|rollouts)$/, 'deploy'],
  [/^secrets$/, 'secret'],
  [/role|serviceaccounts|certificatesigningrequests/, 'iam'],
  [/autoscalers$/, 'scale'],
  [/^customresourcedefinitions$/, 'schema'],
];

/** The kind of a change of an object. @param path of the object; `scale` counts as scaling. */
export function kubernetesChangeKind(plural: string, path: string): ChangeKind {
  if (path.endsWith('/scale')) return 'scale';
  return CHANGES.find(([pattern]) => pattern.test(plural))?.[1] ?? 'config';
}
