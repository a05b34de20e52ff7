// The routes of usage: tokens, cost and time of sessions, and budgets.

import * as z from 'zod';
import { daysQuery, findFirstDay, ofOperators } from '../../api/http/lastDays.ts';
import { defineRoute } from '../../api/http/route.ts';
import { splitReadable, unreadableSchema } from '../../core/schema/readable.ts';
import { USAGE_GROUPINGS } from '../../kits/counts/count.ts';
import { reportUsage, usageReportSchema } from '../../kits/counts/usageReport.ts';
import { readableOnly } from '../../kits/views/readable.ts';
import { budgetReportSchema, listCounted, reportBudgets } from './budgetReport.ts';

const report = defineRoute({
  method: 'get',
  path: '/v1/usage/{by}',
  id: 'reportUsage',
  summary: 'Tokens, cost and time of sessions by day, chain, agent, model or tool',
  description: 'Of the ended sessions that were opened in the last `days`, as the sweep has counted them.',
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
  }),
  status: 200,
  answer: usageReportSchema.extend({ now: z.date() }),
  async handle({ params: { by }, query: { days }, caller: { tenantId } }, { store, clock }) {
    const now = clock.now();
    return { ...(await reportUsage({ by, days, now }, tenantId, store)), now };
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
    const from = findFirstDay(days, now);
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
