// Sessions: lists, one of them, its timeline.

import * as z from 'zod';
import { ALERT_SOURCES } from '../../alerts/adapters.ts';
import { readPage } from '../../runtime/views/readPage.ts';
import { BY_ENTRY, combinationsOf, MAX_COMBINATIONS } from '../../runtime/views/sessionFilter.ts';
import { readSessionView } from '../../runtime/views/sessionView.ts';
import { type ListedSessions, tenantSessions } from '../../runtime/views/tenantSessions.ts';
import { nameSchema } from '../../schema/common.ts';
import { paths, sessionType, timelineEventType } from '../../schema/documents.ts';
import { SESSION_STATUSES } from '../../schema/session.ts';
import { eventJson, eventSchema, wholeEventSchema } from '../eventJson.ts';
import { streamSession, streamSessions } from '../eventStream.ts';
import { Problem } from '../problem.ts';
import { type AnyRoute, type Caller, defineRoute, type RequestDeps } from '../route.ts';
import {
  cursorSchema,
  EVENT_ID,
  sessionParams,
  sessionRowSchema,
  sessionViewSchema,
  unknownSession,
  unreadableSchema,
  wordsSchema,
} from '../schemas.ts';

const MAX_ROWS = 200;

const MAX_VALUES = 10;
const time = z.iso.datetime({ offset: true });
const severity = z.string().min(1).max(200);

/** One or several values, separated by commas. */
const oneOf = <T extends string>(value: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(value).max(MAX_VALUES))
    .optional();

const listQuery = z
  .strictObject({
    status: oneOf(z.enum(SESSION_STATUSES)).describe(
      `One or several of ${SESSION_STATUSES.join(', ')}, separated by commas`,
    ),
    source: oneOf(z.enum(ALERT_SOURCES)).describe(`One or several of ${ALERT_SOURCES.join(', ')}`),
    severity: oneOf(severity).describe('One or several, as sources write them'),
    chain: oneOf(nameSchema).describe('One or several names'),
    since: time.optional().describe('Opened no earlier'),
    until: time.optional().describe('Opened no later'),
    q: wordsSchema
      .optional()
      .describe('Words that title, alert and findings of a session must have, all of them'),
    after: cursorSchema
      .or(z.string().startsWith(BY_ENTRY).max(300))
      .optional()
      .describe('`next` of the page before'),
    limit: z.coerce.number().int().min(1).max(MAX_ROWS).default(20),
  })
  .refine(
    (query) => combinationsOf(query) <= MAX_COMBINATIONS,
    `status, source, severity and chain have more than ${MAX_COMBINATIONS} combinations of values; give fewer values`,
  );

/** Sessions of the caller's tenant. @throws Problem for an `after` that is of no such list; RetryableError when the store fails. */
export async function listPage(
  { since, until, q, ...rest }: Partial<z.output<typeof listQuery>> & { limit: number },
  { tenantId }: Caller,
  { documents, clock }: RequestDeps,
): Promise<ListedSessions> {
  const page = await tenantSessions(documents, tenantId).list({
    ...rest,
    text: q,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
    now: clock.now(),
  });
  if (page !== undefined) return page;
  const message = `${rest.after} is of no such list; give \`next\` of a page of the same list`;
  throw new Problem('REQUEST_INVALID', `query.after: ${message}`, [{ field: 'query.after', message }]);
}

const getSessions = defineRoute({
  method: 'get',
  path: '/v1/sessions',
  id: 'listSessions',
  summary: 'Sessions, newest first',
  description:
    'Filters are combined; severities are compared as they are written. With `q` it has the sessions with these words, and behind them those of code that stored no words with a session. A page may have fewer sessions than `limit`, or none, though there are more: only `next` says whether there are.',
  role: 'viewer',
  query: listQuery,
  status: 200,
  answer: z.strictObject({
    sessions: z.array(sessionRowSchema),
    unreadable: unreadableSchema,
    next: z.string().nullable().describe('For `after`; null when that is all'),
    now: z.date(),
  }),
  async handle({ query, caller }, deps) {
    const now = deps.clock.now();
    const { rows, unreadable, next } = await listPage(query, caller, deps);
    return { sessions: rows, unreadable, next, now };
  },
});

const findIds = defineRoute({
  method: 'get',
  path: '/v1/session-ids',
  id: 'findSessionIds',
  summary: 'Session ids with a prefix, in order, for completion',
  role: 'viewer',
  query: z.strictObject({
    prefix: sessionParams.shape.sessionId,
    limit: z.coerce.number().int().min(1).max(20).default(6),
  }),
  status: 200,
  answer: z.strictObject({ ids: z.array(z.string()) }),
  async handle({ query: { prefix, limit }, caller: { tenantId } }, { documents }) {
    const page = { idPrefix: prefix, limit, fields: ['createdAt'] };
    const found = await tenantSessions(documents, tenantId).byId(page);
    return { ids: found.map(({ id }) => id) };
  },
});

const getSession = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  id: 'getSession',
  summary: 'A session with its stages, executions and costs',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: sessionViewSchema,
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId } }, { store, clock, documentUrl }) {
    const now = clock.now();
    const view = await readSessionView(sessionId, store, now);
    if (view === undefined) throw unknownSession(sessionId);
    const { timeline: _, ...rest } = view;
    return { ...rest, documentUrl: documentUrl?.(paths.session(sessionId)) ?? null, now };
  },
});

const getTimeline = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/timeline',
  id: 'getTimeline',
  summary: 'The timeline of a session, by event id, in pages',
  description:
    'Within an execution events have the order of `sequenceNumber`; between executions there is none but time. Results of tools over 8 kB and other contents over 100 kB are cut (`cut`); `getEvent` has them whole.',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    after: z.string().regex(EVENT_ID).optional().describe('`next` of the page before'),
  }),
  status: 200,
  answer: z.strictObject({
    events: z.array(eventSchema),
    unreadable: unreadableSchema,
    next: z.string().nullable(),
    now: z.date(),
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId }, query: { after } }, { store, clock }) {
    const collection = paths.timeline(sessionId);
    const page = await readPage({ collection, type: timelineEventType, after, show: eventJson }, store);
    const isEmpty = page.items.length === 0 && page.unreadable.length === 0;
    if (isEmpty && (await store.get(paths.session(sessionId), sessionType)) === undefined)
      throw unknownSession(sessionId);
    return { events: page.items, unreadable: page.unreadable, next: page.next, now: clock.now() };
  },
});

const getEvent = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/timeline/{eventId}',
  id: 'getEvent',
  summary: 'A complete event of a timeline',
  role: 'viewer',
  params: sessionParams.extend({ eventId: z.string().regex(EVENT_ID) }),
  status: 200,
  answer: wholeEventSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId, eventId } }, { store }) {
    const found = await store.get(`${paths.timeline(sessionId)}/${eventId}`, timelineEventType);
    if (found === undefined) throw new Problem('NOT_FOUND', `session ${sessionId} has no event ${eventId}`);
    return { eventId, ...found.value };
  },
});

const followSession = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/events',
  id: 'followSession',
  summary: 'A session as server-sent events, until it has ended',
  description:
    '`timeline` events as `getTimeline` gives them, `live` for what models say by now (replaced by the next one of its execution, over with `ended`), `unreadable` for each event that cannot be read, `session` for each change of its state, `heartbeat` with the clock of the server every 15 s, and `end`. `Last-Event-ID` goes on behind what it names: each event comes once.',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    live: z
      .enum(['on', 'off'])
      .default('on')
      .describe('`off`: without `live`, for readers of the timeline; models write no live text for them'),
  }),
  status: 200,
  answer: z.never(),
  streams: true,
  problems: ['SESSION_UNKNOWN'],
  handle: ({ params: { sessionId }, query: { live } }, deps, context) =>
    streamSession(context, { sessionId, withLive: live === 'on' }, deps),
});

const followSessions = defineRoute({
  method: 'get',
  path: '/v1/sessions/events',
  id: 'followSessions',
  summary: 'The sessions of the last two days, or since then, as server-sent events, for lists',
  description:
    '`session` for each as it is at first, and whenever something of it changes; `unreadable` for one that cannot be read; `heartbeat` with the clock of the server every 15 s. A connection that is lost begins anew.',
  role: 'viewer',
  query: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().describe('Published on that day or later'),
  }),
  status: 200,
  answer: z.never(),
  streams: true,
  handle: async ({ query: { since } }, deps, context) => streamSessions(context, since, deps),
});

/** All routes that read sessions. `events` is no id: its route comes first. */
export const SESSION_ROUTES: AnyRoute[] = [
  getSessions,
  findIds,
  followSessions,
  getSession,
  getTimeline,
  getEvent,
  followSession,
];
