// The webhooks of sources of changes.

import { CHANGE_SOURCES } from '../../alerts/sources.ts';
import { defineRoute } from '../../api/http/route.ts';
import { describeWebhook } from '../../api/webhooks/webhookRoute.ts';
import { changeAnswerSchema, submitChange } from './routes.ts';

/** The webhooks of all sources of changes. */
export const CHANGE_WEBHOOK_ROUTES = CHANGE_SOURCES.map((source) =>
  defineRoute({
    ...describeWebhook(source),
    status: 202,
    answer: changeAnswerSchema,
    problems: [...describeWebhook(source).problems, 'CHANGE_UNKNOWN'],
    handle: ({ body, caller, messageId }, deps) =>
      submitChange(body, { deliveryId: messageId }, caller, deps),
  }),
);
