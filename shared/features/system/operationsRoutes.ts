// The route of rejected messages, for operators.

import * as z from 'zod';
import { countedPeriod, daysQuery, ofOperators } from '../../api/http/lastDays.ts';
import { defineRoute } from '../../api/http/route.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { rejectedMessageSchema, rejectedMessageType } from '../../kits/messages/rejectedMessage.ts';
import { listReadable } from '../../kits/views/readable.ts';

const rejected = defineRoute({
  ...ofOperators,
  path: '/v1/rejected-messages',
  id: 'listRejectedMessages',
  summary: 'Messages that could not be accepted, by function, hour and reason',
  query: daysQuery,
  answer: z.strictObject({
    messages: z.array(rejectedMessageSchema.omit({ expireAt: true })),
    unreadable: unreadableSchema,
    now: z.date(),
  }),
  async handle({ query: { days } }, { store, clock }) {
    const now = clock.now();
    const { from } = countedPeriod(days, now);
    const { values, unreadable } = await listReadable(
      { collection: rejectedMessageType.paths.rejectedMessages },
      rejectedMessageType,
      store,
    );
    const messages = values
      .map(({ expireAt: _, ...message }) => message)
      .filter(({ hour }) => hour >= from)
      .sort((a, b) => (a.hour < b.hour ? 1 : -1));
    return { messages, unreadable, now };
  },
});

/** The routes of operations. */
export const OPERATION_ROUTES = [rejected];
