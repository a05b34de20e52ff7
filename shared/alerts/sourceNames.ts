// The sources of alerts and their names, apart from the adapters: most readers of the names read no alerts.

/** The names for people of the sources that have an adapter. */
const ADAPTER_NAMES: Readonly<Record<string, string>> = {
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

/** Every value of an alert's `source`: those of the adapters, and `json` and `text` of the fallback. */
export const ALERT_SOURCES: readonly string[] = [...Object.keys(ADAPTER_NAMES), 'json', 'text'];

/** The name of a source for people; `its source` for the fallback's, which are only forms. */
export function nameOfSource(source: string): string {
  return (Object.hasOwn(ADAPTER_NAMES, source) ? ADAPTER_NAMES[source] : undefined) ?? 'its source';
}
