// The sources of alerts and of webhooks, one row each, apart from the adapters: most readers of the rows read
// no alerts. Names, routes, verification and the keys of webhooks.yaml follow from the rows.

/** A header with the HMAC of the body, in hexadecimal digits. */
export interface HmacHeader {
  /** The name of the header. */
  header: string;
  /** Default: `sha256`. */
  algorithm?: 'sha256' | 'sha512';
  /** Whether the digits can follow `sha256=`. Default: false. */
  hasPrefix?: boolean;
}

/** A scheme that has its own function in api/webhooks. */
export type WebhookScheme = 'grafana' | 'pagerduty' | 'sentry' | 'gitlab' | 'flux' | 'sns';

/** How a source proves that a request is its own. An empty row: the request has the shared secret. */
type WebhookProof =
  | {
      /** Default: none. */
      signature?: HmacHeader;
      /** The proof in the OpenAPI document. Default: the header of the signature, or those of the secret. */
      text?: string;
    }
  | { signature: WebhookScheme; text: string };

/** A source of alerts that has an adapter. */
interface AlertSource {
  /** Its name for people. */
  name: string;
  /** How its webhooks are verified. A source without it uses the webhook of `generic`. */
  webhook?: WebhookProof;
}

const ADAPTED = {
  alertmanager: { name: 'Alertmanager', webhook: { text: 'the secret in Authorization' } },
  'cloud-monitoring': { name: 'Cloud Monitoring' },
  grafana: {
    name: 'Grafana',
    webhook: {
      signature: 'grafana',
      text: 'X-Grafana-Alerting-Signature, or the secret in Authorization',
    },
  },
  pagerduty: { name: 'PagerDuty', webhook: { signature: 'pagerduty', text: 'X-PagerDuty-Signature' } },
  datadog: { name: 'Datadog', webhook: {} },
  opsgenie: { name: 'Opsgenie', webhook: {} },
  sentry: { name: 'Sentry', webhook: { signature: 'sentry', text: 'Sentry-Hook-Signature' } },
  // Its webhooks are those of SNS.
  aws: { name: 'AWS' },
  'azure-monitor': { name: 'Azure Monitor' },
  'new-relic': { name: 'New Relic' },
  dynatrace: { name: 'Dynatrace' },
  splunk: { name: 'Splunk' },
  checkmk: { name: 'Checkmk' },
} as const satisfies Record<string, AlertSource>;
type Adapted = typeof ADAPTED;
const ALERT_ROWS: Readonly<Record<string, AlertSource>> = ADAPTED;

/** Every value of an alert's `source`: those of the adapters, and `json` and `text` of the fallback. */
export const ALERT_SOURCES: readonly string[] = [...Object.keys(ALERT_ROWS), 'json', 'text'];

/** The name of a source for people; `its source` for the fallback's, which are only forms. */
export function nameOfSource(source: string): string {
  return (Object.hasOwn(ALERT_ROWS, source) ? ALERT_ROWS[source]?.name : undefined) ?? 'its source';
}

const CHANGES = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: { signature: { header: 'X-Hub-Signature-256', hasPrefix: true } },
  gitlab: { signature: 'gitlab', text: 'X-Gitlab-Token' },
  argocd: {},
  flux: { signature: 'flux', text: 'X-Signature, or the secret in Authorization' },
  // https://launchdarkly.com/docs/home/infrastructure/webhooks: optional there, and required here.
  launchdarkly: { signature: { header: 'X-LD-Signature' } },
  unleash: {},
  // https://developer.hashicorp.com/terraform/cloud-docs/workspaces/settings/notifications
  'terraform-cloud': { signature: { header: 'X-TFE-Notification-Signature', algorithm: 'sha512' } },
  cdevents: {},
  /** Any sender that can set a header. */
  changes: {},
} as const satisfies Record<string, WebhookProof>;

/** A source of alerts that shares a secret with us. `generic` is anything that can send one in a header. */
export type SecretSource =
  | { [S in keyof Adapted]: Adapted[S] extends { webhook: object } ? S : never }[keyof Adapted]
  | 'generic';
/** A source of changes, which also shares a secret. */
export type ChangeSource = keyof typeof CHANGES;
/** A source that webhooks are received from. SNS of AWS signs with a certificate, and shares nothing. */
export type WebhookSource = SecretSource | ChangeSource | 'sns';

const ALERTS = Object.fromEntries([
  ...Object.entries(ALERT_ROWS).flatMap(([source, { webhook }]) => (webhook ? [[source, webhook]] : [])),
  ['generic', {}],
]) as Record<SecretSource, WebhookProof>;
/** The sources of alerts that share a secret with us. */
export const SECRET_SOURCES = Object.keys(ALERTS) as SecretSource[];
/** The sources of changes. */
export const CHANGE_SOURCES = Object.keys(CHANGES) as ChangeSource[];

/** How each source proves itself. */
export const WEBHOOK_PROOFS: Readonly<Record<WebhookSource, WebhookProof>> = {
  ...ALERTS,
  ...CHANGES,
  sns: { signature: 'sns', text: 'the signature in the body, of a topic that webhooks.yaml names' },
};
