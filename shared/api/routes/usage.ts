// What sessions used up.

import * as z from 'zod';
import { reportUsage, USAGE_GROUPINGS } from '../../runtime/views/usageReport.ts';
import { tokenUsageSchema } from '../../schema/common.ts';
import { costSchema } from '../../schema/cost.ts';
import { dayOf } from '../../text/utcPeriod.ts';
import { Problem } from '../problem.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { cursorSchema, unreadableSchema } from '../schemas.ts';

const DAY_MS = 24 * 3_600_000;

const report = defineRoute({
  method: 'get',
  path: '/v1/usage/{by}',
  id: 'reportUsage',
  summary: 'Tokens, cost and time of sessions by day, chain, agent, model or tool',
  description:
    'Of the sessions of the last `days` that are stored, by the day on which they were opened. A page has 2,000 sessions (by day and chain) or 100: where `next` is not null, the rows of all pages have to be added up.',
  role: 'admin',
  params: z.strictObject({ by: z.enum(USAGE_GROUPINGS) }),
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(90).default(7).describe('How many days back, with today'),
    after: cursorSchema.optional().describe('`next` of the page before'),
  }),
  status: 200,
  answer: z.strictObject({
    usage: z.array(
      z.strictObject({
        key: z.string().describe('The day in UTC, or the name'),
        sessions: z.int().describe('In how many sessions it stands'),
        count: z.int().describe('Sessions, runs of the agent, calls of the model or the tool'),
        failed: z.int().describe('Of `count`: those that failed or ran out of time; results that are errors'),
        durationMs: z.number().nullable().describe('Of those that have ended'),
        tokens: tokenUsageSchema.nullable().describe('Null for tools'),
        cost: costSchema.nullable().describe('`usd` is the least that it cost if there are `unpricedCalls`'),
      }),
    ),
    sessions: z.int().describe('That were looked at for this page'),
    unreadable: unreadableSchema,
    since: z.date(),
    next: z.string().nullable().describe('For `after`; null when that is all'),
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
    const message = `${after} is of no such page; give \`next\` of a page of the same usage`;
    throw new Problem('REQUEST_INVALID', `query.after: ${message}`, [{ field: 'query.after', message }]);
  },
});

/** The route of usage. */
export const USAGE_ROUTES: AnyRoute[] = [report];
