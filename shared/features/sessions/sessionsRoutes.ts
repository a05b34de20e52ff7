// Routes that read sessions: lists, one session, its timeline and its stream.

import * as z from 'zod';
import { problemSubject } from '../../alerts/problemState.ts';
import { createProblemReader } from '../../alerts/readProblem.ts';
import { ALERT_SOURCES } from '../../alerts/sources.ts';
import { EventCursor } from '../../api/events/eventCursor.ts';
import { eventJson, eventSchema, resultBytesSchema, wholeEventSchema } from '../../api/events/eventJson.ts';
import { streamSession, streamSessions } from '../../api/events/eventStream.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { type Caller, defineRoute, type RequestDeps } from '../../api/http/route.ts';
import {
  cursorSchema,
  EVENT_ID,
  pageQuery,
  sessionParams,
  unknownSession,
  wordsSchema,
} from '../../api/http/schemas.ts';
import { nameSchema } from '../../core/schema/common.ts';
import { paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { SESSION_KINDS, SESSION_STATUSES } from '../../core/schema/session.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { NOT_CHECKED, VERDICTS } from '../../evidence/schema/verdict.ts';
import { listedSessionSchema, rowActivities } from '../../kits/views/activity/rowActivity.ts';
import { nextSchema, readPage } from '../../kits/views/readPage.ts';
import { readCounts, reportsView } from '../../kits/views/reports.ts';
import { countCombinations, MAX_COMBINATIONS } from '../../kits/views/sessionFilter.ts';
import { readSessionView, sessionViewSchema } from '../../kits/views/sessionView.ts';
import { type ListedSessions, tenantSessions } from '../../kits/views/tenantSessions.ts';

const MAX_ROWS = 200;

const MAX_VALUES = 10;
const time = z.iso.datetime({ offset: true });
const severity = z.string().min(1).max(200);

/** One or several values, separated by commas. */
const parseFilterList = <T extends string>(value: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(value).max(MAX_VALUES))
    .optional();

const listQuery = z
  .strictObject({
    status: parseFilterList(z.enum(SESSION_STATUSES)).describe(
      `One or several of ${SESSION_STATUSES.join(', ')}, separated by commas`,
    ),
    kind: parseFilterList(z.enum(SESSION_KINDS)).describe(`One or several of ${SESSION_KINDS.join(', ')}`),
    source: parseFilterList(z.enum(ALERT_SOURCES)).describe(`One or several of ${ALERT_SOURCES.join(', ')}`),
    severity: parseFilterList(severity).describe(
      'One or several; `critical` also finds `Critical` and `CRITICAL`',
    ),
    chain: parseFilterList(nameSchema).describe('One or several names'),
    verdict: parseFilterList(z.enum([...VERDICTS, NOT_CHECKED])).describe(
      `One or several of ${[...VERDICTS, NOT_CHECKED].join(', ')}`,
    ),
    place: wordsSchema
      .optional()
      .describe('A workload, namespace, cluster or project, as `place` of a row names it'),
    since: time.optional().describe('Opened at this time or later'),
    until: time.optional().describe('Opened at this time or earlier'),
    q: wordsSchema.optional().describe('Words that must all occur in title, alert and findings of a session'),
    ...pageQuery({ usual: 20, most: MAX_ROWS, cursor: cursorSchema }),
  })
  .refine(
    (query) => countCombinations(query) <= MAX_COMBINATIONS,
    `two of the filters have more than ${MAX_COMBINATIONS} combinations of values; use fewer values`,
  );

/** Lists the tenant's sessions. @throws Problem for an `after` of another list; RetryableError (store). */
export async function listPage(
  { since, until, q, ...rest }: Partial<z.output<typeof listQuery>> & { limit: number },
  { tenantId }: Caller,
  { documents, store, wholeStore = store, clock }: RequestDeps,
): Promise<ListedSessions> {
  const page = await tenantSessions({ documents, store: wholeStore }, tenantId).list({
    ...rest,
    text: q,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
    now: clock.now(),
  });
  if (page !== undefined) return page;
  const message = `${rest.after} is of no such list; use \`next\` of a page of the same list`;
  throw invalidField('query.after', message);
}

const NO_ACTIVITY = { agents: [], analysisStart: null };

const getSessions = defineRoute({
  method: 'get',
  path: '/v1/sessions',
  id: 'listSessions',
  summary: 'Sessions, newest first',
  description:
    'Filters are combined. A page reads at most one session more than `limit`: with `q` and another filter, or with three filters, it can have fewer sessions, or none, although more follow. The list ends when `next` is null.',
  role: 'viewer',
  query: listQuery,
  status: 200,
  answer: z.strictObject({
    sessions: z.array(listedSessionSchema),
    unreadable: unreadableSchema,
    next: nextSchema,
    now: z.date(),
  }),
  async handle({ query, caller }, deps) {
    const now = deps.clock.now();
    const { rows, unreadable, next } = await listPage(query, caller, deps);
    const activities = await rowActivities(rows, deps);
    const sessions = rows.map((row, index) => ({ ...row, ...(activities[index] ?? NO_ACTIVITY) }));
    return { sessions, unreadable, next, now };
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
    limit: z.coerce.number<number>().int().min(1).max(20).default(6),
  }),
  status: 200,
  answer: z.strictObject({ ids: z.array(z.string()) }),
  async handle({ query: { prefix, limit }, caller: { tenantId } }, { documents, store }) {
    const page = { idPrefix: prefix, limit, fields: ['createdAt'] };
    const found = await tenantSessions({ documents, store }, tenantId).byId(page);
    return { ids: found.map(({ id }) => id) };
  },
});

const nowSchema = z.date().describe("The server's clock");

const getSession = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  id: 'getSession',
  summary: 'A session with its stages, executions and costs',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: sessionViewSchema.extend({
    documentUrl: z
      .string()
      .nullable()
      .describe('The session in the Firestore console; null where an emulator stores it'),
    now: nowSchema,
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId } }, { store, clock, documentUrl }) {
    const now = clock.now();
    const view = await readSessionView(sessionId, store, now);
    if (view === undefined) throw unknownSession(sessionId);
    const { timeline: _, ...rest } = view;
    return { ...rest, documentUrl: documentUrl?.(paths.session(sessionId)) ?? null, now };
  },
});

const getProblem = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/problem',
  id: 'getProblem',
  summary: 'Whether the problem of a session still fires, for clients that poll',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: sessionViewSchema.pick({ problem: true, reports: true }).extend({ now: nowSchema }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId } }, { store, clock }) {
    const [session, counts] = await Promise.all([
      store.get(paths.session(sessionId), sessionType),
      readCounts(sessionId, store),
    ]);
    if (session === undefined) throw unknownSession(sessionId);
    const { problem } = await createProblemReader(store)(problemSubject(session.value), counts.value);
    return { problem, reports: reportsView(counts.value), now: clock.now() };
  },
});

const getTimeline = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/timeline',
  id: 'getTimeline',
  summary: 'The timeline of a session, by event id, in pages',
  description:
    'Within an execution `sequenceNumber` orders the events; between executions only time does. Tool results over 8 kB and other contents over 100 kB are cut (`cut`); `getEvent` returns them complete.',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    after: z.string().regex(EVENT_ID).optional().describe('`next` of the previous page'),
    position: z.string().optional().describe('`position` of the previous page'),
    limit: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(2_000)
      .optional()
      .describe('Events of the page, at most'),
    resultBytes: resultBytesSchema,
  }),
  status: 200,
  answer: z.strictObject({
    events: z.array(eventSchema),
    unreadable: unreadableSchema,
    next: nextSchema,
    position: z
      .string()
      .describe('`Last-Event-ID` with which the stream of the session omits the events of the pages so far'),
    now: z.date(),
  }),
  problems: ['SESSION_UNKNOWN'],
  async handle({ params: { sessionId }, query }, { store, clock }) {
    const { after, limit, position = '', resultBytes } = query;
    const cursor = EventCursor.parse(position);
    if (cursor === undefined)
      throw new Problem(
        'REQUEST_INVALID',
        'query.position: must be `position` of the page before, or absent',
      );
    const show = (id: string, event: TimelineEvent) => eventJson(id, event, resultBytes);
    const collection = paths.timeline(sessionId);
    const page = await readPage({ collection, type: timelineEventType, after, limit, show }, store);
    for (const event of page.items) cursor.take(event);
    const isEmpty = page.items.length === 0 && page.unreadable.length === 0;
    if (isEmpty && (await store.get(paths.session(sessionId), sessionType)) === undefined)
      throw unknownSession(sessionId);
    const { items: events, unreadable, next } = page;
    return { events, unreadable, next, position: cursor.toString(), now: clock.now() };
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
    '`timeline` events in the form of `getTimeline`, `live` for the current output of a model (replaced by the next one of its execution, over with `ended`), `unreadable` for each event that cannot be read, `session` for each change of state, `heartbeat` with the clock of the server every 15 s, and `end`. With `Last-Event-ID` the stream continues after that event: each event is sent once.',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    live: z
      .enum(['on', 'off'])
      .default('on')
      .describe('`off`: without `live`, and models write no live text for this reader'),
    resultBytes: resultBytesSchema,
  }),
  status: 200,
  answer: z.never(),
  streams: true,
  problems: ['SESSION_UNKNOWN'],
  handle: ({ params: { sessionId }, query: { live, resultBytes } }, deps, context) =>
    streamSession(context, { sessionId, withLive: live === 'on', resultBytes }, deps),
});

const followSessions = defineRoute({
  method: 'get',
  path: '/v1/sessions/events',
  id: 'followSessions',
  summary: 'The sessions of the last two days, or since a day, as server-sent events, for lists',
  description:
    '`session` for the first state of each session and for each change; `unreadable` for a session that cannot be read; `heartbeat` with the clock of the server every 15 s. After a lost connection the stream starts again with all sessions.',
  role: 'viewer',
  query: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().describe('Published on that day or later'),
  }),
  status: 200,
  answer: z.never(),
  streams: true,
  handle: async ({ query: { since } }, deps, context) => streamSessions(context, since, deps),
});

/** All routes that read sessions. `/events` precedes the route with an id, which would match it. */
export const SESSION_ROUTES = [
  getSessions,
  findIds,
  followSessions,
  getSession,
  getProblem,
  getTimeline,
  getEvent,
  followSession,
];
