// The names of the sources that webhooks are received from.

/** Sources that share a secret with us; `generic` is anything that can send one in a header. */
export const SECRET_SOURCES = [
  'alertmanager',
  'grafana',
  'pagerduty',
  'sentry',
  'datadog',
  'opsgenie',
  'generic',
] as const;
/** A source that shares a secret with us. */
export type SecretSource = (typeof SECRET_SOURCES)[number];

/** Sources of changes, which also share a secret; `changes` is any sender that can set a header. */
export const CHANGE_SOURCES = [
  ...(['github', 'gitlab', 'argocd', 'flux', 'launchdarkly', 'unleash'] as const),
  ...(['terraform-cloud', 'cdevents', 'changes'] as const),
] as const;
/** A source of changes. */
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/** A source that webhooks are received from. SNS of AWS signs with a certificate, and shares nothing. */
export type WebhookSource = SecretSource | ChangeSource | 'sns';
