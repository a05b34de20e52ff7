// Routes for operators: rejected messages, dropped alerts, and counts of sessions and tokens.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { paths, usageType } from '../../core/schema/coreDocuments.ts';
import { droppedAlertsSchema, droppedAlertsType } from '../../kits/alerts/droppedAlerts.ts';
import { rejectedMessageSchema, rejectedMessageType } from '../../kits/messages/rejectedMessage.ts';
import { listReadable, readableOnly } from '../../kits/views/readable.ts';
import { readableType, splitReadable, unreadableSchema } from '../../schema/readable.ts';
import { utcDay } from '../../text/utcPeriod.ts';

const DAY_MS = 24 * 3_600_000;
/** Sorts after every id that starts with a day. */
const LAST = '\uf8ff';

const daysQuery = z.strictObject({
  days: z.coerce.number<number>().int().min(1).max(30).default(7).describe('Number of days, including today'),
});
const ofOperators = { method: 'get', role: 'admin', isForOperators: true, status: 200 } as const;

/** The days of a query. The last day is tomorrow, because other clocks can be ahead of this one. */
function countedPeriod(days: number, now: Date): { from: string; to: string } {
  const from = utcDay(new Date(now.getTime() - (days - 1) * DAY_MS));
  return { from, to: utcDay(new Date(now.getTime() + DAY_MS)) };
}

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

const dropped = defineRoute({
  ...ofOperators,
  path: '/v1/dropped-alerts',
  id: 'listDroppedAlerts',
  summary: 'Alerts that rules of triage.yaml dropped, by day, rule and tenant',
  query: daysQuery,
  answer: z.strictObject({
    alerts: z.array(droppedAlertsSchema.omit({ expireAt: true })),
    unreadable: unreadableSchema,
    now: z.date(),
  }),
  async handle({ query: { days } }, { store, clock }) {
    const now = clock.now();
    const { from, to } = countedPeriod(days, now);
    const idRange = { from, to: `${to}.${LAST}` };
    const found = await listReadable(
      { collection: droppedAlertsType.paths.droppedAlerts, idRange },
      droppedAlertsType,
      store,
    );
    const alerts = found.values.map(({ expireAt: _, ...rest }) => rest);
    return { alerts, unreadable: found.unreadable, now };
  },
});

const usage = defineRoute({
  ...ofOperators,
  path: '/v1/usage',
  id: 'listUsage',
  summary:
    'Opened sessions by hour and used tokens by day, in total and by chain, as far as budgets count them',
  query: daysQuery,
  answer: z.strictObject({
    usage: z.array(
      z.strictObject({
        counted: z.enum(['sessions', 'tokens']),
        chain: z.string().nullable().describe('Null for all chains'),
        period: z.string().describe('An hour (`2026-11-05T10`) or a day, in UTC'),
        count: z.int(),
      }),
    ),
    unreadable: unreadableSchema,
    now: z.date(),
  }),
  async handle({ query: { days } }, { store, clock }) {
    const now = clock.now();
    const { from } = countedPeriod(days, now);
    const found = await store.list({ collection: paths.usageCounts }, readableType(usageType));
    const rows = readableOnly(found).flatMap(({ id, value: { count } }) => {
      const [, counted, , chain = null, period = ''] =
        /^(sessions|tokens)\.((.+)\.)?(\d{4}-\d\d-\d\d(?:T\d\d)?)$/.exec(id) ?? [];
      if (counted === undefined || period < from) return [];
      return [{ counted: counted as 'sessions' | 'tokens', chain, period, count }];
    });
    return { usage: rows, unreadable: splitReadable(found.map(({ value }) => value)).unreadable, now };
  },
});

/** All routes for operators. */
export const OPERATION_ROUTES = [rejected, dropped, usage];
