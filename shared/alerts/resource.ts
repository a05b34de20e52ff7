// The canonical resource of an alert, from the labels of its place, and its service in resources.yaml.

import { isSameResource, parseResource, type Resource, resourceName } from '../text/resource.ts';
import {
  cutWorkloadName,
  type Labelled,
  locateAlertPlace,
  type Place,
  type PlaceLabel,
  placeLabels,
} from './alertLocation.ts';

/** A service of resources.yaml. */
export interface Service {
  /** Canonical resources that it runs as, or that belong to it. */
  workloads: string[];
  /** `git:OWNER/REPO`; null without one. */
  repository: string | null;
  /** Canonical names of feature flags. */
  flags: string[];
  /** Addresses of pages. */
  dashboards: string[];
  /** Names of services, or canonical resources. */
  dependencies: string[];
}

/** The services of resources.yaml, by name. */
export type Services = Readonly<Record<string, Service>>;

/** Where the problem of an alert is. */
export interface Located {
  /** For people. */
  place: Place;
  /** The canonical name; null if no label names an object. */
  resource: string | null;
  /** The service of resources.yaml; null if none, or more than one, has the resource. */
  service: string | null;
  /** The services that could have the resource, if it is more than one. */
  candidates: string[];
}

/** Labels that name an object of Kubernetes, with its kind. */
const KINDS: Readonly<Record<string, string>> = {
  deployment: 'Deployment',
  kube_deployment: 'Deployment',
  statefulset: 'StatefulSet',
  kube_stateful_set: 'StatefulSet',
  daemonset: 'DaemonSet',
  cronjob: 'CronJob',
  horizontalpodautoscaler: 'HorizontalPodAutoscaler',
  persistentvolumeclaim: 'PersistentVolumeClaim',
  pod: 'Pod',
  pod_name: 'Pod',
  exported_pod: 'Pod',
  node: 'Node',
  node_name: 'Node',
};
/** Labels of one source that name an object of its cloud, with the product. */
const PRODUCTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cloud-monitoring': {
    service_name: 'run',
    function_name: 'functions',
    database_id: 'sql',
    instance_id: 'compute',
    subscription_id: 'pubsub',
    topic_id: 'pubsub',
    queue_id: 'tasks',
    bucket_name: 'storage',
  },
  aws: {
    ServiceName: 'ecs',
    FunctionName: 'lambda',
    DBInstanceIdentifier: 'rds',
    DBClusterIdentifier: 'rds',
    LoadBalancer: 'elb',
    AutoScalingGroupName: 'autoscaling',
    QueueName: 'sqs',
    TableName: 'dynamodb',
    InstanceId: 'ec2',
  },
};
const HOSTS = new Set(['host', 'hostname', 'nodename', 'instance', 'server_name']);

/** The place, the resource and the service of an alert. Pure: equal labels give equal answers. */
export function locateAlert(alert: Labelled, services: Services = {}): Located {
  const labels = placeLabels(alert);
  const place = locateAlertPlace(alert);
  const named = labels.workload === null ? null : toAlertResource(alert, labels.workload, place);
  if (named === null) return { place, resource: null, service: null, candidates: [] };
  const resource = resourceName(named);
  const matches = Object.entries(services).flatMap(([service, { workloads }]) => {
    const own = named.system === 'service' && named.parts[0] === service ? [resource] : [];
    const found = [...own, ...workloads.filter((one) => isSameResource(named, parseResource(one)))];
    return found.map((one) => ({ service, resource: one }));
  });
  const owners = [...new Set(matches.map(({ service }) => service))];
  const [owner = null] = owners;
  if (owners.length !== 1) return { place, resource, service: null, candidates: owners };
  // The file completes a name of which labels lack a part.
  const [whole] = matches;
  return {
    place,
    resource: matches.length === 1 && whole ? whole.resource : resource,
    service: owner,
    candidates: [],
  };
}

function toAlertResource({ source, labels }: Labelled, { name, value }: PlaceLabel, place: Place): Resource {
  const { namespace, cluster, project } = place;
  const workload = cutWorkloadName(value);
  const controller = name === 'top_level_controller_name' ? labels.top_level_controller_type : undefined;
  const kind = controller ?? (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined);
  if (kind !== undefined) {
    // A pod whose name has the hashes of a deployment.
    const isDeployment = kind === 'Pod' && workload !== value;
    const isNode = kind === 'Node';
    const parts = [cluster, isNode ? null : namespace, isDeployment ? 'Deployment' : kind, workload];
    return { system: 'k8s', product: null, parts };
  }
  const product = PRODUCTS[source]?.[name];
  if (source === 'cloud-monitoring' && product !== undefined)
    return { system: 'gcp', product, parts: [project, cluster, workload] };
  if (source === 'aws' && product !== undefined)
    return { system: 'aws', product, parts: [project, labels.region ?? null, workload] };
  if (source === 'azure-monitor')
    return { system: 'azure', product: 'resource', parts: [project, namespace, workload] };
  if (HOSTS.has(name)) return { system: 'host', product: null, parts: [workload.replace(/:\d+$/, '')] };
  return { system: 'service', product: null, parts: [workload] };
}
