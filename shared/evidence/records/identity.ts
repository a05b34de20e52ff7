// Which object a record belongs to, and which records are its siblings. Names are compared whole; labels,
// annotations and messages never count. Pure.

import { parseResource } from '../../text/resource.ts';
import type { StateRecord } from './record.ts';

/** An object, with its controllers where the record lists them. */
interface Named {
  kind: string;
  name: string;
  owners?: readonly Named[];
}

/** The endings of the names that a controller gives to its objects, by both kinds. A hash has a digit. */
const HASH = '-(?=[a-z]*\\d)[a-z0-9]{8,10}';
const ENDINGS: Readonly<Record<string, RegExp>> = {
  'Pod Deployment': new RegExp(`^${HASH}-[a-z0-9]{5}$`),
  'Pod ReplicaSet': /^-[a-z0-9]{5}$/,
  'Pod DaemonSet': /^-[a-z0-9]{5}$/,
  'Pod Job': /^-[a-z0-9]{5}$/,
  'Pod CronJob': /^-\d{8,10}-[a-z0-9]{5}$/,
  'Pod StatefulSet': /^-\d+$/,
  'ReplicaSet Deployment': new RegExp(`^${HASH}$`),
  'Job CronJob': /^-\d{8,10}$/,
};
const MAX_OWNERS = 4;

/**
 * Whether a record is of a component: of the object itself, of an object below it, for a node of a pod on it,
 * and of a series whose labels name one of these.
 * @param component a canonical name: `k8s:CLUSTER/NS/Deployment/checkout`, `service:NAME`.
 * @param records those of the session, for owners of owners, and for other owners that a name can have.
 */
export function isRecordOfComponent(
  record: StateRecord,
  component: string,
  records: readonly StateRecord[],
): boolean {
  const resource = parseResource(component);
  if (resource === undefined || resource.product !== null) return false;
  const { identity, kind } = record;
  const { cluster: itsCluster = null, namespace: itsNamespace, node, owners, name } = identity;
  const own: Named = { kind, name, ...((record.isObject || owners.length > 0) && { owners }) };
  const starts = kind === 'series' ? owners : [own];
  if (resource.system !== 'k8s') {
    // Labels of samples name a service, or a host with its port or in an address.
    const [wanted] = resource.parts;
    const hostOf = (text: string) => text.replace(/^https?:\/\//, '').replace(/[:/].*$/, '');
    return starts.some((one) => one.kind === resource.system && hostOf(one.name) === wanted);
  }
  const [cluster, namespace, wantedKind, wanted] = resource.parts;
  if (typeof wantedKind !== 'string' || typeof wanted !== 'string') return false;
  if (cluster !== null && itsCluster !== null && itsCluster !== cluster) return false;
  if (wantedKind === 'Node' && node === wanted) return true;
  if (namespace !== null && namespace !== itsNamespace) return false;
  const near = records.filter((one) => one.identity.namespace === itsNamespace);
  return starts.some((one) => isBelow(one, { kind: wantedKind, name: wanted }, near, 0));
}

function isBelow(one: Named, top: Named, near: readonly StateRecord[], depth: number): boolean {
  if (isEqualIdentity(one, top)) return true;
  if (depth === MAX_OWNERS) return false;
  const known = near.find(
    ({ kind, isObject, identity: { name } }) => isObject && isEqualIdentity({ kind, name }, one),
  );
  const owners = one.owners ?? known?.identity.owners;
  if (owners !== undefined) return owners.some((owner) => isBelow(owner, top, near, depth + 1));
  if (!isNamedBy(one, top)) return false;
  // Another controller whose name is a prefix can be the owner as well.
  return !near
    .flatMap(({ kind, identity }): Named[] => [{ kind, name: identity.name }, ...identity.owners])
    .some(
      (other) =>
        !isEqualIdentity(other, top) &&
        isNamedBy(one, other) &&
        !isNamedBy(other, top) &&
        !isNamedBy(top, other),
    );
}

const isEqualIdentity = (a: Named, b: Named): boolean => a.kind === b.kind && a.name === b.name;

const isNamedBy = (one: Named, owner: Named): boolean =>
  one.name.startsWith(owner.name) &&
  ENDINGS[`${one.kind} ${owner.kind}`]?.test(one.name.slice(owner.name.length)) === true;

/** Labels in which the series of one job differ. */
const SIBLING_LABELS = ['pod', 'instance', 'node', 'revision', 'version', 'zone'];

/**
 * The records of the same kind and controller: of other pods (of the same container there), other nodes,
 * other series of the job.
 */
export function findSiblings(record: StateRecord, records: readonly StateRecord[]): StateRecord[] {
  const { kind, container, series, identity } = record;
  const alike = records.filter((one) => one.kind === kind && one.container === container);
  if (series !== undefined)
    return alike.filter(({ series: other }) => {
      if (other?.metric !== series.metric || other.labels.job !== series.labels.job) return false;
      return SIBLING_LABELS.some((label) => other.labels[label] !== series.labels[label]);
    });
  const controller = findController(record);
  return alike.filter((one) => {
    if (one.identity.name === identity.name || one.identity.namespace !== identity.namespace) return false;
    if (one.identity.cluster !== identity.cluster) return false;
    const its = findController(one);
    return (
      kind === 'Node' || (controller !== undefined && its !== undefined && isEqualIdentity(controller, its))
    );
  });
}

/** The direct controller: as an object lists it, else as a pod's name has it. */
function findController({ kind, isObject, identity: { name, owners } }: StateRecord): Named | undefined {
  return isObject || owners.length > 0 || kind !== 'Pod' ? owners[0] : readController(name);
}

function readController(pod: string): Named | undefined {
  const [, set] = new RegExp(`^(.+${HASH})-[a-z0-9]{5}$`).exec(pod) ?? [];
  if (set !== undefined) return { kind: 'ReplicaSet', name: set };
  const [, stateful] = /^(.+)-\d+$/.exec(pod) ?? [];
  return stateful === undefined ? undefined : { kind: 'StatefulSet', name: stateful };
}

/** The name of the ReplicaSet of a pod, or of the pod that a series names; undefined for other records. */
export function findReplicaSet(record: StateRecord): string | undefined {
  const pod = record.identity.owners.find(({ kind }) => kind === 'Pod');
  const named = record.kind === 'series' && pod !== undefined ? readController(pod.name) : undefined;
  const controller = record.kind === 'Pod' ? findController(record) : named;
  return controller?.kind === 'ReplicaSet' ? controller.name : undefined;
}

/**
 * Whether an object is Ready since before a time, and none of its containers started after it. False where
 * its records do not state it; series are compared by their samples instead.
 */
export function isWellSince(record: StateRecord, records: readonly StateRecord[], ms: number): boolean {
  if (record.kind === 'series') return true;
  const { fields } = record.of ?? record;
  const isBefore = (time: unknown): boolean => typeof time === 'string' && Date.parse(time) < ms;
  if (fields.get('status.conditions[Ready].status')?.value !== 'True') return false;
  if (!isBefore(fields.get('status.conditions[Ready].lastTransitionTime')?.value)) return false;
  const containers = records.filter(({ of }) => of !== undefined && of === (record.of ?? record));
  return containers.every(({ fields: own }) => {
    if (own.has('state.waiting.reason')) return false;
    const started = own.get('state.running.startedAt')?.value;
    return started === undefined ? own.has('state.terminated.reason') : isBefore(started);
  });
}
