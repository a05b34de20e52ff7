// Routes of webhooks. Each source is authenticated by its own method, so the routes need no login and do not
// check Host and Origin.

import * as z from 'zod';
import {
  CHANGE_SOURCES,
  type ChangeSource,
  SECRET_SOURCES,
  type WebhookSource,
} from '../../alerts/webhookSource.ts';
import { type Caller, defineRoute, type RequestDeps, type Route } from '../../api/http/route.ts';
import { identifyDelivery } from '../../api/webhooks/deliveryId.ts';
import { identifyWebhook } from '../../api/webhooks/identifyWebhook.ts';
import { composeSnsAlert, readSnsMessage } from '../../api/webhooks/snsMessage.ts';
import { confirmationUrl } from '../../api/webhooks/snsUrl.ts';
import { ALERT_PROBLEMS, alertAnswerSchema, submitAlert } from '../alerts/routes.ts';
import { changeAnswerSchema, submitChange } from '../changes/routes.ts';

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

const shared = (source: WebhookSource) =>
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

const ofChanges = CHANGE_SOURCES.map((source) =>
  defineRoute({
    ...shared(source),
    status: 202,
    answer: changeAnswerSchema,
    problems: [...shared(source).problems, 'CHANGE_UNKNOWN'],
    handle: ({ body, caller, messageId }, deps) =>
      submitChange(body, { deliveryId: messageId }, caller, deps),
  }),
);

const bySecret = SECRET_SOURCES.map((source) =>
  defineRoute({
    ...shared(source),
    status: 202,
    answer: alertAnswerSchema,
    handle: ({ body, caller, messageId }, deps) => submitWebhook(source, body, { caller, messageId }, deps),
  }),
);

const sns = defineRoute({
  ...shared('sns'),
  status: 200,
  answer: z.union([
    alertAnswerSchema,
    z.strictObject({
      topicArn: z.string(),
      subscription: z.enum(['confirmed', 'ended']).describe('The new state of the subscription to the topic'),
    }),
  ]),
  problems: [...shared('sns').problems, 'SOURCE_UNAVAILABLE'],
  async handle({ body, caller, messageId }, deps) {
    const message = readSnsMessage(body);
    const topicArn = message.TopicArn;
    switch (message.Type) {
      case 'Notification':
        return await submitWebhook('sns', composeSnsAlert(message), { caller, messageId }, deps);
      case 'SubscriptionConfirmation':
        await deps.webhooks.sns.confirm(confirmationUrl(message.SubscribeURL, topicArn));
        deps.log.info({ topicArn }, 'SNS: a subscription is confirmed');
        return { topicArn, subscription: 'confirmed' as const };
      case 'UnsubscribeConfirmation':
        deps.log.warn({ topicArn }, 'SNS: a subscription has ended; the topic sends no more messages');
        return { topicArn, subscription: 'ended' as const };
    }
  },
});

function submitWebhook(
  source: WebhookSource,
  data: Buffer,
  { caller, messageId }: { caller: Caller; messageId: string | undefined },
  deps: RequestDeps,
) {
  const chain = deps.webhooks.sources[source]?.chain;
  return submitAlert(data, { chain, deliveryId: messageId }, caller, deps);
}

/** The webhooks of all sources. */
export const WEBHOOK_ROUTES = [...bySecret, ...ofChanges, sns];
