// Messages about a session at the destinations of its chain, and their repetition by a person.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { EVENT_ID, pageQuery, sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { type Delivery, deliverySchema, deliveryType } from '../../kits/deliveries/delivery.ts';
import { nextSchema, readPage } from '../../kits/views/readPage.ts';
import { resendMessage } from './resendMessage.ts';

const shownDelivery = deliverySchema.omit({ expireAt: true }).extend({
  deliveryId: z.string().describe('`DESTINATION.EVENT.KEY`'),
});

const list = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/deliveries',
  id: 'listDeliveries',
  summary: 'Messages about a session, by destination, with attempts and the last error',
  description:
    '`state` is `pending` (due at `dueAt`), `sending`, `sent`, `unknown` (accepted or not; no program sends it again), `failed`, `skipped` (a later message covers it), or `awaited` (an agent still writes the answer). Those of a page are sorted by `createdAt`.',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject(pageQuery()),
  status: 200,
  answer: z.strictObject({
    deliveries: z.array(shownDelivery),
    unreadable: unreadableSchema,
    next: nextSchema,
    now: z.date(),
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId }, query }, { store, clock }) {
    if ((await store.get(paths.session(sessionId), sessionType)) === undefined)
      throw unknownSession(sessionId);
    const collection = deliveryType.paths.deliveries(sessionId);
    const show = (deliveryId: string, { expireAt: _, ...delivery }: Delivery) => ({
      ...delivery,
      deliveryId,
    });
    const { items, ...page } = await readPage({ collection, type: deliveryType, ...query, show }, store);
    const deliveries = items.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    return { deliveries, ...page, now: clock.now() };
  },
});

const again = defineRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/deliveries/{deliveryId}/send-again',
  id: 'sendDeliveryAgain',
  summary: 'Sends a failed or unknown message again; an unknown one can then be there twice',
  role: 'responder',
  params: sessionParams.extend({ deliveryId: z.string().regex(EVENT_ID) }),
  status: 200,
  answer: z.strictObject({ state: deliverySchema.shape.state }),
  problems: ['NOT_FOUND', 'SESSION_STATE', 'SESSION_BUSY'],
  async handle({ params: { sessionId, deliveryId } }, deps) {
    const outcome = await resendMessage(sessionId, deliveryId, deps);
    switch (outcome.kind) {
      case 'requested':
        return { state: outcome.delivery.state };
      case 'unknown':
        throw new Problem('NOT_FOUND', `session ${sessionId} has no message ${deliveryId}`);
      case 'refused':
        throw new Problem(
          'SESSION_STATE',
          `the message ${deliveryId} is ${outcome.delivery.state}; only failed and unknown ones are sent again`,
        );
      case 'busy':
        throw new Problem('SESSION_BUSY', 'a message of the session is sent at this moment; try again');
    }
  },
});

/** All routes for messages about sessions. */
export const DELIVERY_ROUTES = [list, again];
