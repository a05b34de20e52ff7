// Follows a session: its events, states and live output as they occur, until the session is over.

import { errorMessage, RetryableError } from '../../core/errors.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { isOfDocument, readableType, type Unreadable } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';
import { compareEvents, type TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveChange } from '../../kits/live/liveSource.ts';
import { readableOnly, watchReadable } from '../../kits/views/readable.ts';
import { followLive, LatestOutput, type LiveDeps } from './followLive.ts';
import { PushQueue } from './pushQueue.ts';

/** Milliseconds between heartbeats. Proxies close connections that are silent for longer. */
export const HEARTBEAT_MS = 15_000;
type StreamItem =
  | { kind: 'event'; id: string; event: TimelineEvent }
  /** A state of the session. The first one is its state at the start of the stream. */
  | { kind: 'session'; session: Session }
  /** The current output of a model. Replaces the previous output of the execution. */
  | ({ kind: 'live' } & LiveChange)
  /** An event that cannot be read. It is sent as an event once it is readable. */
  | { kind: 'unreadable'; document: Unreadable }
  | { kind: 'heartbeat' };

/** An item in a reader's queue. Model output is only a marker, because the reader gets the latest output. */
type Queued = Exclude<StreamItem, { kind: 'live' }> | { kind: 'output'; executionId: string };

const liveItem = (change: LiveChange): StreamItem => ({ kind: 'live', ...change });

interface FollowOptions {
  /** The id of the session. */
  sessionId: string;
  /** Whether to send an event. Called for each event of the store's watch, and again for all at the end. */
  take(event: TimelineEvent): boolean;
  /** Reorders events that arrive together. Default: by time. */
  order?(events: TimelineEvent[]): TimelineEvent[];
  /** Whether the stream ends in this state. Default: the session has ended, and answers no question. */
  isOver?(session: Session): boolean;
  /** Whether to follow the streamed output of models; the session then counts as watched. Default: false. */
  withLive?: boolean;
  /** Ends the stream. */
  signal: AbortSignal;
}

/**
 * Follows a session. Ends when the session is over and all events were sent, or when the signal aborts.
 * @throws RetryableError when the store fails; ReaderTooSlow.
 */
export async function* followSession(
  { sessionId, take, order = byTime, isOver = hasEnded, withLive = false, signal }: FollowOptions,
  { store, clock, log, liveSource }: LiveDeps,
): AsyncGenerator<StreamItem, void> {
  const stops: (() => void)[] = [];
  let stopLive: (() => void) | undefined;
  const stop = () => {
    stopLive?.();
    for (const end of stops.splice(0)) end();
  };
  const queue = new PushQueue<Queued>(signal, stop);
  const outputs = new LatestOutput();
  const onEvents = (documents: { id: string; value: TimelineEvent }[]): void => {
    const wanted = new Map(documents.flatMap(({ id, value }) => (take(value) ? [[value, id]] : [])));
    const ordered = order([...wanted.keys()]);
    queue.push(ordered.map((event) => ({ kind: 'event', id: wanted.get(event) ?? '', event })));
    queue.limit();
  };
  const reported = new Set<string>();
  const onUnreadable = (document: Unreadable): void => {
    if (reported.has(document.path)) return;
    reported.add(document.path);
    queue.push([{ kind: 'unreadable', document }]);
  };
  const onSession = (session: Session): void => {
    queue.push([{ kind: 'session', session }]);
    if (isOver(session)) queue.end();
    // A deferred session does not change before it is started.
    else if (withLive && session.status !== 'deferred')
      stopLive ??= followLive(sessionId, onLive, { store, clock, log, liveSource });
  };
  const onLive = (change: LiveChange): void => {
    if (outputs.take(change)) queue.push([{ kind: 'output', executionId: change.live.executionId }]);
  };
  const onError = (error: unknown): void => {
    log.warn({ sessionId }, `a stream ends: ${errorMessage(error)}`);
    queue.fail(
      isOfDocument(error)
        ? error
        : new RetryableError('STORE_UNAVAILABLE', 'the database stopped sending changes', { cause: error }),
    );
  };
  stops.push(
    watchReadable(
      { collection: paths.timeline(sessionId) },
      timelineEventType,
      { onDocuments: onEvents, onUnreadable, onError },
      store,
    ),
    store.watch(
      { collection: paths.sessions, idRange: { from: sessionId, to: sessionId } },
      sessionType,
      ([found]) => found && onSession(found.value),
      onError,
    ),
    clock.every(HEARTBEAT_MS, () => queue.push([{ kind: 'heartbeat' }])),
  );
  const read = async function* (): AsyncGenerator<StreamItem, void> {
    for await (const one of queue.read()) {
      if (one.kind !== 'output') yield one;
      else yield* outputs.read(one.executionId).map(liveItem);
    }
  };
  try {
    yield* read();
    if (signal.aborted) return;
    // The watch of the timeline can lag behind the watch of the session, which ended in the same batch.
    // Events that are read here must not be queued again, because that would count as a slow reader.
    stop();
    const stored = await store.list(
      { collection: paths.timeline(sessionId) },
      readableType(timelineEventType),
    );
    for (const { value } of stored) if (value.unreadable !== undefined) onUnreadable(value.unreadable);
    onEvents(readableOnly(stored));
    yield* read();
    yield* outputs.ends().map(liveItem);
  } finally {
    stop();
  }
}

/** A late reader gets many events at once. Their ids order the session's events after those of agents. */
const byTime = (events: TimelineEvent[]): TimelineEvent[] => events.toSorted(compareEvents);

/** Whether the session has ended, or is deferred until it is started by hand. */
const hasEnded = ({ status, openStage }: Session): boolean => isTerminal(status) && openStage === null;
