// What the routes of all webhooks have in common.

import { CHANGE_SOURCES, type ChangeSource, type WebhookSource } from '../../alerts/webhookSource.ts';
import type { Route } from '../http/route.ts';
import { ALERT_PROBLEMS } from '../http/submitAlert.ts';
import { identifyDelivery } from './deliveryId.ts';
import { identifyWebhook } from './identifyWebhook.ts';

/** The proof of each source, for the OpenAPI document. */
const PROOFS = {
  alertmanager: 'the secret in Authorization',
  grafana: 'X-Grafana-Alerting-Signature, or the secret in Authorization',
  pagerduty: 'X-PagerDuty-Signature',
  sentry: 'Sentry-Hook-Signature',
  datadog: 'the secret in Authorization or X-Webhook-Secret',
  opsgenie: 'the secret in Authorization or X-Webhook-Secret',
  generic: 'the secret in Authorization or X-Webhook-Secret',
  github: 'X-Hub-Signature-256',
  gitlab: 'X-Gitlab-Token',
  flux: 'X-Signature, or the secret in Authorization',
  launchdarkly: 'X-LD-Signature',
  'terraform-cloud': 'X-TFE-Notification-Signature',
  argocd: 'the secret in Authorization or X-Webhook-Secret',
  unleash: 'the secret in Authorization or X-Webhook-Secret',
  cdevents: 'the secret in Authorization or X-Webhook-Secret',
  changes: 'the secret in Authorization or X-Webhook-Secret',
  sns: 'the signature in the body, of a topic that webhooks.yaml names',
} as const satisfies Record<WebhookSource, string>;

const isChangeSource = (source: WebhookSource): source is ChangeSource =>
  CHANGE_SOURCES.some((one) => one === source);

/** What the routes of all sources have in common. */
export const webhookOf = (source: WebhookSource) =>
  ({
    method: 'post',
    path: `/v1/webhooks/${source}`,
    id: `receive_${source.replaceAll('-', '_')}`,
    summary:
      source === 'generic' ? 'Accepts a webhook of any other source' : `Accepts a webhook of ${source}`,
    description: `Publishes its ${isChangeSource(source) ? 'change like `submitChange`' : 'alert like `submitAlert`'}. Authenticated by ${PROOFS[source]}.`,
    role: 'responder',
    identify: (request, deps) => identifyWebhook(source, request, deps),
    delivery: (request, { webhooks }) => {
      const settings = webhooks.sources[source];
      return settings && identifyDelivery(source, request, settings);
    },
    body: 'bytes',
    problems: ['NOT_FOUND', 'SIGNATURE_INVALID', ...ALERT_PROBLEMS],
  }) as const satisfies Partial<Route>;
