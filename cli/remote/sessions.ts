// `list`, `show`, `watch` through the API.

import type { SessionRow } from '../../shared/runtime/views/sessionRow.ts';
import type { SessionView } from '../../shared/runtime/views/sessionView.ts';
import type { ListedSessions } from '../../shared/runtime/views/tenantSessions.ts';
import type { OnUnreadable, Unreadable } from '../../shared/schema/readable.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { asObject } from '../../shared/text/json.ts';
import { orderedByExecution } from '../follow.ts';
import { type ApiClient, withDates } from './apiClient.ts';

/** What `list` asks for. */
interface ListQuery {
  limit: number;
  status?: string[] | undefined;
  source?: string[] | undefined;
  severity?: string[] | undefined;
  chain?: string[] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  text?: string | undefined;
  after?: string | undefined;
}

/** What the API answers. */
interface SessionsAnswer {
  sessions: SessionRow[];
  unreadable?: Unreadable[];
  next: string | null;
}

const PAGE = 200;
/** How many pages without a session are read, before a person is asked whether to go on. */
const MAX_EMPTY = 5;

/** Rows of sessions, the newest first, from as many pages as it takes; and what comes next, null when that is all. */
export async function listSessions(
  api: ApiClient,
  { limit, status, source, severity, chain, since, until, text, after }: ListQuery,
): Promise<ListedSessions> {
  const rows: SessionRow[] = [];
  const unreadable: Unreadable[] = [];
  // A time is what a page may name instead of a session.
  let from = after === undefined || after.includes(':') ? after : await api.findSession(after);
  for (let empty = 0; rows.length < limit && empty < MAX_EMPTY; ) {
    const page = await api.get<SessionsAnswer>('/v1/sessions', {
      limit: Math.min(PAGE, limit - rows.length),
      ...{ status: status?.join(','), source: source?.join(','), severity: severity?.join(',') },
      ...{ chain: chain?.join(','), q: text, after: from },
      since: since?.toISOString(),
      until: until?.toISOString(),
    });
    const { sessions, next } = page;
    rows.push(...sessions);
    // An API of an older version names none.
    unreadable.push(...(page.unreadable ?? []));
    if (next === null) return { rows, unreadable, next };
    if (sessions.length === 0) empty++;
    from = next;
  }
  return { rows, unreadable, next: from ?? null };
}

/** A session with all that `show` prints. */
export async function readSession(api: ApiClient, sessionId: string): Promise<SessionView> {
  const view = withDates(await api.get(`/v1/sessions/${sessionId}`)) as SessionView & { now?: Date };
  const { now: _, ...rest } = view;
  const timeline = await readTimeline(api, sessionId);
  return { ...rest, timeline };
}

async function readTimeline(api: ApiClient, sessionId: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await api.get<{ events: object[]; next: string | null }>(
      `/v1/sessions/${sessionId}/timeline`,
      { after },
    );
    for (const event of page.events) events.push(eventOf(withDates(event)));
    if (page.next === null) break;
    after = page.next;
  }
  return events.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** An event of the API as it is stored, but for a long content, which is cut. */
function eventOf(event: unknown): TimelineEvent {
  const {
    eventId: _,
    cut: __,
    lines: ___,
    bytes: ____,
    ...rest
  } = event as TimelineEvent & Record<string, unknown>;
  return rest as unknown as TimelineEvent;
}

/** How a session is followed through the API. */
export interface FollowOptions {
  onEvent: (event: TimelineEvent) => void;
  signal: AbortSignal;
  onLost: (line: string) => void;
  /** Called once for each event that cannot be read. */
  onUnreadable?: OnUnreadable;
  /** Whether only what happens from now on is reported. */
  fromNow?: boolean;
}

/** Reports the events of a session in the order of their numbers, each once, until nothing more happens by itself. */
export async function followSession(
  api: ApiClient,
  sessionId: string,
  { onEvent, signal, onLost, onUnreadable, fromNow = false }: FollowOptions,
): Promise<void> {
  const known = new Set<string>();
  if (fromNow) for (const event of await readTimeline(api, sessionId)) known.add(keyOf(event));
  const inOrder = orderedByExecution((event) => known.has(keyOf(event)) || onEvent(event));
  for await (const { name, data } of api.follow(`/v1/sessions/${sessionId}/events`, signal, onLost)) {
    if (name === 'timeline') inOrder.add(eventOf(data));
    if (name === 'unreadable') {
      const event = data as Unreadable;
      if (inOrder.skip(event.path)) onUnreadable?.(event);
    }
    // Nothing happens by itself until somebody starts it.
    if (name === 'session' && asObject(data).status === 'deferred') return;
  }
}

const keyOf = ({ executionId, sequenceNumber }: TimelineEvent) => `${executionId}.${sequenceNumber}`;
