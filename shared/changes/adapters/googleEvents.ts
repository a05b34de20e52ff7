// Messages that services of Google Cloud publish themselves: Cloud Deploy, Cloud Build, GKE, asset feeds, and
// incidents of Personalized Service Health.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText, parseJson } from '../../text/json.ts';
import type { Resource } from '../../text/resource.ts';
import { type ChangeAdapter, type ChangeFacts, gcp, k8s, named } from '../adapter.ts';
import { kubernetesChangeKind } from './kubernetesKinds.ts';

const cutLastSegment = (path: string): string => path.split('/').at(-1) ?? '';
const readPathPart = (path: string, collection: string): string | null =>
  new RegExp(`(?:^|/)${collection}/([^/]+)`).exec(path)?.[1] ?? null;

/** https://docs.cloud.google.com/deploy/docs/subscribe-deploy-notifications: everything is in attributes. */
export const cloudDeploy: ChangeAdapter = {
  source: 'cloud-deploy',
  recognise: ({ attributes: { resourcetype, action, resource } }) =>
    resource !== undefined &&
    action !== undefined &&
    /^(?:Rollout|Release|DeliveryPipeline|Target|Automation\w*)$/.test(resourcetype ?? '')
      ? 'attributes ResourceType, Action and Resource'
      : undefined,
  read({ attributes, receivedAt }) {
    const { resourcetype: type, action = '', resource: path = '', rollouttype } = attributes;
    if (type !== 'Rollout') return { ignored: `a ${type} was changed, and nothing rolled out` };
    if (!/^(?:Start|Succeed|Success|Fail|Failure)/i.test(action)) return { ignored: `the action ${action}` };
    const target = attributes.targetid ?? attributes.target ?? 'target';
    const pipeline = attributes.deliverypipelineid ?? readPathPart(path, 'deliveryPipelines') ?? 'pipeline';
    return [
      {
        sourceId: `rollout ${path}`,
        kind: 'deploy',
        status: /^fail/i.test(action) ? 'attempted' : /^start/i.test(action) ? 'running' : 'done',
        resource: gcp(
          'clouddeploy',
          readPathPart(path, 'projects') ?? attributes.projectnumber,
          attributes.location ?? readPathPart(path, 'locations'),
          pipeline,
        ),
        title: `${rollouttype === 'ROLLBACK' ? 'Rollback' : 'Rollout'} ${attributes.rolloutid ?? cutLastSegment(path)} of ${attributes.releaseid ?? 'a release'} to ${target}: ${action}`,
        after: { release: attributes.releaseid, target },
        at: receivedAt?.toISOString(),
        affects: [named('service', pipeline)],
      },
    ];
  },
};

/**
 * https://docs.cloud.google.com/build/docs/subscribe-build-notifications: a Build, with its id and status in
 * attributes.
 */
export const cloudBuild: ChangeAdapter = {
  source: 'cloud-build',
  recognise({ payload, attributes }) {
    const { id, steps, projectId } = asObject(payload);
    return (attributes.buildid !== undefined || typeof projectId === 'string') &&
      typeof id === 'string' &&
      Array.isArray(steps)
      ? 'id, projectId and steps of a build'
      : undefined;
  },
  read({ payload }) {
    const build = asObject(payload);
    const { id, status, finishTime, startTime, logUrl, substitutions } = build;
    const values = asObject(substitutions);
    if (['QUEUED', 'PENDING', 'CANCELLED', 'EXPIRED'].includes(String(status)))
      return { ignored: `a build is ${status}` };
    const deploys = asArray(build.steps).some((step) =>
      /(?:run|app|functions|builds-deploy|deploy)\b.*deploy|kubectl|gke-deploy|helm|clouddeploy|apply/i.test(
        JSON.stringify(asObject(step).args ?? asObject(step).name ?? ''),
      ),
    );
    if (!deploys) return { ignored: 'a build that deploys nothing' };
    const target =
      firstText(values, '_SERVICE_NAME', '_SERVICE', '_DEPLOYMENT', 'REPO_NAME', 'TRIGGER_NAME') ??
      String(id);
    return [
      {
        sourceId: `build ${id}`,
        kind: 'deploy',
        status: status === 'SUCCESS' ? 'done' : status === 'WORKING' ? 'running' : 'attempted',
        resource: gcp('cloudbuild', asText(build.projectId), null, target),
        title: `Build ${firstText(values, 'TRIGGER_NAME') ?? target}: ${status}`,
        after: { commit: values.COMMIT_SHA, branch: values.BRANCH_NAME, images: build.images },
        url: asText(logUrl),
        at: finishTime ?? startTime,
        affects: [named('service', target)],
      },
    ];
  },
};

/** https://docs.cloud.google.com/kubernetes-engine/docs/concepts/cluster-notifications. */
export const gke: ChangeAdapter = {
  source: 'gke',
  recognise: ({ attributes: { type_url, cluster_name } }) =>
    /google\.container\./.test(type_url ?? '') && cluster_name !== undefined
      ? 'attributes type_url and cluster_name'
      : undefined,
  read({ attributes, payload }) {
    const { type_url = '', cluster_name = '', cluster_location, project_id } = attributes;
    const type = type_url.split('.').at(-1) ?? '';
    const details = asObject(parseJson(attributes.payload ?? '') ?? payload);
    if (!/^UpgradeEvent$|^UpgradeInfoEvent$/.test(type)) return { ignored: `the notification ${type}` };
    const { currentVersion, targetVersion, operation, operationStartTime, resourceType, resource, state } =
      details;
    return [
      {
        sourceId: `operation ${operation}`,
        kind: 'upgrade',
        status: state === 'SUCCEEDED' ? 'done' : state === 'FAILED' ? 'attempted' : 'running',
        resource: gcp('container', project_id, cluster_location, cluster_name),
        title: `Upgrade of ${resourceType === 'MASTER' ? 'the control plane' : `node pool ${cutLastSegment(String(resource))}`} of ${cluster_name} to ${targetVersion}`,
        before: currentVersion,
        after: targetVersion,
        at: details.operationEndTime ?? details.endTime ?? operationStartTime,
        affects: [k8s(cluster_name, null, 'Cluster', cluster_name)],
      },
    ];
  },
};

/**
 * https://docs.cloud.google.com/asset-inventory/docs/monitor-asset-changes. The audit entry of the change
 * states its actor.
 */
export const assetFeed: ChangeAdapter = {
  source: 'asset-feed',
  recognise({ payload }) {
    const { asset, window } = asObject(payload);
    return asText(asObject(asset).assetType) !== undefined && window !== undefined
      ? 'asset and window of a feed'
      : undefined;
  },
  read({ payload }) {
    const { asset, priorAsset, window, deleted } = asObject(payload);
    const { name, assetType, updateTime } = asObject(asset);
    const type = cutLastSegment(String(assetType));
    const before = pickAssetState(priorAsset);
    const after = deleted === true ? undefined : pickAssetState(asset);
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(after))
      return { ignored: 'only its status changed' };
    const at = updateTime ?? asObject(window).startTime;
    const resource = assetResource(String(name), type);
    const isPolicy = 'iamPolicy' in asObject(asset);
    const facts: ChangeFacts = {
      sourceId: `${name} ${at}`,
      kind: isPolicy ? 'iam' : assetKind(String(name), type),
      resource,
      title: `${type} ${cutLastSegment(String(name))} was ${deleted === true ? 'deleted' : priorAsset === undefined ? 'created' : 'changed'}`,
      before,
      after,
      at,
      joins: 'audit-log',
    };
    return [facts];
  },
};

function pickAssetState(asset: unknown): unknown {
  const { resource, iamPolicy } = asObject(asset);
  const { data } = asObject(resource);
  const { status: _, metadata: _metadata, ...state } = asObject(data);
  const shown = iamPolicy ?? (isEmptyState(asObject(state.spec)) ? state : state.spec);
  return isEmptyState(asObject(shown)) ? undefined : shown;
}

const isEmptyState = (value: object): boolean => Object.keys(value).length === 0;

const PRODUCTS: Readonly<Record<string, string>> = { sqladmin: 'sql', cloudsql: 'sql' };

/** `//run.googleapis.com/projects/p/locations/l/services/s`; objects of GKE stand below `/k8s/`. */
function assetResource(name: string, type: string): Resource {
  const object = /\/clusters\/([^/]+)\/k8s\/(?:namespaces\/([^/]+)\/)?(.*)$/.exec(name);
  if (object !== null) return k8s(object[1], object[2], type, cutLastSegment(object[3] ?? ''));
  const service = /^\/\/([a-z][a-z0-9-]*)\./.exec(name)?.[1] ?? 'resource';
  const location =
    readPathPart(name, 'locations') ?? readPathPart(name, 'regions') ?? readPathPart(name, 'zones');
  return gcp(PRODUCTS[service] ?? service, readPathPart(name, 'projects'), location, cutLastSegment(name));
}

function assetKind(name: string, type: string): ChangeFacts['kind'] {
  if (name.includes('/k8s/')) return kubernetesChangeKind(`${type.toLowerCase()}s`, name);
  return /\/\/(?:run|cloudfunctions)\./.test(name)
    ? 'deploy'
    : /secretmanager/.test(name)
      ? 'secret'
      : 'config';
}

/**
 * https://docs.cloud.google.com/service-health/docs/logs-reference: an incident of Google that concerns the
 * project.
 */
export const googleIncident: ChangeAdapter = {
  source: 'google-incident',
  recognise({ payload }) {
    const { jsonPayload, logName } = asObject(payload);
    const isEvent = /servicehealth/.test(String(asObject(jsonPayload)['@type'] ?? logName));
    return isEvent ? 'jsonPayload is an event of Service Health' : undefined;
  },
  read({ payload }) {
    const entry = asObject(payload);
    const event = asObject(entry.jsonPayload);
    const products = readNameList(event.impactedProducts ?? event.impactedProductIds);
    const locations = readNameList(event.impactedLocations);
    const id = cutLastSegment(firstText(event, 'name', 'eventId', 'parentEvent') ?? String(entry.insertId));
    const at = event.startTime ?? entry.timestamp;
    const state = firstText(event, 'detailedState', 'state') ?? 'unknown';
    if (state === 'FALSE_POSITIVE') return { ignored: 'Google withdrew the incident' };
    return [
      {
        sourceId: `incident ${id}`,
        kind: 'provider',
        status: /CLOSED|RESOLVED/.test(state) ? 'done' : 'running',
        resource: gcp('incident', null, locations.length === 1 ? locations[0] : null, products[0] ?? id),
        title: `Google: ${firstText(event, 'title') ?? `incident ${id}`} (${state})`,
        after: { products, locations, description: event.description },
        url: `https://status.cloud.google.com/incidents/${encodeURIComponent(id)}`,
        at,
      },
    ];
  },
};

/** Lists of names, of objects with a name, or one text with commas. */
function readNameList(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/\s*,\s*/).filter((text) => text !== '');
  return asArray(value).flatMap(
    (one) =>
      firstText({ one }, 'one') ??
      firstText(asObject(one), 'productName', 'locationName', 'name', 'id') ??
      [],
  );
}
