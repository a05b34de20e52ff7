// A stream of server-sent events that is opened again when it is lost, behind what was read.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { backOffMs } from './backOff.ts';
import { ApiError, isSignedOut, problemOf } from './client.ts';

/** Whether what is shown is what is. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'ended' }
  | { kind: 'lost'; retryAt: number; retry: () => void }
  | { kind: 'refused'; error: ApiError };

/** What a stream is followed for. */
export interface FollowOptions {
  path: string;
  onEvent(event: string, data: unknown): void;
  onConnection(connection: Connection): void;
  /** The cursor is too old: everything has to be read again. */
  onStale(): void;
}

/** Two heartbeats, and a little. */
const SILENCE_MS = 32_000;
/** A hidden page holds one of few connections. */
const HIDDEN_MS = 30_000;

/** What a cursor is refused with: it is none any more, is gone, or has become too long for a header. */
const STALE = new Set([400, 410, 431]);

/** Whether the same request is refused again. A limit of requests or streams (429) passes. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/** Follows a stream until it ends, or until the function that is returned is called. */
export function follow({ path, onEvent, onConnection, onStale }: FollowOptions): () => void {
  const left = new AbortController();
  let lastId = '';
  let attempt = 0;
  let current: AbortController | undefined;
  let wake: () => void = () => {};
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;

  const read = async (): Promise<void> => {
    const own = new AbortController();
    current = own;
    let silence = setTimeout(() => own.abort(), SILENCE_MS);
    try {
      const response = await fetch(path, {
        headers: lastId === '' ? {} : { 'last-event-id': lastId },
        signal: AbortSignal.any([own.signal, left.signal]),
        credentials: 'same-origin',
      });
      if (!response.ok) throw await problemOf(response);
      attempt = 0;
      onConnection({ kind: 'live' });
      const take = ({ event = 'message', data, id }: EventSourceMessage) => {
        if (id !== undefined) lastId = id;
        if (event === 'end') hasEnded = true;
        onEvent(event, JSON.parse(data));
      };
      const parser = createParser({ onEvent: take });
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
  };

  const untilRetry = (): Promise<void> => {
    const ms = document.hidden ? MOST_HIDDEN_MS : backOffMs(attempt++, Math.random());
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (!document.hidden) onConnection({ kind: 'lost', retryAt: performance.now() + ms, retry: wake });
    });
  };

  const run = async (): Promise<void> => {
    onConnection({ kind: 'connecting' });
    while (!left.signal.aborted && !hasEnded) {
      try {
        await read();
      } catch (error) {
        if (left.signal.aborted) return;
        if (error instanceof ApiError && lastId !== '' && STALE.has(error.status)) {
          lastId = '';
          onStale();
        } else if (error instanceof ApiError && isFinal(error.status)) {
          isSignedOut.value = error.status === 401;
          onConnection({ kind: 'refused', error });
          return;
        }
      }
      if (!hasEnded && !left.signal.aborted) await untilRetry();
    }
    if (hasEnded) onConnection({ kind: 'ended' });
  };

  const onVisible = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => current?.abort(), HIDDEN_MS);
    else wake();
  };
  const onOnline = () => wake();
  const onOffline = () => current?.abort();
  document.addEventListener('visibilitychange', onVisible);
  addEventListener('online', onOnline);
  addEventListener('offline', onOffline);
  void run();
  return () => {
    left.abort();
    wake();
    clearTimeout(hiding);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('online', onOnline);
    removeEventListener('offline', onOffline);
  };
}

/** A page that nobody sees waits until it is seen. */
const MOST_HIDDEN_MS = 24 * 3_600_000;
