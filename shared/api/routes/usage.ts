// The routes of usage: tokens, cost and time of sessions, and budgets.

import * as z from 'zod';
import { reportBudgets } from '../../runtime/features/budgets/budgetReport.ts';
import { reportUsage, USAGE_GROUPINGS } from '../../runtime/views/usageReport.ts';
import { tokenUsageSchema } from '../../schema/common.ts';
import { costSchema } from '../../schema/cost.ts';
import { unreadableSchema } from '../../schema/readable.ts';
import { dayOf } from '../../text/utcPeriod.ts';
import { invalidField } from '../http/problem.ts';
import { defineRoute } from '../http/route.ts';
import { cursorSchema } from '../http/schemas.ts';

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
  answer: z.strictObject({
    usage: z.array(
      z.strictObject({
        key: z.string().describe('The day in UTC, or the name'),
        sessions: z.int().describe('Number of sessions that have it'),
        count: z.int().describe('Sessions, runs of the agent, calls of the model or the tool'),
        failed: z.int().describe('Of `count`: those that failed or ran out of time; results that are errors'),
        durationMs: z.number().nullable().describe('Total milliseconds of those that have ended'),
        durations: z
          .array(z.strictObject({ upToMs: z.int(), count: z.int() }))
          .describe('How many of them took how long, in ranges that each end a quarter above the one before'),
        tokens: tokenUsageSchema.nullable().describe('Null for tools'),
        cost: costSchema.nullable().describe('With `unpricedCalls`, `usd` is a minimum'),
      }),
    ),
    sessions: z.int().describe('Number of sessions that this page covers'),
    unreadable: unreadableSchema,
    since: z.date(),
    next: z.string().nullable().describe('Value for `after`; null on the last page'),
    now: z.date(),
  }),
  async handle({ params: { by }, query: { days, after }, caller: { tenantId } }, { documents, clock }) {
    const now = clock.now();
    const since = new Date(dayOf(new Date(now.getTime() - (days - 1) * DAY_MS)));
    const page = await reportUsage({ by, since, after }, tenantId, documents);
    if (page !== undefined) {
      const { rows: usage, sessions, unreadable, next } = page;
      return { usage, sessions, unreadable, since, next, now };
    }
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
  answer: z.strictObject({
    budgets: z.array(
      z.strictObject({
        name: z.string().describe('`dailyTokens`, or the name in `budgets` of system.yaml'),
        of: z.string().nullable().describe('The chain, tenant, user or label that it counts apart'),
        period: z.enum(['day', 'month']),
        limit: z.int(),
        critical: z.int().describe('Of the limit, what only critical alerts can use'),
        used: z.int(),
        state: z
          .enum(['large', 'small', 'record'])
          .describe(
            'Of alerts that are not critical. `small`: new sessions get `smallModel`; `record`: they are recorded or wait',
          ),
        forecast: z
          .number()
          .nullable()
          .describe('Tokens at the end of the period; null in its first twentieth'),
        reachedAt: z.date().nullable().describe('When the limit is reached, if that is in this period'),
        until: z.date().describe('The end of the period'),
      }),
    ),
    unreadable: unreadableSchema,
    now: z.date(),
  }),
  async handle(_request, { store, clock, config }) {
    const now = clock.now();
    return { ...(await reportBudgets(config, now, { store })), now };
  },
});

/** The routes of usage. */
export const USAGE_ROUTES = [report, budgets];
