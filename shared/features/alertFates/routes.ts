// The route about the fates of alerts: a list of recent ones, or those of a message, a title or a time.

import * as z from 'zod';
import { FATES } from '../../alerts/schema/alertFate.ts';
import { ALERT_SOURCES } from '../../alerts/sources.ts';
import { invalidField } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery, sessionParams, wordsSchema } from '../../api/http/schemas.ts';
import { fatePageSchema, fatesWith, listFates } from '../../kits/views/alerts/listFates.ts';

const MAX_ROWS = 200;
const DAY_MS = 24 * 3_600_000;
/** As long as fates are stored. */
const MAX_DAYS = 30;
/** Clocks of the processes differ. */
const AHEAD_MS = 3_600_000;
const CURSOR = /^[\w-]{1,63}\.\d{13}\.[\w-]{1,40}$/;

const time = z.iso.datetime({ offset: true });
const parseFateList = <T extends string>(value: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(value).max(10))
    .optional();

const list = defineRoute({
  method: 'get',
  path: '/v1/alerts',
  id: 'listAlerts',
  summary: 'Fates of alerts, newest first: the outcome, the rule with its file and line, and the fix',
  description:
    'Fates are stored for 30 days, with the line of the configuration at that time. A page can have fewer alerts than `limit`, or none, although more follow: the list ends when `next` is null. Requests that fail the check of their source, and alerts that no source sent, have none.',
  role: 'viewer',
  query: z.strictObject({
    message: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The id of a message; other filters do not apply'),
    session: sessionParams.shape.sessionId
      .optional()
      .describe('The alerts of this session, at most 200; other filters do not apply'),
    problem: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .describe('The alerts of this `problem` of a preview, at most 200; other filters do not apply'),
    outcome: parseFateList(z.enum(FATES)).describe(
      `One or several of ${FATES.join(', ')}, separated by commas`,
    ),
    source: parseFateList(z.enum(ALERT_SOURCES)).describe('One or several sources, separated by commas'),
    q: wordsSchema.optional().describe('Words that are all in the title, the reason or the rule'),
    since: time.optional().describe('Published at this time or later. Default: 30 days ago'),
    until: time.optional().describe('Published at this time or earlier'),
    ...pageQuery({
      usual: 50,
      most: MAX_ROWS,
      cursor: z.string().regex(CURSOR, 'must be `next` of a page'),
    }),
  }),
  status: 200,
  answer: fatePageSchema.extend({ now: z.date() }),
  async handle(
    { query: { message, session, problem, since, until, after, limit, ...filter }, caller },
    { store, clock },
  ) {
    const now = clock.now();
    if (message !== undefined) return { ...(await fatesWith('messageId', message, store)), now };
    if (session !== undefined) return { ...(await fatesWith('sessionId', session, store)), now };
    if (problem !== undefined) return { ...(await fatesWith('problem', problem, store)), now };
    const period = {
      since: since === undefined ? new Date(now.getTime() - MAX_DAYS * DAY_MS) : new Date(since),
      until: until === undefined ? new Date(now.getTime() + AHEAD_MS) : new Date(until),
    };
    const page = await listFates(caller.tenantId, { ...filter, ...period }, { limit, after }, store);
    const refusal = `${after} is of no such list; use \`next\` of a page of the same list`;
    if (page === undefined) throw invalidField('query.after', refusal);
    return { ...page, now };
  },
});

/** All routes for the fates of alerts. */
export const ALERT_FATE_ROUTES = [list];
