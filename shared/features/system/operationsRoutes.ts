// The route of rejected messages, for operators.

import * as z from 'zod';
import { daysQuery, findFirstDay, ofOperators } from '../../api/http/lastDays.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery } from '../../api/http/schemas.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import {
  type RejectedMessages,
  rejectedMessageSchema,
  rejectedMessageType,
} from '../../kits/messages/rejectedMessage.ts';
import { nextSchema, readPage } from '../../kits/views/readPage.ts';

const rejected = defineRoute({
  ...ofOperators,
  path: '/v1/rejected-messages',
  id: 'listRejectedMessages',
  summary: 'Messages that could not be accepted, by function, hour and reason; those of a page by hour',
  query: daysQuery.extend(pageQuery({ note: 'those of earlier days are left out' })),
  answer: z.strictObject({
    messages: z.array(rejectedMessageSchema.omit({ expireAt: true })),
    unreadable: unreadableSchema,
    next: nextSchema,
    now: z.date(),
  }),
  async handle({ query: { days, ...query } }, { store, clock }) {
    const now = clock.now();
    const from = findFirstDay(days, now);
    const collection = rejectedMessageType.paths.rejectedMessages;
    const show = (_: string, { expireAt: _end, ...message }: RejectedMessages) => message;
    const { items, ...page } = await readPage(
      { collection, type: rejectedMessageType, ...query, show },
      store,
    );
    const messages = items.filter(({ hour }) => hour >= from).sort((a, b) => (a.hour < b.hour ? 1 : -1));
    return { messages, ...page, now };
  },
});

/** The routes of operations. */
export const OPERATION_ROUTES = [rejected];
