// Reads single sessions through the API, and timelines as they grow.

import { setTimeout as sleep } from 'node:timers/promises';
import { orderedByExecution } from '../../shared/client/eventOrder.ts';
import type { OnUnreadable } from '../../shared/core/schema/readable.ts';
import { compareEvents, type TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { markUnchecked, NOT_READ } from '../../shared/evidence/markUnchecked.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import { secondsText } from '../../shared/text/amounts.ts';
import { asObject, isObject } from '../../shared/text/json.ts';
import type { ApiClient } from './apiClient.ts';

/** Fields with untrusted content, in which text that looks like a time is left as it is. */
const UNTRUSTED_FIELDS = new Set(['labels', 'annotations', 'arguments', 'metadata', 'fields']);
const TIME_KEY = /(?:At|^at|^deadline|^until|^now)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A session as the API returns it. */
interface ShownSession extends SessionView {
  /** The session in the Firestore console; null where an emulator stores it. */
  documentUrl: string | null;
}

/** A session with its timeline, as `show` prints it. */
export async function readSession(api: ApiClient, sessionId: string): Promise<ShownSession> {
  const [view, timeline] = await Promise.all([readState(api, sessionId), readTimeline(api, sessionId)]);
  return { ...view, timeline };
}

/** A session without its timeline. */
export async function readState(api: ApiClient, sessionId: string): Promise<Omit<ShownSession, 'timeline'>> {
  const view = withDates(await api.get('/v1/sessions/{sessionId}', { sessionId })) as ShownSession & {
    now?: Date;
  };
  const { now: _, ...rest } = view;
  return rest;
}

async function readTimeline(api: ApiClient, sessionId: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await api.get('/v1/sessions/{sessionId}/timeline', { sessionId, after });
    for (const event of page.events) events.push(await wholeEvent(api, event));
    if (page.next === null) break;
    after = page.next;
  }
  return events.sort(compareEvents);
}

/** Fields that the API adds to stored events. */
const ABOUT_EVENTS = ['eventId', 'cut', 'lines', 'bytes', 'masked', 'truncated'];

/** An event as it is stored. Fetches a long event separately, because lists and streams truncate it. */
async function wholeEvent(
  api: ApiClient,
  shown: { sessionId: string; eventId: string; cut: boolean },
): Promise<TimelineEvent> {
  const { sessionId, eventId, cut } = shown;
  const path = '/v1/sessions/{sessionId}/timeline/{eventId}';
  const event = withDates(cut ? await api.get(path, { sessionId, eventId }) : shown);
  const fields = Object.entries(asObject(event)).filter(([name]) => !ABOUT_EVENTS.includes(name));
  return Object.fromEntries(fields) as unknown as TimelineEvent;
}

interface FollowOptions {
  onEvent: (event: TimelineEvent) => void;
  signal: AbortSignal;
  onLost: (line: string) => void;
  /** Called once for each event that cannot be read. */
  onUnreadable?: OnUnreadable;
  /** Whether to skip events that are stored before the call. */
  fromNow?: boolean;
}

/**
 * Reports the events of a session in the order of their numbers, each once, until the session has ended or is
 * deferred without a time.
 */
export async function followSession(
  api: ApiClient,
  sessionId: string,
  { onEvent, signal, onLost, onUnreadable, fromNow = false }: FollowOptions,
): Promise<void> {
  const known = new Set<string>();
  if (fromNow) for (const event of await readTimeline(api, sessionId)) known.add(timelineKey(event));
  const inOrder = orderedByExecution((event) => known.has(timelineKey(event)) || onEvent(event));
  const following = api.follow(
    '/v1/sessions/{sessionId}/events',
    { sessionId, live: 'off' },
    {
      signal,
      async pause(ms, lost) {
        onLost(`${lost.message}; connecting again in ${secondsText(Math.ceil(ms / 1_000) * 1_000)}`);
        await sleep(ms, undefined, { signal });
      },
    },
  );
  for await (const messages of following)
    for (const { event, data } of messages) {
      if (event === 'timeline') inOrder.add(await wholeEvent(api, data));
      if (event === 'unreadable' && inOrder.skip(data.path)) onUnreadable?.(data);
      // Without a time, the session waits until it is started by hand.
      if (event === 'session' && data.status === 'deferred' && data.deferredUntil === null) return;
    }
}

const timelineKey = ({ executionId, sequenceNumber }: TimelineEvent) => `${executionId}.${sequenceNumber}`;

/** The analysis with its marks, and their limits; as it is where its claims were not checked. */
export async function markedAnalysis(
  api: Pick<ApiClient, 'get'>,
  { sessionId, finalAnalysis, verdict }: Pick<SessionView, 'sessionId' | 'finalAnalysis' | 'verdict'>,
): Promise<string | null> {
  if (finalAnalysis === null || verdict === null) return finalAnalysis;
  const { values } = await api.get('/v1/sessions/{sessionId}/claims', { sessionId });
  return `${markUnchecked(finalAnalysis, values)}\n\n${NOT_READ}`;
}

/** A JSON value in which the times in the API's own fields are Date objects. */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (typeof entry === 'string')
        return [key, TIME_KEY.test(key) && TIME.test(entry) ? new Date(entry) : entry];
      return [key, UNTRUSTED_FIELDS.has(key) ? entry : withDates(entry)];
    }),
  );
}
