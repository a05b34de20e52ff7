// The route of Gemini's webhooks: it takes notices that a question has ended.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { digestDeliveryParts } from '../../api/webhooks/deliveryId.ts';
import { DEFAULT_TENANT } from '../../core/schema/session.ts';
import { takeWebhook } from './takeWebhook.ts';
import { readWebhook, verifyWebhook } from './verifyWebhook.ts';

const ID_HEADER = 'webhook-id';

const notices = defineRoute({
  method: 'post',
  path: '/v1/interactions/webhook',
  id: 'receiveInteraction',
  summary: 'Takes a webhook of Gemini about an interaction in the background',
  description:
    'Authenticated by `webhook-signature`. It starts nothing but a read of the interaction at Google.',
  role: 'responder',
  body: 'bytes',
  status: 200,
  answer: z.strictObject({ known: z.boolean().describe('Whether a question has this interaction') }),
  problems: ['NOT_FOUND', 'SIGNATURE_INVALID', 'SOURCE_UNAVAILABLE'],
  async identify({ headers, body }, { noticeKeys, clock, log }) {
    if (noticeKeys === undefined)
      throw new Problem('NOT_FOUND', 'no model of models.yaml has `wait: background`');
    const delivery = { header: (name: string) => headers.get(name) ?? undefined, body: await body() };
    if ((await verifyWebhook(delivery, noticeKeys, clock.now())) === undefined) {
      log.warn('a webhook of Gemini was refused');
      throw new Problem('SIGNATURE_INVALID', 'the webhook is not signed by Gemini, or too old');
    }
    return { tenantId: DEFAULT_TENANT, name: 'webhook gemini', userId: null, role: 'responder' };
  },
  delivery: ({ headers }) => ({
    id: digestDeliveryParts('gemini', headers.get(ID_HEADER) ?? ''),
    windowMs: Number.POSITIVE_INFINITY,
  }),
  async handle({ body }, { store, wholeStore = store, publisher }) {
    const event = readWebhook('', body);
    return { known: event !== undefined && (await takeWebhook(event, { store: wholeStore, publisher })) };
  },
});

/** Routes of models that answer in the background. */
export const INTERACTION_ROUTES = [notices];
