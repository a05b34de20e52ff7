// Follows a stream of server-sent events. Reconnects, and continues after the last event.

import type { EventSourceMessage } from 'eventsource-parser';
import { backOffMs } from '../../../shared/text/backOff.ts';
import { ApiError, isSignedOut, readApiError } from './client.ts';

/** The state of a stream. `retryAt`: on the clock of `performance.now()`. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'ended' }
  | { kind: 'lost'; retryAt: number; retry: () => void }
  | { kind: 'refused'; error: ApiError };

/** A message of a stream, by its event. */
export type StreamEvent<Messages> = {
  [K in keyof Messages]: { event: K; data: Messages[K] };
}[keyof Messages];

/** @typeParam Messages The data of each event. */
interface FollowOptions<Messages> {
  path: string;
  /** The id of the event after which the stream continues. Default: all events. */
  lastId?: string;
  onEvent(message: StreamEvent<Messages>): void;
  onConnection(connection: Connection): void;
  /** Whether the stream stays connected while the page is hidden. Default: no. */
  staysWhenHidden?(): boolean;
  /** The position in the stream has expired: everything must be read again. */
  onStale(): void;
}

/** Two heartbeats, and a little. */
const SILENCE_MS = 32_000;
/** A hidden page gives its connection back: a browser has few of them. */
const HIDDEN_MS = 30_000;
/** A hidden page reconnects when it is visible again. */
const MOST_HIDDEN_MS = 24 * 3_600_000;

/** Statuses for a position that is invalid, expired, or too long for a header. */
const STALE = new Set([400, 410, 431]);

/** Before a lost connection is opened again: 1, 2, 4 … 30 s, of which chance (0 to 1) takes half at most. */
const reconnectMs = (attempt: number, chance: number): number =>
  Math.round(backOffMs({ firstMs: 1_000, mostMs: 30_000 }, attempt + 1) * (0.5 + chance / 2));

/** Whether the same request is refused again. A limit of requests or streams (429) passes. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/** Follows a stream until it ends, or until the returned function is called. */
export function follow<Messages>(options: FollowOptions<Messages>): () => void {
  const { path, onEvent, onConnection, onStale, staysWhenHidden = () => false } = options;
  const stopped = new AbortController();
  let { lastId = '' } = options;
  let attempt = 0;
  let current = new AbortController();
  let retryNow: () => void = () => {};
  let hasEnded = false;
  const isAway = () => document.hidden && !staysWhenHidden();

  const onMessage = ({ event = 'message', data, id }: EventSourceMessage) => {
    if (id !== undefined) lastId = id;
    if (event === 'end') hasEnded = true;
    onEvent({ event, data: JSON.parse(data) } as StreamEvent<Messages>);
  };
  const onOpen = () => {
    attempt = 0;
    onConnection({ kind: 'live' });
  };
  const untilRetry = (): Promise<void> => {
    const ms = isAway() ? MOST_HIDDEN_MS : reconnectMs(attempt++, Math.random());
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
      if (!isAway()) onConnection({ kind: 'lost', retryAt: performance.now() + ms, retry: retryNow });
    });
  };
  /** @returns whether to retry. */
  const onFailed = (error: unknown): boolean => {
    if (!(error instanceof ApiError)) return true;
    if (lastId !== '' && STALE.has(error.status)) {
      lastId = '';
      onStale();
      return true;
    }
    if (!isFinal(error.status)) return true;
    isSignedOut.value = error.status === 401;
    onConnection({ kind: 'refused', error });
    return false;
  };
  const run = async (): Promise<void> => {
    onConnection({ kind: 'connecting' });
    while (!stopped.signal.aborted && !hasEnded) {
      current = new AbortController();
      try {
        await readConnection({ path, lastId, onOpen, onMessage }, current, stopped.signal);
      } catch (error) {
        if (stopped.signal.aborted || !onFailed(error)) return;
      }
      if (!hasEnded && !stopped.signal.aborted) await untilRetry();
    }
    if (hasEnded) onConnection({ kind: 'ended' });
  };
  const stopWatching = watchPage({ isAway, retry: () => retryNow(), disconnect: () => current.abort() });
  void run();
  return () => {
    stopped.abort();
    retryNow();
    stopWatching();
  };
}

interface ConnectionOptions {
  path: string;
  /** The id of the last event that was read; '' for none. */
  lastId: string;
  onOpen(): void;
  onMessage(message: EventSourceMessage): void;
}

/** Reads one connection until it ends. Silence aborts it. @throws ApiError, or the reason of an abort. */
async function readConnection(
  { path, lastId, onOpen, onMessage }: ConnectionOptions,
  own: AbortController,
  stopped: AbortSignal,
): Promise<void> {
  let silence = setTimeout(() => own.abort(), SILENCE_MS);
  try {
    const response = await fetch(path, {
      headers: lastId === '' ? {} : { 'last-event-id': lastId },
      signal: AbortSignal.any([own.signal, stopped]),
      credentials: 'same-origin',
    });
    if (!response.ok) throw await readApiError(response);
    onOpen();
    // A page that follows nothing does not load it.
    const { createParser } = await import('eventsource-parser');
    const parser = createParser({ onEvent: onMessage });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) return;
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(), SILENCE_MS);
      parser.feed(piece.value);
    }
  } finally {
    clearTimeout(silence);
  }
}

interface PageActions {
  /** Whether the page is hidden and needs no stream. */
  isAway(): boolean;
  retry(): void;
  disconnect(): void;
}

/** Disconnects a page that is away or offline, and retries when it is back. @returns stops watching. */
function watchPage({ isAway, retry, disconnect }: PageActions): () => void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisible = () => {
    clearTimeout(hiding);
    if (isAway()) hiding = setTimeout(disconnect, HIDDEN_MS);
    else retry();
  };
  document.addEventListener('visibilitychange', onVisible);
  addEventListener('online', retry);
  addEventListener('offline', disconnect);
  return () => {
    clearTimeout(hiding);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('online', retry);
    removeEventListener('offline', disconnect);
  };
}
