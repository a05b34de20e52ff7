// Everything that happens in a session, as it happens, until nothing more does.

import { errorMessage, RetryableError } from '../errors.ts';
import { readableOnly, watchReadable } from '../runtime/views/readable.ts';
import { isTerminal } from '../schema/common.ts';
import { paths, sessionType, timelineEventType } from '../schema/documents.ts';
import { isOfDocument, readableType, type Unreadable } from '../schema/readable.ts';
import type { Session } from '../schema/session.ts';
import type { TimelineEvent } from '../schema/timelineEvent.ts';
import { followLive, LatestSpeech, type LiveChange } from './followLive.ts';
import { PushQueue } from './pushQueue.ts';
import type { RequestDeps } from './route.ts';

/** Milliseconds between heartbeats. Proxies close connections that are silent for longer. */
export const HEARTBEAT_MS = 15_000;
/** An item of the stream. */
export type Happening =
  | { kind: 'event'; id: string; event: TimelineEvent }
  /** Also the state in which the session is found. */
  | { kind: 'session'; session: Session }
  /** The current output of a model. Replaces the previous output of the execution. */
  | ({ kind: 'live' } & LiveChange)
  /** A document that cannot be read: an event, which comes as one only when it can be. */
  | { kind: 'unreadable'; document: Unreadable }
  | { kind: 'heartbeat' };

/** An item in a reader's queue. For model output only a marker, because the reader gets the latest output. */
type Queued = Exclude<Happening, { kind: 'live' }> | { kind: 'spoken'; executionId: string };

const asHappening = (change: LiveChange): Happening => ({ kind: 'live', ...change });

/** The parts of a session to follow. */
interface FollowOptions {
  sessionId: string;
  /** Whether an event is wanted; asked once for each that is new to the store's watch, and again for all at the end. */
  take(event: TimelineEvent): boolean;
  /** Puts events that come together into another order. Default: that of their ids. */
  order?(events: TimelineEvent[]): TimelineEvent[];
  /** Whether nothing more is to come. Default: the session has ended, and answers no question. */
  isOver?(session: Session): boolean;
  /** Whether to follow the streamed output of models; the session then counts as watched. Default: false. */
  withLive?: boolean;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Follows a session. It ends when the session is over, all wanted events having come, and when the signal aborts.
 * @throws RetryableError when the store fails; ReaderTooSlow.
 */
export async function* followSession(
  { sessionId, take, order = (events) => events, isOver = hasEnded, withLive = false, signal }: FollowOptions,
  { store, clock, log }: RequestDeps,
): AsyncGenerator<Happening, void> {
  const stops: (() => void)[] = [];
  let stopLive: (() => void) | undefined;
  const stop = () => {
    stopLive?.();
    for (const end of stops.splice(0)) end();
  };
  const queue = new PushQueue<Queued>(signal, stop);
  const speech = new LatestSpeech();
  const onEvents = (documents: { id: string; value: TimelineEvent }[]): void => {
    const wanted = new Map(documents.flatMap(({ id, value }) => (take(value) ? [[value, id]] : [])));
    const ordered = order([...wanted.keys()]);
    queue.push(ordered.map((event) => ({ kind: 'event', id: wanted.get(event) ?? '', event })));
    queue.limit();
  };
  const named = new Set<string>();
  const onUnreadable = (document: Unreadable): void => {
    if (named.has(document.path)) return;
    named.add(document.path);
    queue.push([{ kind: 'unreadable', document }]);
  };
  const onSession = (session: Session): void => {
    queue.push([{ kind: 'session', session }]);
    if (isOver(session)) queue.end();
    // Nothing of a session that was deferred changes before it is started.
    else if (withLive && session.status !== 'deferred')
      stopLive ??= followLive(sessionId, onLive, { store, clock, log });
  };
  const onLive = (change: LiveChange): void => {
    if (speech.take(change)) queue.push([{ kind: 'spoken', executionId: change.live.executionId }]);
  };
  const onError = (error: unknown): void => {
    log.warn({ sessionId }, `a stream ends: ${errorMessage(error)}`);
    queue.fail(
      isOfDocument(error)
        ? error
        : new RetryableError('STORE_UNAVAILABLE', 'the database did not go on', { cause: error }),
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
  const read = async function* (): AsyncGenerator<Happening, void> {
    for await (const one of queue.read()) {
      if (one.kind !== 'spoken') yield one;
      else yield* speech.read(one.executionId).map(asHappening);
    }
  };
  try {
    yield* read();
    if (signal.aborted) return;
    // The watch of the timeline can lag behind the watch of the session, which ended in the same batch. Events that are
    // read here must not be queued again, because that would count as a slow reader.
    stop();
    const stored = await store.list(
      { collection: paths.timeline(sessionId) },
      readableType(timelineEventType),
    );
    for (const { value } of stored) if (value.unreadable !== undefined) onUnreadable(value.unreadable);
    onEvents(readableOnly(stored));
    yield* read();
    yield* speech.ends().map(asHappening);
  } finally {
    stop();
  }
}

/** Whether the session has ended, or is deferred until it is started by hand. */
const hasEnded = ({ status, openStage }: Session): boolean => isTerminal(status) && openStage === null;
