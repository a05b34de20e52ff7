// The webhooks of sources of changes.

import { CHANGE_SOURCES } from '../../alerts/webhookSource.ts';
import { defineRoute } from '../../api/http/route.ts';
import { webhookOf } from '../../api/webhooks/webhookRoute.ts';
import { changeAnswerSchema, submitChange } from './routes.ts';

/** The webhooks of all sources of changes. */
export const CHANGE_WEBHOOK_ROUTES = CHANGE_SOURCES.map((source) =>
  defineRoute({
    ...webhookOf(source),
    status: 202,
    answer: changeAnswerSchema,
    problems: [...webhookOf(source).problems, 'CHANGE_UNKNOWN'],
    handle: ({ body, caller, messageId }, deps) =>
      submitChange(body, { deliveryId: messageId }, caller, deps),
  }),
);
