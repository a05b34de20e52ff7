// Names of workloads in results: hosts of addresses, and the workload whose text a result is. Only names that
// DNS and Kubernetes allow are read, so a text can put nothing else into an edge. Pure.

import { cutWorkloadName } from '../../alerts/alertLocation.ts';
import { asText } from '../../text/json.ts';
import { parseResource, resourceName } from '../../text/resource.ts';

/** A workload, as far as a text names it. */
export interface Workload {
  name: string;
  namespace?: string | undefined;
  cluster?: string | undefined;
  /** Absent: not known. */
  kind?: string | undefined;
}

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
/** A name of DNS with a letter, so no address of IPv4. */
const HOST = new RegExp(`^(?=[-a-z0-9.]*[a-z])${LABEL}(?:\\.${LABEL}){0,7}$`);
/** A workload of Kubernetes, or a service of another system. */
const NAME = /^[a-z0-9](?:[-a-z0-9._]{0,98}[a-z0-9])?$/i;
/** The machine itself, and services that every workload of a platform asks. */
const NOBODY = /^(?:localhost|metadata|kubernetes|.*\.local(?:host|domain)|metadata\..*|.*\.internal)$/;
const PLATFORM = /^(?:kube-system|istio-system|linkerd)$/;

/** A name if it is one; undefined for anything else. */
export const readName = (value: unknown): string | undefined => {
  const text = (asText(value) ?? '').trim();
  return NAME.test(text) && /[a-z]/i.test(text) ? text : undefined;
};

/** The hash of a replica set: it has no vowels. */
const SET = /-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/;

/** The canonical name of a workload. A pod or a replica set of a deployment counts as the deployment. */
export function workloadName({ name, namespace, cluster, kind }: Workload): string {
  const isSet = kind === 'ReplicaSet' && SET.test(name);
  if (isSet) return workloadName({ name: name.replace(SET, ''), namespace, cluster, kind: 'Deployment' });
  const workload = cutWorkloadName(name);
  if (namespace === undefined && kind === undefined)
    return resourceName({ system: 'service', product: null, parts: [workload] });
  const isPod = kind === 'Pod' && workload !== name;
  const parts = [cluster ?? null, namespace ?? null, isPod ? 'Deployment' : (kind ?? null), workload];
  return resourceName({ system: 'k8s', product: null, parts });
}

/** The canonical name of a host that a workload asks; undefined for one that names no other workload. */
export function hostName(host: string, from: Workload): string | undefined {
  const text = host.toLowerCase().replace(/\.$/, '');
  const labels = text.replace(/\.svc(?:\.[-a-z0-9.]+)?$/, '.svc').split('.');
  if (!HOST.test(text) || (labels.at(-1) !== 'svc' && NOBODY.test(text))) return undefined;
  const { cluster } = from;
  if (labels.at(-1) === 'svc') {
    const [service, namespace] = labels.slice(-3, -1);
    return service === undefined || namespace === undefined || PLATFORM.test(namespace)
      ? undefined
      : workloadName({ name: service, namespace, cluster, kind: 'Service' });
  }
  if (labels.length > 1) return resourceName({ system: 'host', product: null, parts: [text] });
  const { namespace } = from;
  return workloadName({ name: text, ...(namespace && { namespace, cluster, kind: 'Service' }) });
}

/** The arguments that name the workload of a call, the surest first. */
const SUBJECTS = [
  ...['pod', 'pod_name', 'podName', 'deployment', 'statefulset', 'workload'],
  ...['service', 'service_name', 'serviceName', 'app', 'app_name', 'appName', 'name'],
];
const KINDS: Readonly<Record<string, string>> = {
  pod: 'Pod',
  deployment: 'Deployment',
  replicaset: 'ReplicaSet',
  statefulset: 'StatefulSet',
  daemonset: 'DaemonSet',
  job: 'Job',
  cronjob: 'CronJob',
};
const IN_QUERY =
  /\b(?:(?:k8s_)?pod(?:_name)?|deployment|app|service(?:[._]name)?|workload)\s*=~?\s*"([-\w.]+?)(?:-?\.[*+])?"/;
const NAMESPACE_IN_QUERY = /\b(?:k8s_)?namespace(?:_name)?\s*=\s*"([-a-z0-9]+)"/;
const IN_LINE =
  /"(?:(?:k8s_)?pod(?:_name|Name)?|service(?:[._]name|Name)?|app|deployment)"\s*:\s*"([-a-z0-9.]{1,120})"/;
const NAMESPACE_IN_LINE = /"(?:k8s_)?namespace(?:_name)?"\s*:\s*"([-a-z0-9]{1,63})"/;

/** The workload that a call asks about; undefined where its arguments name none. */
export function subjectOfCall(args: Readonly<Record<string, unknown>>): Workload | undefined {
  const queries = Object.values(args).filter((value) => typeof value === 'string' && value.length < 5_000);
  const query = queries.join('\n');
  const namespace = readName(args.namespace) ?? NAMESPACE_IN_QUERY.exec(query)?.[1];
  const cluster = readName(args.cluster);
  const named = SUBJECTS.flatMap((key) => readName(args[key]) ?? [])[0] ?? IN_QUERY.exec(query)?.[1];
  const kind = KINDS[(asText(args.kind ?? args.resource_type) ?? '').toLowerCase().replace(/s$/, '')];
  return named === undefined ? undefined : { name: named, namespace, cluster, kind };
}

/** The workload that a line of several names; undefined for one that names none. */
export function subjectOfLine(line: string): Workload | undefined {
  const name = readName(IN_LINE.exec(line)?.[1]);
  const namespace = readName(NAMESPACE_IN_LINE.exec(line)?.[1]);
  return name === undefined ? undefined : { name, namespace };
}

/** The last part of a canonical name, without the hashes of a pod or a replica set: edges are found by it. */
export function shortName(resource: string): string {
  const { parts } = parseResource(resource) ?? { parts: [resource] };
  const name = parts.at(-1) ?? '';
  return parts.at(-2) === 'ReplicaSet' ? name.replace(SET, '') : cutWorkloadName(name);
}
