// The routes of usage: tokens, cost and time of sessions, and budgets.

import * as z from 'zod';
import { countedPeriod, daysQuery, ofOperators } from '../../api/http/lastDays.ts';
import { invalidField } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { cursorSchema } from '../../api/http/schemas.ts';
import { splitReadable, unreadableSchema } from '../../core/schema/readable.ts';
import { readableOnly } from '../../kits/views/readable.ts';
import { reportUsage, USAGE_GROUPINGS, usagePageSchema } from '../../kits/views/usageReport.ts';
import { utcDay } from '../../text/utcPeriod.ts';
import { budgetReportSchema, listCounted, reportBudgets } from './budgetReport.ts';

const DAY_MS = 24 * 3_600_000;

const report = defineRoute({
  method: 'get',
  path: '/v1/usage/{by}',
  id: 'reportUsage',
  summary: 'Tokens, cost and time of sessions by day, chain, agent, model or tool',
  description:
    'Of the stored sessions that were opened in the last `days`. A page covers 2,000 sessions (by day and chain) or 100 sessions. If `next` is not null, add up the rows of all pages.',
  role: 'admin',
  params: z.strictObject({ by: z.enum(USAGE_GROUPINGS) }),
  query: z.strictObject({
    days: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(90)
      .default(7)
      .describe('Number of days, including today'),
    after: cursorSchema.optional().describe('`next` of the previous page'),
  }),
  status: 200,
  answer: usagePageSchema.extend({ now: z.date() }),
  async handle({ params: { by }, query: { days, after }, caller: { tenantId } }, { documents, clock }) {
    const now = clock.now();
    const since = new Date(utcDay(new Date(now.getTime() - (days - 1) * DAY_MS)));
    const page = await reportUsage({ by, since, after }, tenantId, documents);
    if (page !== undefined) return { ...page, now };
    const message = `${after} is of no such page; use \`next\` of a page of the same usage`;
    throw invalidField('query.after', message);
  },
});

const budgets = defineRoute({
  method: 'get',
  path: '/v1/budgets',
  id: 'listBudgets',
  summary: 'Budgets of tokens: the use of this day or month, and the forecast for its end',
  description:
    'The budgets of system.yaml and chains.yaml. A budget with `each` has a row for each of the 100 values with the most tokens.',
  role: 'admin',
  isForOperators: true,
  status: 200,
  answer: budgetReportSchema.extend({ now: z.date() }),
  async handle(_request, { store, clock, config }) {
    const now = clock.now();
    return { ...(await reportBudgets(config, now, { store })), now };
  },
});

const counts = defineRoute({
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
    const found = await listCounted(['sessions', 'tokens'], store);
    const rows = readableOnly(found).flatMap(({ id, value: { used: count } }) => {
      const [, counted, , chain = null, period = ''] =
        /^(sessions|tokens)(~(.+))?\.(\d{4}-\d\d-\d\d(?:T\d\d)?)\.\d+$/.exec(id) ?? [];
      if (counted === undefined || period < from) return [];
      return [{ counted: counted as 'sessions' | 'tokens', chain, period, count }];
    });
    return { usage: rows, unreadable: splitReadable(found.map(({ value }) => value)).unreadable, now };
  },
});

/** The routes of usage. */
export const USAGE_ROUTES = [report, budgets, counts];
