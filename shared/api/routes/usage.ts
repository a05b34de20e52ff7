// The route of usage: tokens, cost and time of sessions.

import * as z from 'zod';
import { reportUsage, USAGE_GROUPINGS } from '../../runtime/views/usageReport.ts';
import { tokenUsageSchema } from '../../schema/common.ts';
import { costSchema } from '../../schema/cost.ts';
import { dayOf } from '../../text/utcPeriod.ts';
import { invalidField } from '../http/problem.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { cursorSchema, unreadableSchema } from '../http/schemas.ts';

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
    days: z.coerce.number().int().min(1).max(90).default(7).describe('Number of days, including today'),
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

/** The route of usage. */
export const USAGE_ROUTES: AnyRoute[] = [report];
