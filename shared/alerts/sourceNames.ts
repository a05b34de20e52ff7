// The names of alert sources, for people.

import type { ALERT_SOURCES } from '../schema/alertSource.ts';

const NAMES: Record<Exclude<(typeof ALERT_SOURCES)[number], 'json' | 'text'>, string> = {
  alertmanager: 'Alertmanager',
  'cloud-monitoring': 'Cloud Monitoring',
  grafana: 'Grafana',
  pagerduty: 'PagerDuty',
  datadog: 'Datadog',
  opsgenie: 'Opsgenie',
  sentry: 'Sentry',
  aws: 'AWS',
  'azure-monitor': 'Azure Monitor',
  'new-relic': 'New Relic',
  dynatrace: 'Dynatrace',
  splunk: 'Splunk',
  checkmk: 'Checkmk',
};

/** The name of the source that an adapter reads; `its source` for those of which only the form is known. */
export function nameOfSource(source: string): string {
  return Object.hasOwn(NAMES, source) ? NAMES[source as keyof typeof NAMES] : 'its source';
}
