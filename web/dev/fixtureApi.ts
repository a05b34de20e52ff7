// The API's addresses, answered from fixtures that can be changed while they are followed. For development and tests.

import { type Context, Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { RESULT_BYTES } from '../../shared/api/pages/sessionReads.ts';
import type {
  SessionChanges,
  SessionReviews,
  SessionView,
  SessionWork,
  TimelineEvent,
} from '../../shared/api/types.ts';
import { workState } from '../../shared/runtime/features/work/workState.ts';
import type { WorkEntry } from '../../shared/schema/features/work.ts';
import { cutText } from '../../shared/text/cut.ts';
import { addPages } from '../fixtures/pages/pagesApi.ts';
import { ALERT_PREVIEW, MESSAGES } from '../fixtures/pages/start.ts';
import { configuration, systemActivity } from '../fixtures/pages/system.ts';
import { type Fixtures, pendingOf, type SessionFixture } from './fixtures.ts';

const NO_CHANGES: SessionChanges = {
  changes: [],
  others: 0,
  isCut: false,
  resource: null,
  service: null,
  start: null,
  sources: [],
};

/** A message of a stream. `cut` ends the stream as a lost connection does. */
interface Message {
  event: string;
  data: unknown;
}

type Listener = (message: Message) => void;

const HEARTBEAT_MS = 15_000;
const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** A request that changed something, for tests. */
interface Posted {
  path: string;
  body: unknown;
}

/** What all routes share. */
interface Backend {
  fixtures: Fixtures;
  now: () => Date;
  posted: Posted[];
  find(sessionId: string): SessionFixture | undefined;
  streams: ReturnType<typeof createStreams>;
}

/** An API that answers from fixtures. @param now Its clock. Default: the clock of this machine. */
export function createFixtureApi(fixtures: Fixtures, now = () => new Date()) {
  const app = new Hono();
  const posted: Posted[] = [];
  const find = (sessionId: string) => fixtures.sessions.find(({ row }) => row.sessionId === sessionId);
  const streams = createStreams(now);
  const backend: Backend = { fixtures, now, posted, find, streams };
  addListRoutes(app, backend);
  // Before `/v1/sessions/:id`, which `/v1/sessions/events` fits.
  addStreamRoutes(app, backend);
  addSessionRoutes(app, backend);
  addPostRoutes(app, backend);
  addPages(app, now);
  app.notFound(() => problem('NOT_FOUND', 404, 'there is no such address'));
  return { app, posted, find, ...changesOf(backend) };
}

/** Changes that the followers of a session receive. */
function changesOf({ find, streams, now }: Backend) {
  return {
    /** Adds an event. */
    push(sessionId: string, event: TimelineEvent): void {
      find(sessionId)?.events.push(event);
      streams.send(sessionId, { event: 'timeline', data: withResultBytes(event, RESULT_BYTES) });
    },
    /** Sends live text of a model. */
    say(sessionId: string, live: object): void {
      streams.send(sessionId, { event: 'live', data: { ...live, now: now() } });
    },
    /** Changes a session. @throws Error for an unknown session. */
    change(sessionId: string, part: Partial<SessionView>): void {
      const found = find(sessionId);
      if (found === undefined) throw new Error(`there is no session ${sessionId}`);
      Object.assign(found.view, part);
      const { status, endedAt, failure, executiveSummary, problem } = found.view;
      Object.assign(found.row, { status, endedAt, failure, executiveSummary, problem });
      const state = { ...stateOf(found.view), now: now() };
      streams.send(sessionId, { event: 'session', data: state });
      streams.send('', { event: 'session', data: { ...found.row, ...state } });
      if (ENDED.has(status)) streams.send(sessionId, { event: 'end', data: { now: now() } });
    },
    /** Ends all streams, as a lost connection does. */
    cut: () => streams.cut(),
  };
}

/** Open streams, by session id; '' for the stream of all sessions. */
function createStreams(now: () => Date) {
  const listeners = new Map<string, Set<Listener>>();
  const send = (key: string, message: Message) => {
    for (const listener of listeners.get(key) ?? []) listener(message);
  };
  return {
    send,
    cut() {
      for (const key of listeners.keys()) send(key, { event: 'cut', data: {} });
    },
    /** Sends messages until the reader leaves, the stream is cut or the session ends. @param lastId The id of each. */
    async follow(key: string, stream: SSEStreamingApi, lastId: () => number): Promise<void> {
      const own = listeners.get(key) ?? new Set();
      listeners.set(key, own);
      const { promise, resolve } = Promise.withResolvers<void>();
      const write = (event: string, data: unknown) =>
        void stream.writeSSE({ event, data: JSON.stringify(data), id: String(lastId()) });
      const listener: Listener = ({ event, data }) => {
        if (event !== 'cut') write(event, data);
        if (event === 'cut' || event === 'end') resolve();
      };
      own.add(listener);
      const timer = setInterval(() => write('heartbeat', { now: now() }), HEARTBEAT_MS);
      stream.onAbort(resolve);
      await promise;
      clearInterval(timer);
      own.delete(listener);
    },
  };
}

function addListRoutes(app: Hono, { fixtures, now }: Backend): void {
  app.get('/v1/sessions', (context) => {
    const { kind, source, severity, status, place, since, q } = context.req.query();
    const sessions = fixtures.sessions
      .filter(
        ({ row, view }) =>
          (source === undefined || row.source === source) &&
          (kind === undefined || kind === (row.kind ?? 'investigation')) &&
          (severity === undefined || row.severity?.toLowerCase() === severity.toLowerCase()) &&
          (place === undefined || Object.values(row.place ?? {}).includes(place)) &&
          (since === undefined || Date.parse(row.createdAt ?? '') >= Date.parse(since)) &&
          (status === undefined || status.split(',').includes(view.status)) &&
          (q === undefined || `${row.title} ${view.finalAnalysis}`.toLowerCase().includes(q.toLowerCase())),
      )
      .map(({ row }) => row)
      .toSorted((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? ''));
    return context.json({ sessions, next: null, now: now() });
  });
  app.get('/v1/approvals', (context) => context.json({ approvals: pendingOf(fixtures), now: now() }));
  app.get('/v1/system', (context) =>
    context.json({ pause: fixtures.pause ?? null, health: fixtures.health, now: now() }),
  );
  app.get('/v1/system/activity', (context) =>
    context.json(systemActivity(now(), fixtures.sessions[0]?.row.sessionId ?? 'none')),
  );
  app.get('/v1/system/configuration', (context) =>
    (fixtures.me?.role ?? 'admin') === 'admin'
      ? context.json(configuration(now()))
      : problem('ACCESS_DENIED', 403, 'it needs the role admin'),
  );
  app.get('/v1/me', (context) =>
    context.json({ name: 'local', role: 'admin', ...fixtures.me, tenantId: 'default', now: now() }),
  );
}

function addSessionRoutes(app: Hono, { now, find }: Backend): void {
  /** Answers from a session, or with 404. */
  const get = (path: string, answer: (found: SessionFixture, context: Context) => object | undefined) =>
    app.get(`/v1/sessions/:id${path}`, (context) => {
      const found = find(context.req.param('id') ?? '');
      if (found === undefined) return unknownSession(context.req.param('id') ?? '');
      const answered = answer(found, context);
      return answered === undefined ? problem('NOT_FOUND', 404, 'there is none') : context.json(answered);
    });
  get('', ({ view }) => ({ ...view, now: now() }));
  get('/problem', ({ view: { problem, reports } }) => ({ problem, reports, now: now() }));
  get('/timeline', ({ events }, context) => ({ ...timelinePage(events, context.req.query()), now: now() }));
  get('/timeline/:eventId', ({ events, whole }, context) => {
    const event = events.find(({ eventId }) => eventId === context.req.param('eventId'));
    return event && { ...event, cut: false, content: whole?.[event.eventId] ?? event.content };
  });
  get('/interactions', ({ calls }) => ({ interactions: calls ?? [], next: null, now: now() }));
  get('/changes', ({ changes = NO_CHANGES }) => changes);
  get('/claims', ({ claims }) => claims);
  get('/deliveries', ({ deliveries = [] }) => ({ deliveries, unreadable: [], now: now() }));
  get('/work', ({ work = [] }) => ({ entries: work, ...workState(work) }));
  get('/executions/:executionId/messages', () => ({ messages: MESSAGES, next: null, now: now() }));
  get('/alert', ({ original }) => original);
  get('/guidance', ({ guidance }) => ({ guidance: guidance ?? [] }));
}

/** Bytes of a page, as in the API. */
const PAGE_BYTES = 800_000;

/** A page of a timeline. `position` counts events, as the ids of the stream do. */
function timelinePage(events: readonly TimelineEvent[], query: Record<string, string>) {
  const { after = '', resultBytes } = query;
  const limit = Number(query.limit ?? events.length);
  const start = events.findIndex(({ eventId }) => eventId === after) + 1;
  const page: TimelineEvent[] = [];
  for (let bytes = 0; start + page.length < events.length; ) {
    const event = events[start + page.length];
    if (event === undefined) break;
    const shown = withResultBytes(
      event,
      resultBytes === undefined ? Number.POSITIVE_INFINITY : Number(resultBytes),
    );
    bytes += Buffer.byteLength(JSON.stringify(shown));
    if (page.length > 0 && (bytes > PAGE_BYTES || page.length >= limit)) break;
    page.push(shown);
  }
  const read = start + page.length;
  return { events: page, next: read < events.length ? page.at(-1)?.eventId : null, position: `${read}` };
}

/** An event with the start of its result. */
function withResultBytes(event: TimelineEvent, most: number): TimelineEvent {
  if (event.eventType !== 'tool_result' || event.bytes <= most) return event;
  return { ...event, cut: true, content: cutText(event.content, most, 'bytes') };
}

function addStreamRoutes(app: Hono, { fixtures, now, find, streams }: Backend): void {
  app.get('/v1/sessions/events', (context) =>
    streamSSE(context, async (stream) => {
      for (const { row, view } of fixtures.sessions)
        await stream.writeSSE({
          event: 'session',
          data: JSON.stringify({ ...row, ...stateOf(view), now: now() }),
        });
      await streams.follow('', stream, () => 0);
    }),
  );
  app.get('/v1/sessions/:id/events', (context) => {
    const found = find(context.req.param('id'));
    if (found === undefined) return unknownSession(context.req.param('id'));
    const { view, events } = found;
    const from = Number(context.req.header('last-event-id') ?? 0);
    return streamSSE(context, async (stream) => {
      await stream.writeSSE({ event: 'session', data: JSON.stringify({ ...stateOf(view), now: now() }) });
      for (const [index, event] of events.entries())
        if (index >= from)
          await stream.writeSSE({
            event: 'timeline',
            data: JSON.stringify(withResultBytes(event, RESULT_BYTES)),
            id: String(index + 1),
          });
      if (ENDED.has(view.status))
        await stream.writeSSE({ event: 'end', data: JSON.stringify({ now: now() }) });
      else await streams.follow(view.sessionId, stream, () => found.events.length);
    });
  });
}

function addPostRoutes(app: Hono, { fixtures, now, posted, streams }: Backend): void {
  app.post('/v1/approvals/:id', async (context) => {
    const id = context.req.param('id');
    const body: { verdict: 'approved' | 'denied'; reason?: string } = await context.req.json();
    posted.push({ path: context.req.path, body });
    for (const { view } of fixtures.sessions) {
      const approval = view.approvals.find(({ approvalId }) => approvalId === id);
      if (approval === undefined) continue;
      const isPending = approval.status === 'pending';
      if (isPending)
        Object.assign(approval, {
          status: body.verdict,
          decidedBy: 'local',
          decidedAt: now().toISOString(),
          reason: body.reason ?? null,
        });
      streams.send(view.sessionId, { event: 'session', data: { ...stateOf(view), now: now() } });
      return context.json({ outcome: isPending ? 'decided' : 'already_decided', approval });
    }
    return problem('NOT_FOUND', 404, `there is no approval ${id}; GET /v1/approvals lists the open ones`);
  });
  app.post('/v1/sessions/:id/feedback', async (context) => {
    posted.push({ path: context.req.path, body: await context.req.json() });
    return context.json({}, 201);
  });
  app.get('/v1/reviews', (context) => {
    const reviews = fixtures.sessions.flatMap(({ row, view, work = [] }): SessionReviews[] => {
      const { sessionId, chain, verdict } = row;
      const given = workState(work).reviews.map(({ review }) => review.rating);
      const countOf = (rating: string) => given.filter((one) => one === rating).length;
      const counts = { right: countOf('right'), partly: countOf('partly'), wrong: countOf('wrong') };
      const { models } = view;
      const about = { sessionId, chain, models, verdict: verdict ?? null, outcome: null };
      return given.length === 0 ? [] : [{ ...about, ...counts }];
    });
    const people = fixtures.sessions.flatMap(({ row: { sessionId }, work = [] }): SessionWork[] => {
      const { claimedBy, resolved } = workState(work);
      const isIdle = claimedBy === null && resolved === null;
      return isIdle ? [] : [{ sessionId, claimedBy, resolvedBy: resolved?.by ?? null }];
    });
    return context.json({ reviews, work: people, sessions: fixtures.sessions.length, next: null });
  });
  app.post('/v1/sessions/:id/work', async (context) => {
    const body: Pick<WorkEntry, 'kind' | 'review'> & { text?: string } = await context.req.json();
    posted.push({ path: context.req.path, body });
    const found = fixtures.sessions.find(({ row }) => row.sessionId === context.req.param('id'));
    if (found === undefined) return unknownSession(context.req.param('id'));
    found.work ??= [];
    found.work.push({
      sessionId: found.row.sessionId,
      number: found.work.length + 1,
      kind: body.kind,
      by: 'local',
      text: body.text ?? null,
      review: body.review ?? null,
      createdAt: now(),
      expireAt: now(),
    });
    return context.json({ entry: found.work.at(-1), ...workState(found.work) }, 201);
  });
  app.post('/v1/sessions/:id/deliveries/:deliveryId/send-again', (context) => {
    posted.push({ path: context.req.path, body: {} });
    const found = fixtures.sessions.find(({ row }) => row.sessionId === context.req.param('id'));
    const wanted = context.req.param('deliveryId');
    const delivery = found?.deliveries?.find(({ deliveryId }) => deliveryId === wanted);
    if (delivery === undefined) return problem('NOT_FOUND', 404, 'there is none');
    Object.assign(delivery, { state: 'pending', dueAt: now(), attempts: 0 });
    return context.json({ state: 'pending' });
  });
  app.post('/v1/alerts/preview', async (context) => {
    posted.push({ path: withQuery(context), body: await context.req.text() });
    const [session] = fixtures.sessions;
    const example = { source: 'json', title: 'Example', severity: null, status: 'firing', labels: {} };
    return context.json({ ...ALERT_PREVIEW, alert: session?.view.alert ?? example });
  });
  app.post('/v1/alerts', async (context) => {
    posted.push({ path: withQuery(context), body: await context.req.text() });
    return context.json({ alertKey: 'key-1', messageId: 'message-1' }, 202);
  });
  app.get('/v1/alerts/example', (context) => context.json({ text: fixtures.exampleAlert ?? null }));
  app.get('/v1/alerts/key-1', (context) =>
    context.json({ outcome: 'opened', sessionId: fixtures.sessions[0]?.row.sessionId, reason: null }),
  );
  app.post('/v1/schedules/:name/:act', (context) => {
    posted.push({ path: context.req.path, body: {} });
    return context.json({ outcome: 'changed', checkId: null });
  });
  app.post('/v1/sessions/:id/:act', async (context) => {
    posted.push({ path: context.req.path, body: await context.req.json() });
    const outcome = context.req.param('act') === 'guidance' ? 'told' : 'done';
    const sent = { alertKey: 'key-1', messageId: 'message-1' };
    return context.json({ ...sent, outcome, status: null }, 202);
  });
}

const withQuery = ({ req }: Context) => req.url.slice(req.url.indexOf('/v1'));

function problem(code: string, status: number, detail: string): Response {
  return new Response(JSON.stringify({ code, status, detail, title: code }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

function unknownSession(sessionId: string): Response {
  const detail = `there is no session ${sessionId}; GET /v1/sessions lists the sessions`;
  return problem('SESSION_UNKNOWN', 404, detail);
}

function stateOf({ sessionId, status, steering, executiveSummary, failure }: SessionView) {
  return { sessionId, status, paused: steering.paused, executiveSummary, failure };
}
