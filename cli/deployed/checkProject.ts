// Checks of the project: its APIs and its quota.

import { neededApis } from '../deploy/apis.ts';
import { SERVICE_USAGE } from '../google/addresses.ts';
import { type DeployedSystem, redeploy } from './deployedSystem.ts';
import { absent, type Finding, missing, ok } from './finding.ts';

/** Whether the APIs that the installation calls are enabled. */
export async function checkApis(system: DeployedSystem): Promise<Finding[]> {
  const { google, target, manifest, settings } = system;
  const enabled = await google.list<{ name: string }>(
    `${SERVICE_USAGE}/v1/projects/${target.project}/services?filter=state:ENABLED&pageSize=200`,
    'services',
  );
  const names = enabled.map(({ name }) => name.split('/').at(-1));
  const needed = neededApis(manifest, settings);
  const disabled = needed.filter((api) => !names.includes(api));
  if (disabled.length === 0) return [ok('APIs', `all ${needed.length} are enabled`)];
  return [
    missing(
      'APIs',
      `not enabled: ${disabled.join(', ')}. gcloud services enable ${disabled.join(' ')} --project=${target.project}; or ${redeploy(system)}`,
    ),
  ];
}

interface QuotaMetric {
  metric: string;
  displayName?: string;
  consumerQuotaLimits?: {
    quotaBuckets?: { effectiveLimit?: string; dimensions?: Record<string, string> }[];
  }[];
}

/**
 * Whether the quota of CPUs in the region allows the largest number of instances of all services. Below it,
 * Cloud Run answers 429 although a service has fewer instances than its maximum.
 */
export async function checkQuota({ google, target, manifest }: DeployedSystem): Promise<Finding[]> {
  const part = 'quota of CPUs';
  const { project, region } = target;
  const metrics = await google.list<QuotaMetric>(
    `${SERVICE_USAGE}/v1beta1/projects/${project}/services/run.googleapis.com/consumerQuotaMetrics`,
    'metrics',
  );
  // Google names the metric in milli vCPU: "Total CPU allocation, in milli vCPU, per project per region".
  const limits = metrics
    .filter(
      ({ displayName = '', metric }) => /milli\s?v?cpu/i.test(displayName) || /cpu_allocation/.test(metric),
    )
    .flatMap(({ consumerQuotaLimits = [] }) => consumerQuotaLimits)
    .flatMap(({ quotaBuckets = [] }) => quotaBuckets)
    .filter(({ dimensions }) => dimensions?.region === undefined || dimensions.region === region);
  const own = limits.find(({ dimensions }) => dimensions?.region === region) ?? limits[0];
  if (own?.effectiveLimit === undefined) return [absent(part, 'Google reports none for the region')];
  const milli = Number(own.effectiveLimit);
  const needed = manifest.services.reduce(
    (sum, { instance }) => sum + instance.maxInstances * instance.cpus,
    0,
  );
  // A negative limit is no limit.
  if (milli < 0 || milli >= needed * 1000)
    return [ok(part, `${needed} CPUs at most, which the quota of ${region} allows`)];
  const calls = manifest.services.reduce(
    (sum, { instance }) => sum + instance.maxInstances * instance.concurrency,
    0,
  );
  return [
    missing(
      part,
      `${region} allows ${milli / 1000} CPUs, the services need ${needed} for all instances (${calls} calls at once). Request more: https://console.cloud.google.com/iam-admin/quotas?project=${project}`,
    ),
  ];
}
