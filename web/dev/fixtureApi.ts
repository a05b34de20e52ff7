// The API's addresses, answered from fixtures that can be changed while they are followed. For development and tests.

import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { SessionView, TimelineEvent } from '../../shared/api/types.ts';
import { addPages } from '../fixtures/pages/pagesApi.ts';
import { type Fixtures, pendingOf, type SessionFixture } from './fixtures.ts';

/** A message of a stream. */
interface Message {
  event: string;
  data: unknown;
}

type Listener = (message: Message) => void;

const HEARTBEAT_MS = 15_000;
const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** An API that answers from fixtures. @param now Its clock. Default: this machine's. */
export function createFixtureApi(fixtures: Fixtures, now = () => new Date()) {
  const app = new Hono();
  const listeners = new Map<string, Set<Listener>>();
  /** Requests that changed something, for tests. */
  const posted: { path: string; body: unknown }[] = [];
  const find = (sessionId: string) => fixtures.sessions.find(({ row }) => row.sessionId === sessionId);
  const problem = (code: string, status: number, detail: string) =>
    new Response(JSON.stringify({ code, status, detail, title: code }), {
      status,
      headers: { 'content-type': 'application/problem+json' },
    });
  const unknown = (sessionId: string) =>
    problem(
      'SESSION_UNKNOWN',
      404,
      `there is no session ${sessionId}; GET /v1/sessions lists those there are`,
    );
  const tell = (key: string, message: Message) => {
    for (const listener of listeners.get(key) ?? []) listener(message);
  };

  app.get('/v1/sessions', (context) => {
    const { source, severity, status, q } = context.req.query();
    const sessions = fixtures.sessions
      .filter(
        ({ row, view }) =>
          (source === undefined || row.source === source) &&
          (severity === undefined || row.severity === severity) &&
          (status === undefined || status.split(',').includes(view.status)) &&
          (q === undefined || `${row.title} ${view.finalAnalysis}`.toLowerCase().includes(q.toLowerCase())),
      )
      .map(({ row }) => row)
      .toSorted((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? ''));
    return context.json({ sessions, next: null, now: now() });
  });
  app.get('/v1/approvals', (context) => context.json({ approvals: pendingOf(fixtures), now: now() }));
  app.get('/v1/sessions/events', (context) =>
    streamSSE(context, async (stream) => {
      for (const { row, view } of fixtures.sessions)
        await stream.writeSSE({
          event: 'session',
          data: JSON.stringify({ ...row, ...stateOf(view), now: now() }),
        });
      await followMessages('', stream);
    }),
  );
  app.get('/v1/sessions/:id', (context) => {
    const found = find(context.req.param('id'));
    if (found === undefined) return unknown(context.req.param('id'));
    return context.json({ ...found.view, now: now() });
  });
  app.get('/v1/sessions/:id/timeline', (context) => {
    const found = find(context.req.param('id'));
    if (found === undefined) return unknown(context.req.param('id'));
    return context.json({ events: found.events, next: null, now: now() });
  });
  app.get('/v1/sessions/:id/timeline/:eventId', (context) => {
    const found = find(context.req.param('id'));
    const event = found?.events.find(({ eventId }) => eventId === context.req.param('eventId'));
    if (event === undefined) return problem('NOT_FOUND', 404, 'there is no such event');
    return context.json({ ...event, content: found?.whole?.[event.eventId] ?? event.content });
  });
  app.get('/v1/sessions/:id/interactions', (context) => {
    const found = find(context.req.param('id'));
    if (found === undefined) return unknown(context.req.param('id'));
    return context.json({ interactions: found.calls ?? [], next: null, now: now() });
  });
  app.get('/v1/sessions/:id/alert', (context) => {
    const original = find(context.req.param('id'))?.original;
    return original === undefined ? problem('NOT_FOUND', 404, 'there is no alert') : context.json(original);
  });
  app.get('/v1/me', (context) =>
    context.json({ name: 'local', role: 'admin', ...fixtures.me, tenantId: 'default', now: now() }),
  );
  app.get('/v1/sessions/:id/guidance', (context) =>
    context.json({ guidance: find(context.req.param('id'))?.guidance ?? [] }),
  );
  app.get('/v1/sessions/:id/events', (context) => {
    const found = find(context.req.param('id'));
    if (found === undefined) return unknown(context.req.param('id'));
    const from = Number(context.req.header('last-event-id') ?? 0);
    return streamSSE(context, async (stream) => {
      await stream.writeSSE({
        event: 'session',
        data: JSON.stringify({ ...stateOf(found.view), now: now() }),
      });
      for (const [index, event] of found.events.entries())
        if (index >= from)
          await stream.writeSSE({ event: 'timeline', data: JSON.stringify(event), id: String(index + 1) });
      if (ENDED.has(found.view.status)) {
        await stream.writeSSE({ event: 'end', data: JSON.stringify({ now: now() }) });
        return;
      }
      await followMessages(found.row.sessionId, stream);
    });
  });

  /** Sends what happens until the reader goes away, the stream is cut or the session ends. */
  async function followMessages(key: string, stream: SSEStreamingApi): Promise<void> {
    const own = listeners.get(key) ?? new Set();
    listeners.set(key, own);
    const { promise, resolve } = Promise.withResolvers<void>();
    const write = (event: string, data: unknown) =>
      void stream.writeSSE({ event, data: JSON.stringify(data), id: String(find(key)?.events.length ?? 0) });
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
  }

  app.post('/v1/approvals/:id', async (context) => {
    const id = context.req.param('id');
    const body = (await context.req.json()) as { verdict: 'approved' | 'denied'; reason?: string };
    posted.push({ path: context.req.path, body });
    for (const { view } of fixtures.sessions) {
      const approval = view.approvals.find(({ approvalId }) => approvalId === id);
      if (approval === undefined) continue;
      const isOpen = approval.status === 'pending';
      if (isOpen)
        Object.assign(approval, {
          status: body.verdict,
          decidedBy: 'local',
          decidedAt: now().toISOString(),
          reason: body.reason ?? null,
        });
      tell(view.sessionId, { event: 'session', data: { ...stateOf(view), now: now() } });
      return context.json({ outcome: isOpen ? 'decided' : 'already_decided', approval });
    }
    return problem('NOT_FOUND', 404, `there is no approval ${id}`);
  });
  app.post('/v1/sessions/:id/feedback', async (context) => {
    posted.push({ path: context.req.path, body: await context.req.json() });
    return context.json({}, 201);
  });
  app.post('/v1/sessions/:id/:act', async (context) => {
    posted.push({ path: context.req.path, body: await context.req.json() });
    return context.json(
      { outcome: context.req.param('act') === 'guidance' ? 'told' : 'done', status: null },
      202,
    );
  });
  addPages(app, now);
  app.notFound(() => problem('NOT_FOUND', 404, 'there is no such address'));

  return {
    app,
    posted,
    find,
    /** Adds an event and tells those who follow. */
    push(sessionId: string, event: TimelineEvent): void {
      find(sessionId)?.events.push(event);
      tell(sessionId, { event: 'timeline', data: event });
    },
    /** Tells those who follow a session what a model says. */
    say(sessionId: string, live: object): void {
      tell(sessionId, { event: 'live', data: { ...live, now: now() } });
    },
    /** Changes a session and tells those who follow. */
    change(sessionId: string, part: Partial<SessionView>): void {
      const found = find(sessionId) as SessionFixture;
      Object.assign(found.view, part);
      const { status, endedAt, failure, executiveSummary } = found.view;
      Object.assign(found.row, { status, endedAt, failure, executiveSummary });
      tell(sessionId, { event: 'session', data: { ...stateOf(found.view), now: now() } });
      tell('', { event: 'session', data: { ...found.row, ...stateOf(found.view), now: now() } });
      if (ENDED.has(found.view.status)) tell(sessionId, { event: 'end', data: { now: now() } });
    },
    /** Ends all streams, as a lost connection does. */
    cut(): void {
      for (const key of listeners.keys()) tell(key, { event: 'cut', data: {} });
    },
  };
}

function stateOf({ sessionId, status, steering, executiveSummary, failure }: SessionView) {
  return { sessionId, status, paused: steering.paused, executiveSummary, failure };
}
