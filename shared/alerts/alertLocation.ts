// Locates the problem of an alert: workload, namespace, cluster and project, from the labels of its source.

/** A place. Missing parts are null. */
export interface Place {
  /** The deployment, service, host or other object that has the problem. */
  workload: string | null;
  /** The Kubernetes namespace, or the group that holds the workload. */
  namespace: string | null;
  /** The cluster, or the environment, region or site where the source knows no cluster. */
  cluster: string | null;
  /** The cloud project, account or subscription. */
  project: string | null;
}

type Part = keyof Place;
type Names = Partial<Record<Part, readonly string[]>>;

/** Labels that mean the same in all sources. */
const COMMON: Record<Part, readonly string[]> = {
  workload: [
    'deployment',
    'statefulset',
    'daemonset',
    'cronjob',
    'job_name',
    'workload',
    'horizontalpodautoscaler',
    'exported_pod',
    'pod',
    'pod_name',
    'persistentvolumeclaim',
    'exported_container',
    'container',
    'exported_service',
    'service',
    'service_name',
    'app',
    'node',
    'nodename',
    'host',
    'hostname',
    'resource',
    'entity',
    'target',
    'component',
    'instance',
  ],
  namespace: ['exported_namespace', 'namespace', 'kube_namespace', 'k8s_namespace_name'],
  cluster: ['cluster', 'cluster_name', 'kube_cluster_name', 'k8s_cluster_name', 'env', 'environment'],
  project: ['project_id', 'project', 'account', 'subscription'],
};

/** Labels of single sources, which come before the common ones. */
const BY_SOURCE: Record<string, Names> = {
  'cloud-monitoring': {
    workload: [
      'top_level_controller_name',
      'pod_name',
      'container_name',
      'service_name',
      'function_name',
      'job_name',
      'node_name',
      'database_id',
      'instance_name',
      'subscription_id',
      'topic_id',
      'queue_id',
      'bucket_name',
      'backend_target_name',
      'module_id',
      'instance_id',
      'host',
    ],
    namespace: ['namespace_name'],
    cluster: ['cluster_name', 'location', 'zone', 'region'],
  },
  aws: {
    workload: [
      'ServiceName',
      'FunctionName',
      'DBInstanceIdentifier',
      'DBClusterIdentifier',
      'LoadBalancer',
      'AutoScalingGroupName',
      'QueueName',
      'TableName',
      'InstanceId',
      'service',
    ],
    // `namespace` is that of a metric, such as AWS/ELB.
    namespace: [],
    cluster: ['ClusterName', 'region'],
  },
  'azure-monitor': { namespace: ['resource_group'] },
  // `service` is the check that failed.
  checkmk: { workload: ['host'], cluster: ['site'] },
  datadog: { workload: ['kube_deployment', 'kube_stateful_set', 'pod_name', 'service', 'host'] },
  pagerduty: { namespace: ['group'], cluster: ['source'] },
  sentry: { workload: ['project', 'server_name'], project: [] },
};

/** Sources whose own label of a part replaces the common ones. */
const OWN_ONLY: Record<string, readonly Part[]> = { aws: ['namespace'], sentry: ['project'] };

/** Exporters: alerts about measured objects name them in `service`, `container`, `pod` and `instance`. */
const SCRAPER =
  /(?:^|[-_.])(?:kube-state-metrics|node-exporter|cadvisor|kubelet|[\w-]*exporter|prometheus(?:-operated|-server)?|otel-collector)(?:[-_.:]|$)/i;
/** The labels that a scraper fills with itself. */
const SCRAPED = new Set(['service', 'container', 'pod', 'instance', 'app', 'service_name', 'namespace']);

/** A pod of a deployment: its hashes have no vowels. */
const POD = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** An application load balancer of AWS: `app/checkout/50dc6c495c0c9188`. */
const LOAD_BALANCER = /^(?:app|net)\/([^/]+)\/[0-9a-f]+$/;
const LONGEST = 120;

/** The source and the labels of an alert. */
export interface Labelled {
  /** The adapter that read it. */
  source: string;
  /** Names and values. */
  labels: Readonly<Record<string, string>>;
}

/** A label that gives a part of a place. */
export interface PlaceLabel {
  /** Name of the label. */
  name: string;
  /** Its value, cut. */
  value: string;
}

/** The place of an alert, from its source and labels. A pod of a deployment is shown as the deployment. */
export function locateAlertPlace(alert: Labelled): Place {
  const { workload, namespace, cluster, project } = placeLabels(alert);
  return {
    workload: workload === null ? null : cutWorkloadName(workload.value),
    namespace: namespace?.value ?? null,
    cluster: cluster?.value ?? null,
    project: project?.value ?? null,
  };
}

/** The labels that give the parts of an alert's place; null for a part that no label gives. */
export function placeLabels({ source, labels }: Labelled): Record<Part, PlaceLabel | null> {
  const isScraped = Object.entries(labels).some(([name, value]) => SCRAPED.has(name) && isScraper(value));
  const partOf = (part: Part): PlaceLabel | null => {
    const own = BY_SOURCE[source]?.[part] ?? [];
    const names = OWN_ONLY[source]?.includes(part) ? own : [...own, ...COMMON[part]];
    for (const name of names) {
      const value = labels[name]?.trim() ?? '';
      if (value !== '' && !isOfScraper(name, value, isScraped) && !isNumberOfIssue(source, name, value))
        return { name, value: value.slice(0, LONGEST) };
    }
    return null;
  };
  return {
    workload: partOf('workload'),
    namespace: partOf('namespace'),
    cluster: partOf('cluster'),
    project: partOf('project'),
  };
}

/** Reads only the characters that can be shown: on a long value the expression takes quadratic time. */
const isScraper = (value: string): boolean => SCRAPER.test(value.slice(0, LONGEST));

/** Whether a label names the scraper, or the address at which it was scraped. */
function isOfScraper(name: string, value: string, isScraped: boolean): boolean {
  if (!SCRAPED.has(name) || name === 'namespace') return false;
  return isScraper(value) || (isScraped && name === 'instance' && /:\d+$/.test(value));
}

/** Sentry names projects by their number in some messages. */
function isNumberOfIssue(source: string, name: string, value: string): boolean {
  return source === 'sentry' && name === 'project' && /^\d+$/.test(value);
}

/** The name of a workload, without the hashes of a pod or of a load balancer. */
export function cutWorkloadName(workload: string): string {
  return POD.exec(workload)?.[1] ?? LOAD_BALANCER.exec(workload)?.[1] ?? workload;
}

/** A place on one line: `shop/checkout · shop-prod`; empty when nothing is known. */
export function placeText({ workload, namespace, cluster, project }: Place): string {
  const object = [namespace, workload].filter((part) => part !== null).join('/');
  return [object, cluster, project].filter((part) => part !== null && part !== '').join(' · ');
}
