// Controllers that apply changes to clusters: Argo CD, Argo Rollouts, Flux with Helm.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { type ChangeAdapter, k8s, named } from '../adapter.ts';

type Fields = Record<string, unknown>;

/** An object of Kubernetes in a body: itself, or below the name that templates usually give it. */
function objectIn(payload: unknown, kind: string, ...keys: string[]): Fields | undefined {
  const fields = asObject(payload);
  return [fields, ...keys.map((key) => asObject(fields[key]))].find((one) => {
    const { metadata, spec } = one;
    const isNamed = typeof asObject(metadata).name === 'string' && spec !== undefined;
    return isNamed && (one.kind === kind || (one.kind === undefined && one !== fields));
  });
}

/**
 * `https://10.0.0.1` names no cluster; `prod` and `https://kubernetes.default.svc` do, the last one its own.
 */
const readClusterName = ({ name, server }: Fields): string | null => {
  const given = asText(name);
  if (given !== undefined) return given;
  return /^https?:\/\//.test(String(server)) ? null : (asText(server) ?? null);
};

/**
 * The body is the user's template: shared/features/changes/README.md recommends one with the whole
 * application.
 */
export const argoCd: ChangeAdapter = {
  source: 'argocd',
  recognise: ({ payload }) =>
    objectIn(payload, 'Application', 'app', 'application') !== undefined && !('rollout' in asObject(payload))
      ? 'an Application of Argo CD'
      : undefined,
  read({ payload }) {
    const app = objectIn(payload, 'Application', 'app', 'application') ?? {};
    const { name } = asObject(app.metadata) as Record<string, string>;
    const { destination, source } = asObject(app.spec);
    const status = asObject(app.status);
    const operation = asObject(status.operationState);
    const { phase, finishedAt, startedAt, message, syncResult } = operation;
    if (phase === undefined) return { ignored: 'an application without an operation' };
    const { namespace, ...cluster } = asObject(destination);
    const own = readClusterName(cluster);
    const before = asObject(asArray(status.history).at(-2));
    const objects = asArray(asObject(syncResult).resources)
      .map(asObject)
      .filter(({ kind }) =>
        /^(?:Deployment|StatefulSet|DaemonSet|CronJob|Rollout|ConfigMap)$/.test(String(kind)),
      );
    const revision = asText(asObject(syncResult).revision);
    const by = asObject(asObject(operation.operation).initiatedBy);
    return [
      {
        sourceId: `${name} ${startedAt ?? revision}`,
        kind: 'deploy',
        status: phase === 'Succeeded' ? 'done' : phase === 'Running' ? 'running' : 'attempted',
        resource: k8s(own, asText(namespace), 'Application', name),
        title: `Sync of ${name} to ${revision?.slice(0, 12) ?? 'a revision'}: ${phase}${message === undefined ? '' : `, ${message}`}`,
        actor: firstText(by, 'username') ?? (by.automated === true ? 'automated' : undefined),
        before: before.revision,
        after: { revision, repository: asObject(source).repoURL, path: asObject(source).path },
        at: finishedAt ?? startedAt,
        affects: [
          ...objects.map((one) => k8s(own, asText(one.namespace), String(one.kind), asText(one.name))),
          ...(name === undefined ? [] : [named('service', name)]),
        ],
      },
    ];
  },
};

/** A notification with the whole rollout. */
export const argoRollouts: ChangeAdapter = {
  source: 'argo-rollouts',
  recognise: ({ payload }) =>
    objectIn(payload, 'Rollout', 'rollout') === undefined ? undefined : 'a Rollout of Argo',
  read({ payload }) {
    const rollout = objectIn(payload, 'Rollout', 'rollout') ?? {};
    const metadata = asObject(rollout.metadata);
    const status = asObject(rollout.status);
    const { phase, currentPodHash, stableRS, abort, conditions } = status;
    const condition = asObject(asArray(conditions).findLast((one) => asObject(one).type === 'Progressing'));
    const containers = asArray(asObject(asObject(asObject(rollout.spec).template).spec).containers).map(
      (one) => asObject(one).image,
    );
    const name = asText(metadata.name);
    return [
      {
        sourceId: `${metadata.uid ?? name} ${currentPodHash}`,
        kind: 'deploy',
        status:
          abort === true || phase === 'Degraded' ? 'attempted' : phase === 'Healthy' ? 'done' : 'running',
        resource: k8s(asText(asObject(payload).cluster), asText(metadata.namespace), 'Rollout', name),
        title: `Rollout of ${name}: ${abort === true ? 'aborted' : phase}${condition.message === undefined ? '' : `, ${condition.message}`}`,
        before: stableRS,
        after: { images: containers, hash: currentPodHash },
        at: condition.lastUpdateTime ?? metadata.creationTimestamp,
        affects: [k8s(asText(asObject(payload).cluster), asText(metadata.namespace), 'Deployment', name)],
      },
    ];
  },
};

/** https://fluxcd.io/flux/components/notification/events: of Kustomizations and of Helm releases. */
export const flux: ChangeAdapter = {
  source: 'flux',
  recognise({ payload }) {
    const { involvedObject, reportingController } = asObject(payload);
    return typeof reportingController === 'string' && typeof asObject(involvedObject).kind === 'string'
      ? 'involvedObject and reportingController'
      : undefined;
  },
  read({ payload }) {
    const { involvedObject, severity, timestamp, message, reason, metadata } = asObject(payload);
    const { kind, name, namespace } = asObject(involvedObject) as Record<string, string>;
    if (!/^(?:Kustomization|HelmRelease)$/.test(String(kind))) return { ignored: `an event of a ${kind}` };
    if (/^(?:Progressing|DependencyNotReady|ArtifactFailed|HealthCheckFailed|info)$/i.test(String(reason)))
      return { ignored: `the reason ${reason}` };
    const values = asObject(metadata);
    const revision = firstText(
      values,
      'revision',
      'kustomize.toolkit.fluxcd.io/revision',
      'helm.toolkit.fluxcd.io/revision',
      'app-version',
    );
    const cluster = firstText(values, 'cluster', 'env') ?? null;
    return [
      {
        sourceId: `${kind} ${namespace}/${name} ${revision ?? timestamp} ${severity}`,
        kind: 'deploy',
        status: severity === 'error' ? 'attempted' : 'done',
        resource: k8s(cluster, namespace, kind, name),
        title: `${kind === 'HelmRelease' ? 'Helm release' : 'Kustomization'} ${name}: ${reason}${message === undefined ? '' : `, ${message}`}`,
        actor: 'flux',
        after: revision,
        at: timestamp,
        affects: name === undefined ? [] : [named('service', name)],
      },
    ];
  },
};
