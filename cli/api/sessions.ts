// Reads single sessions through the API, and timelines as they grow.

import type { Claims } from '../../shared/api/types.ts';
import { markUnchecked, NOT_READ } from '../../shared/evidence/markUnchecked.ts';
import type { SessionView } from '../../shared/runtime/views/sessionView.ts';
import type { OnUnreadable, Unreadable } from '../../shared/schema/readable.ts';
import { compareEvents, type TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { asObject } from '../../shared/text/json.ts';
import { type ApiClient, withDates } from './apiClient.ts';
import { orderedByExecution } from './eventOrder.ts';

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
  const view = withDates(await api.get(`/v1/sessions/${sessionId}`)) as ShownSession & { now?: Date };
  const { now: _, ...rest } = view;
  return rest;
}

async function readTimeline(api: ApiClient, sessionId: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await api.get<{ events: object[]; next: string | null }>(
      `/v1/sessions/${sessionId}/timeline`,
      { after },
    );
    for (const event of page.events) events.push(await wholeEvent(api, withDates(event)));
    if (page.next === null) break;
    after = page.next;
  }
  return events.sort(compareEvents);
}

/** Fields that the API adds to stored events. */
const ABOUT_EVENTS = ['eventId', 'cut', 'lines', 'bytes', 'masked', 'truncated'];

/** An event as it is stored. Fetches a long event separately, because lists and streams truncate it. */
async function wholeEvent(api: ApiClient, shown: unknown): Promise<TimelineEvent> {
  const { sessionId, eventId, cut } = asObject(shown);
  const event = cut ? withDates(await api.get(`/v1/sessions/${sessionId}/timeline/${eventId}`)) : shown;
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
  for await (const { name, data } of api.follow(
    `/v1/sessions/${sessionId}/events?live=off`,
    signal,
    onLost,
  )) {
    if (name === 'timeline') inOrder.add(await wholeEvent(api, data));
    if (name === 'unreadable') {
      const event = data as Unreadable;
      if (inOrder.skip(event.path)) onUnreadable?.(event);
    }
    const { status, deferredUntil = null } = asObject(data);
    // Without a time, the session waits until it is started by hand.
    if (name === 'session' && status === 'deferred' && deferredUntil === null) return;
  }
}

const timelineKey = ({ executionId, sequenceNumber }: TimelineEvent) => `${executionId}.${sequenceNumber}`;

/** The analysis with its marks, and their limits; as it is where its claims were not checked. */
export async function markedAnalysis(
  api: Pick<ApiClient, 'get'>,
  { sessionId, finalAnalysis, verdict }: Pick<SessionView, 'sessionId' | 'finalAnalysis' | 'verdict'>,
): Promise<string | null> {
  if (finalAnalysis === null || verdict === null) return finalAnalysis;
  const { values } = (await api.get(`/v1/sessions/${encodeURIComponent(sessionId)}/claims`)) as Claims;
  return `${markUnchecked(finalAnalysis, values)}\n\n${NOT_READ}`;
}
