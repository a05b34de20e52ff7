// Routes of webhooks. Each source is authenticated by its own method, so the routes need no login and do not
// check Host and Origin.

import * as z from 'zod';
import { SECRET_SOURCES, type WebhookSource } from '../../alerts/sources.ts';
import { type Caller, defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { alertAnswerSchema, submitAlert } from '../../api/http/submitAlert.ts';
import { composeSnsAlert, readSnsMessage } from '../../api/webhooks/snsMessage.ts';
import { confirmationUrl } from '../../api/webhooks/snsUrl.ts';
import { describeWebhook } from '../../api/webhooks/webhookRoute.ts';

const bySecret = SECRET_SOURCES.map((source) =>
  defineRoute({
    ...describeWebhook(source),
    status: 202,
    answer: alertAnswerSchema,
    handle: ({ body, caller, messageId }, deps) => submitWebhook(source, body, { caller, messageId }, deps),
  }),
);

const sns = defineRoute({
  ...describeWebhook('sns'),
  status: 200,
  answer: z.union([
    alertAnswerSchema,
    z.strictObject({
      topicArn: z.string(),
      subscription: z.enum(['confirmed', 'ended']).describe('The new state of the subscription to the topic'),
    }),
  ]),
  problems: [...describeWebhook('sns').problems, 'SOURCE_UNAVAILABLE'],
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

/** The webhooks of all sources of alerts. */
export const WEBHOOK_ROUTES = [...bySecret, sns];
