// The names of the sources that alerts are read from, for those who have to know them without reading an alert.

/** What the adapters of shared/alerts/ write into `source` of an alert. */
export const ALERT_SOURCES = [
  'alertmanager',
  'cloud-monitoring',
  'grafana',
  'pagerduty',
  'datadog',
  'opsgenie',
  'sentry',
  'aws',
  'azure-monitor',
  'new-relic',
  'dynatrace',
  'splunk',
  'checkmk',
  'json',
  'text',
] as const;
