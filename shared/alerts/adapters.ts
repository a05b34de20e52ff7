// All alert adapters, and with them the sources of alerts. Each recognises payloads that no other adapter recognises; the
// fallback reads all others.

import { alertmanager } from './adapters/alertmanager.ts';
import { aws } from './adapters/aws.ts';
import { azureMonitor } from './adapters/azureMonitor.ts';
import { checkmk } from './adapters/checkmk.ts';
import { cloudMonitoring } from './adapters/cloudMonitoring.ts';
import { datadog } from './adapters/datadog.ts';
import { dynatrace } from './adapters/dynatrace.ts';
import { grafana } from './adapters/grafana.ts';
import { newRelic } from './adapters/newRelic.ts';
import { opsgenie } from './adapters/opsgenie.ts';
import { pagerDuty } from './adapters/pagerDuty.ts';
import { sentry } from './adapters/sentry.ts';
import { splunk } from './adapters/splunk.ts';
import type { AlertAdapter } from './fields/adapter.ts';

/** Tried in this order; the first that recognises a payload reads it. */
export const ADAPTERS: readonly AlertAdapter[] = [
  alertmanager,
  cloudMonitoring,
  grafana,
  pagerDuty,
  datadog,
  opsgenie,
  sentry,
  aws,
  azureMonitor,
  newRelic,
  dynatrace,
  splunk,
  checkmk,
];

/** Every value of an alert's `source`: those of the adapters, and `json` and `text` of the fallback. */
export const ALERT_SOURCES: readonly string[] = [...ADAPTERS.map(({ source }) => source), 'json', 'text'];

/** The name of a source for people; `its source` for the fallback's, which are only forms. */
export function nameOfSource(source: string): string {
  return ADAPTERS.find((adapter) => adapter.source === source)?.name ?? 'its source';
}
