// All alert adapters; sources.ts has the name of each. Each recognises payloads that no other adapter
// recognises; the fallback reads all others.

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
