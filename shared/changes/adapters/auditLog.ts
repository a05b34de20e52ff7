// Admin activity of Cloud Audit Logs, as a log sink exports it: changes of Google Cloud and of clusters of
// GKE. https://cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog

import { firstText } from '../../alerts/fields/fields.ts';
import { asObject, asText } from '../../text/json.ts';
import type { Resource } from '../../text/resource.ts';
import { type ChangeAdapter, type ChangeKind, gcp, k8s, named, type ReadChanges } from '../adapter.ts';
import { kubernetesChangeKind, kubernetesKind } from './kubernetesKinds.ts';

const AUDIT_LOG = /\/logs\/cloudaudit\.googleapis\.com(?:%2F|\/)(activity|system_event|data_access|policy)/;
const READ =
  /(?:^|[._/])(?:get|list|search|watch|read|query|test|check|fetch|lookup|generateAccessToken)[A-Za-z]*$/i;
/** Objects of Kubernetes that controllers write all the time. */
const NOISE =
  /(?:^|\/)v\d\w*\/(?:namespaces\/[^/]+\/)?(?:leases|events|endpoints|endpointslices|tokenreviews|subjectaccessreviews)(?:\/|$)/;

/** The first pattern that matches `SERVICE METHOD` gives the kind. */
const KINDS: readonly [RegExp, ChangeKind][] = [
  [/SetIamPolicy|^iam\.|CreateServiceAccount|Role(?:Binding)?s?\b/i, 'iam'],
  [/^secretmanager\.|^cloudkms\./, 'secret'],
  [/^(?:clouddeploy|cloudbuild|run|cloudfunctions|appengine)\./, 'deploy'],
  [/resize|autoscal|SetNodePoolSize|UpdateAutoscaler/i, 'scale'],
  [/upgrade|SetNodePoolVersion|UpdateMaster|UpdateNodePool/i, 'upgrade'],
  [/^(?:spanner|bigquery)\..*(?:Ddl|Table|Schema)/i, 'schema'],
];

/** The product, and the labels for location and name, by the type of a monitored resource. */
const RESOURCES: Readonly<Record<string, [product: string, location: string, name: string]>> = {
  cloud_run_revision: ['run', 'location', 'service_name'],
  cloud_run_job: ['run', 'location', 'job_name'],
  cloud_function: ['functions', 'region', 'function_name'],
  cloudsql_database: ['sql', 'region', 'database_id'],
  gce_instance: ['compute', 'zone', 'instance_id'],
  gke_cluster: ['container', 'location', 'cluster_name'],
  gke_nodepool: ['container', 'location', 'cluster_name'],
  pubsub_subscription: ['pubsub', 'location', 'subscription_id'],
  pubsub_topic: ['pubsub', 'location', 'topic_id'],
  gcs_bucket: ['storage', 'location', 'bucket_name'],
};

type Entry = Record<string, unknown>;

/** `apps/v1/namespaces/shop/deployments/checkout/scale`, or without a namespace. */
const OBJECT = /^(?:[\w.-]+\/)?v\d\w*\/(?:namespaces\/([^/]+)\/)?([a-z]+)\/([^/]+)(?:\/(\w+))?$/;

/** @internal */
function resourceOfEntry(entry: Entry): Resource {
  const { type, labels } = asObject(entry.resource);
  const values = asObject(labels);
  const { resourceName = '', serviceName = '' } = asObject(entry.protoPayload) as Record<string, string>;
  const project = asText(values.project_id) ?? /projects\/([^/]+)/.exec(resourceName)?.[1] ?? null;
  const object = serviceName === 'k8s.io' ? OBJECT.exec(resourceName) : null;
  if (object !== null) {
    const [, namespace = null, plural = '', name = ''] = object;
    return k8s(asText(values.cluster_name), namespace, kubernetesKind(plural), name);
  }
  const known = Object.hasOwn(RESOURCES, String(type)) ? RESOURCES[String(type)] : undefined;
  const name = known && asText(values[known[2]]);
  if (known !== undefined && name) return gcp(known[0], project, asText(values[known[1]]), name);
  const location =
    /\/(?:locations|regions|zones)\/([^/]+)/.exec(resourceName)?.[1] ?? asText(values.location);
  const last = resourceName.split('/').at(-1) || String(type ?? 'resource');
  const product = /^([a-z][a-z0-9-]{0,30})\./.exec(serviceName)?.[1] ?? 'resource';
  return gcp(product, project, location, last);
}

export const auditLog: ChangeAdapter = {
  source: 'audit-log',
  recognise({ payload }) {
    const { logName, protoPayload } = asObject(payload);
    const isAudit = /AuditLog$/.test(String(asObject(protoPayload)['@type'] ?? ''));
    return isAudit || AUDIT_LOG.test(String(logName)) ? 'protoPayload is an AuditLog' : undefined;
  },
  read({ payload }): ReadChanges {
    const entry = asObject(payload);
    const proto = asObject(entry.protoPayload);
    const { methodName = '', resourceName = '', serviceName = '' } = proto as Record<string, string>;
    if (/data_access|policy$/.test(String(entry.logName)))
      return { ignored: 'an entry of another log than activity' };
    if (READ.test(methodName)) return { ignored: `${methodName} reads` };
    const actor = firstText(asObject(proto.authenticationInfo), 'principalEmail', 'principalSubject');
    const isKubernetes = serviceName === 'k8s.io';
    if (isKubernetes && actor?.startsWith('system:') === true) return { ignored: `the controller ${actor}` };
    if (isKubernetes && NOISE.test(resourceName))
      return { ignored: `${resourceName} is written all the time` };
    if (isKubernetes && /\/status$/.test(resourceName)) return { ignored: 'an update of a status' };
    const own = resourceOfEntry(entry);
    const helm = /\/secrets\/sh\.helm\.release\.v1\.(.+)\.v(\d+)$/.exec(resourceName);
    // Each revision is a secret of its own.
    const resource =
      helm === null
        ? own
        : { ...own, parts: [own.parts[0] ?? null, own.parts[1] ?? null, 'HelmRelease', helm[1] ?? null] };
    const { id, first, last } = asObject(entry.operation);
    const failure = asObject(proto.status);
    const isRunning = id !== undefined && first === true && last !== true;
    const kind = isKubernetes
      ? kubernetesChangeKind(OBJECT.exec(resourceName)?.[2] ?? '', resourceName)
      : (KINDS.find(
          ([pattern]) =>
            pattern.test(`${serviceName} ${methodName}`.replace(' ', '.')) ||
            pattern.test(methodName) ||
            pattern.test(serviceName),
        )?.[1] ?? 'config');
    const request = asObject(proto.request);
    const isFailed = Number(failure.code ?? 0) !== 0;
    return [
      {
        sourceId: id === undefined ? `entry ${entry.insertId} ${entry.timestamp}` : `operation ${id}`,
        kind: helm === null ? kind : 'deploy',
        status: isFailed ? 'attempted' : isRunning ? 'running' : 'done',
        resource,
        title:
          helm !== null
            ? `Helm release ${helm[1]}, revision ${helm[2]}`
            : `${methodName.split('.').slice(-2).join('.')} ${resourceName.split('/').at(-1)}${isFailed ? ` failed: ${failure.message ?? failure.code}` : ''}`,
        actor,
        before: proto.resourceOriginalState,
        after: helm === null ? pickRequestedState(request, proto) : undefined,
        url: entryUrl(entry),
        at: entry.timestamp,
        project: asText(asObject(asObject(entry.resource).labels).project_id),
        affects: helm === null ? [] : [named('service', helm[1] ?? '')],
        joins: 'asset-feed',
      },
    ];
  },
};

/** The part of a request that states the new state. */
function pickRequestedState(request: Entry, { metadata, serviceData }: Entry): unknown {
  const { '@type': _, ...fields } = request;
  const delta = asObject(asObject(serviceData).policyDelta).bindingDeltas ?? asObject(metadata).delta;
  if (delta !== undefined) return delta;
  const { spec, body, service, policy, patch, updateMask } = fields;
  const state = spec ?? body ?? service ?? policy ?? patch;
  if (state !== undefined) return updateMask === undefined ? state : { updateMask, state };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function entryUrl({ insertId, timestamp, logName }: Entry): string | undefined {
  const project = /^projects\/([a-z0-9:.-]+)\//.exec(String(logName))?.[1];
  if (typeof insertId !== 'string' || project === undefined) return undefined;
  const query = encodeURIComponent(`insertId="${insertId}"`);
  return `https://console.cloud.google.com/logs/query;query=${query};cursorTimestamp=${timestamp}?project=${project}`;
}
