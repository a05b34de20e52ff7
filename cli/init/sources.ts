// Sources of alerts for `inquest init`: their entry in webhooks.yaml, and lines to paste there.

import { randomBytes } from 'node:crypto';

/** A source of alerts. */
export interface AlertSource {
  /** For people. */
  title: string;
  /** The variable with the secret of its webhooks; undefined where alerts arrive through Pub/Sub. */
  secretEnv?: string;
  /** Whether the source makes the secret, and shows it when its webhook is created. */
  makesSecret?: true;
  /** The lines to paste at the source. `host` is the address that it reaches, without a path. */
  recipe(host: string): string;
}

/** A secret for webhooks. */
export const newSecret = (): string => randomBytes(32).toString('hex');

/** The sources by the name that webhooks.yaml has. */
export const ALERT_SOURCES = {
  alertmanager: {
    title: 'Alertmanager of Prometheus',
    secretEnv: 'ALERTMANAGER_WEBHOOK_SECRET',
    recipe: (host) => `In alertmanager.yml; the file holds the value of ALERTMANAGER_WEBHOOK_SECRET:

route:
  receiver: inquest
receivers:
  - name: inquest
    webhook_configs:
      - url: ${host}/v1/webhooks/alertmanager
        send_resolved: true
        http_config:
          authorization: { type: Bearer, credentials_file: /etc/alertmanager/inquest-secret }`,
  },
  'cloud-monitoring': {
    title: 'Cloud Monitoring of Google Cloud',
    recipe: () => `In the project of the alerts. PROJECT is the one where Inquest is deployed:

gcloud beta monitoring channels create --display-name=Inquest --type=pubsub \\
  --channel-labels=topic=projects/PROJECT/topics/alerts
gcloud pubsub topics add-iam-policy-binding projects/PROJECT/topics/alerts --role=roles/pubsub.publisher \\
  --member=serviceAccount:service-$(gcloud projects describe ALERTS_PROJECT --format='value(projectNumber)')@gcp-sa-monitoring-notification.iam.gserviceaccount.com

Then choose the channel in the notifications of your alert policies.`,
  },
  grafana: {
    title: 'Grafana Alerting, from version 12',
    secretEnv: 'GRAFANA_WEBHOOK_SECRET',
    recipe: (host) => `Alerting, Contact points, New, type Webhook:

URL                                 ${host}/v1/webhooks/grafana
HMAC Signature, Secret              the value of GRAFANA_WEBHOOK_SECRET
HMAC Signature, Timestamp Header    X-Grafana-Alerting-Timestamp`,
  },
  pagerduty: {
    title: 'PagerDuty',
    secretEnv: 'PAGERDUTY_WEBHOOK_SECRET',
    makesSecret: true,
    recipe: (host) => `Integrations, Generic Webhooks (v3), New Webhook:

Webhook URL    ${host}/v1/webhooks/pagerduty
Events         incident.*

PagerDuty shows the secret once: store it as PAGERDUTY_WEBHOOK_SECRET.`,
  },
  datadog: {
    title: 'Datadog',
    secretEnv: 'DATADOG_WEBHOOK_SECRET',
    recipe: (host) => `Integrations, Webhooks, New; then @webhook-inquest in the message of your monitors:

Name              inquest
URL               ${host}/v1/webhooks/datadog
Payload           {"alert_id": "$ALERT_ID", "alert_cycle_key": "$ALERT_CYCLE_KEY", "aggreg_key": "$AGGREG_KEY",
                   "alert_title": "$ALERT_TITLE", "alert_transition": "$ALERT_TRANSITION",
                   "alert_priority": "$ALERT_PRIORITY", "alert_metric": "$ALERT_METRIC", "hostname": "$HOSTNAME",
                   "tags": "$TAGS", "link": "$LINK", "text_only_msg": "$TEXT_ONLY_MSG", "date": "$DATE"}
Custom Headers    {"X-Webhook-Secret": "the value of DATADOG_WEBHOOK_SECRET"}`,
  },
  sentry: {
    title: 'Sentry',
    secretEnv: 'SENTRY_WEBHOOK_SECRET',
    makesSecret: true,
    recipe: (host) => `Settings, Developer Settings, New Internal Integration:

Webhook URL          ${host}/v1/webhooks/sentry
Alert Rule Action    on
Webhooks             issue

Store its Client Secret as SENTRY_WEBHOOK_SECRET, and choose the integration as an action of your alert rules.`,
  },
} as const satisfies Record<string, AlertSource>;

/** The name of a source. */
export type SourceName = keyof typeof ALERT_SOURCES;

/** All names, the default first. */
export const SOURCE_NAMES = Object.keys(ALERT_SOURCES) as SourceName[];
