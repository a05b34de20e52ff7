// Sends a session as server-sent events: each event of its timeline once, and its state, until it has ended.

import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { errorMessage } from '../../core/errors.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Unreadable } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import type { LiveChange } from '../../kits/live/liveSource.ts';
import { watchReadable } from '../../kits/views/readable.ts';
import { Problem, problemDetails } from '../http/problem.ts';
import type { RequestDeps } from '../http/route.ts';
import { unknownSession } from '../http/schemas.ts';
import { EventCursor } from './eventCursor.ts';
import { eventJson } from './eventJson.ts';
import { followSession, HEARTBEAT_MS } from './followSession.ts';
import { PushQueue, ReaderTooSlow } from './pushQueue.ts';

/**
 * Streams a session: `timeline` events in order of arrival, `live` for the current output of models,
 * `session` for each change of its state, a `heartbeat` with the server's clock, and `end`. `Last-Event-ID`
 * continues after the named event.
 * @throws Problem `SESSION_UNKNOWN`; `REQUEST_INVALID` for an invalid `Last-Event-ID`; RetryableError when
 * the store fails.
 */
export async function streamSession(
  context: Context,
  { sessionId, withLive, resultBytes }: { sessionId: string; withLive: boolean; resultBytes: number },
  deps: RequestDeps,
): Promise<Response> {
  const cursor = EventCursor.parse(context.req.header('last-event-id') ?? '');
  if (cursor === undefined)
    throw new Problem(
      'REQUEST_INVALID',
      'header Last-Event-ID: is not an id of this stream; leave it out to start from the first event',
    );
  const session = await deps.store.get(paths.session(sessionId), sessionType);
  if (session === undefined) throw unknownSession(sessionId);
  return sendEvents(context, deps, async ({ signal, send }) => {
    let state = '';
    const now = () => deps.clock.now();
    const sendNoted = (event: string, data: object) => send(event, data, cursor.toString());
    // Recorded when an event is sent: a reader that disconnects has not read queued events.
    const take = (event: Parameters<EventCursor['has']>[0]) => !cursor.has(event);
    for await (const one of followSession({ sessionId, take, withLive, signal }, deps)) {
      if (one.kind === 'event' && cursor.take(one.event))
        await sendNoted('timeline', eventJson(one.id, one.event, resultBytes));
      if (one.kind === 'unreadable') await sendNoted('unreadable', { ...one.document, now: now() });
      if (one.kind === 'heartbeat') await sendNoted('heartbeat', { now: now() });
      if (one.kind === 'live') await sendNoted('live', { ...liveJson(one), now: now() });
      if (one.kind !== 'session') continue;
      const text = JSON.stringify(toStreamState(one.session));
      if (text !== state) await sendNoted('session', { ...toStreamState(one.session), now: now() });
      state = text;
    }
    if (!signal.aborted) await sendNoted('end', { now: now() });
  });
}

interface Sender {
  /** Aborts when the reader disconnects. */
  signal: AbortSignal;
  /** Sends one event. @param id for `Last-Event-ID`. */
  send(event: string, data: object, id?: string): Promise<unknown>;
}

/** Responds with the events that `work` sends. An error becomes the event `error` and ends the stream. */
function sendEvents(
  context: Context,
  { clock, mask, log }: RequestDeps,
  work: (sender: Sender) => Promise<void>,
): Response {
  return streamSSE(context, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    const send: Sender['send'] = (event, data, id) =>
      stream.writeSSE({ event, data: JSON.stringify(data), ...(id !== undefined && { id }) });
    try {
      await work({ signal: left.signal, send });
    } catch (error) {
      log.warn(`a stream ends: ${errorMessage(error)}`);
      const detail = error instanceof ReaderTooSlow ? error.message : problemDetails(error, mask).detail;
      await send('error', { detail, now: clock.now() });
    }
  });
}

/** The current output of an execution; empty when it has ended. */
export function liveJson({ live, ended }: LiveChange) {
  const { executionId, iteration } = live;
  const { text, textStart, thinking, thinkingStart } = ended ? NOTHING : live;
  return { executionId, iteration, text, textStart, thinking, thinkingStart, ended };
}

const NOTHING = { text: '', textStart: 0, thinking: '', thinkingStart: 0 };

/** The state of a session in a stream. */
export function toStreamState(session: Session) {
  const { sessionId, status, openStage, currentStageId, steering, executiveSummary, failure, deferral } =
    session;
  return {
    sessionId,
    status,
    currentStageId: openStage?.stageId ?? currentStageId,
    paused: steering.paused,
    deferredUntil: deferral?.until ?? null,
    executiveSummary,
    verdict: readPart(verdictPart, session)?.value ?? null,
    failure,
  };
}

/** Milliseconds for which sessions are watched. Ids start with the day on which the alert was published. */
const WATCHED_MS = 2 * 24 * 3_600_000;

/**
 * Streams the sessions of the last days: first the current state of each, then its changes. The stream never
 * ends on its own.
 * @param since an ISO time: sessions published on that day or later. Default: two days ago.
 */
export function streamSessions(context: Context, since: string | undefined, deps: RequestDeps): Response {
  const { store, clock } = deps;
  const first = since === undefined ? new Date(clock.now().getTime() - WATCHED_MS) : new Date(since);
  const from = first.toISOString().slice(0, 10);
  return sendEvents(context, deps, async ({ signal, send }) => {
    const stops: (() => void)[] = [];
    const stop = () => {
      for (const end of stops.splice(0)) end();
    };
    const queue = new PushQueue<Session | 'heartbeat' | { unreadable: Unreadable }>(signal, stop);
    const states = new Map<string, string>();
    stops.push(
      watchReadable(
        { collection: paths.sessions, idRange: { from, to: '\uf8ff' } },
        sessionType,
        {
          onDocuments(documents) {
            queue.push(documents.map(({ value }) => value));
            queue.limit();
          },
          onUnreadable: (unreadable) => queue.push([{ unreadable }]),
          onError: (error) => queue.fail(error),
        },
        store,
      ),
      clock.every(HEARTBEAT_MS, () => queue.push(['heartbeat'])),
    );
    try {
      for await (const one of queue.read()) {
        const now = clock.now();
        if (one === 'heartbeat') {
          await send('heartbeat', { now });
          continue;
        }
        if ('unreadable' in one) {
          await send('unreadable', { ...one.unreadable, now });
          continue;
        }
        const state = { ...toStreamState(one), ...toSessionHead(one) };
        const text = JSON.stringify(state);
        if (states.get(one.sessionId) !== text) await send('session', { ...state, now });
        states.set(one.sessionId, text);
      }
    } finally {
      stop();
    }
  });
}

/** The fields of a session in a list. */
export function toSessionHead(session: Session) {
  const { kind, title, chain, createdAt, endedAt } = session;
  const alert = readSessionAlert(session);
  return {
    kind,
    title: title ?? alert?.title ?? null,
    severity: alert?.severity ?? null,
    source: alert?.source ?? null,
    chain: chain.name,
    createdAt,
    endedAt,
  };
}
