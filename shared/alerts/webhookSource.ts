// The sources that webhooks are received from, one row each. Routes, verification and the keys of
// webhooks.yaml follow from the rows.

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

const ALERTS = {
  alertmanager: { text: 'the secret in Authorization' },
  grafana: {
    signature: 'grafana',
    text: 'X-Grafana-Alerting-Signature, or the secret in Authorization',
  },
  pagerduty: { signature: 'pagerduty', text: 'X-PagerDuty-Signature' },
  sentry: { signature: 'sentry', text: 'Sentry-Hook-Signature' },
  datadog: {},
  opsgenie: {},
  /** Anything that can send a secret in a header. */
  generic: {},
} as const satisfies Record<string, WebhookProof>;

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

/** A source of alerts that shares a secret with us. */
export type SecretSource = keyof typeof ALERTS;
/** A source of changes, which also shares a secret. */
export type ChangeSource = keyof typeof CHANGES;
/** A source that webhooks are received from. SNS of AWS signs with a certificate, and shares nothing. */
export type WebhookSource = SecretSource | ChangeSource | 'sns';

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
