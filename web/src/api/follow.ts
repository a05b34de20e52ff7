// A stream of the API on a page: its state for people, and no connection while the page is hidden or offline.

import type { ParametersOf, StreamMessage, StreamPath } from '../../../shared/client/routes.ts';
import { api, asError } from './client.ts';

/** The state of a stream. `retryAt`: on the clock of `performance.now()`. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'ended' }
  | { kind: 'lost'; retryAt: number; retry: () => void }
  | { kind: 'refused'; error: Error & { code?: string } };

interface FollowOptions<P extends StreamPath> {
  path: P;
  parameters: ParametersOf<`GET ${P}`>;
  /** The id of the event after which the stream continues. Default: all events. */
  lastId?: string;
  onEvent(message: StreamMessage<P>): void;
  onConnection(connection: Connection): void;
  /** Whether the stream stays connected while the page is hidden. Default: no. */
  staysWhenHidden?(): boolean;
  /** The position in the stream has expired: everything must be read again. */
  onStale(): void;
}

/** A hidden page gives its connection back: a browser has few of them. */
const HIDDEN_MS = 30_000;
/** A hidden page reconnects when it is visible again. */
const MOST_HIDDEN_MS = 24 * 3_600_000;

/** Follows a stream until it ends, or until the returned function is called. */
export function follow<P extends StreamPath>(options: FollowOptions<P>): () => void {
  const { path, parameters, lastId = '', onEvent, onConnection, onStale } = options;
  const stopped = new AbortController();
  let disconnect = () => {};
  let retryNow = () => {};
  const isAway = () => document.hidden && !options.staysWhenHidden?.();

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, isAway() ? MOST_HIDDEN_MS : ms);
      retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
      if (!isAway()) onConnection({ kind: 'lost', retryAt: performance.now() + ms, retry: retryNow });
    });
  const run = async (): Promise<void> => {
    onConnection({ kind: 'connecting' });
    const following = api.follow(path, parameters, {
      signal: stopped.signal,
      lastId,
      pause,
      onStale,
      onConnect(end) {
        disconnect = end;
      },
      onOpen: () => onConnection({ kind: 'live' }),
    });
    for await (const messages of following) for (const message of messages) onEvent(message);
    onConnection({ kind: 'ended' });
  };
  const stopWatching = watchPage({ isAway, retry: () => retryNow(), disconnect: () => disconnect() });
  run().catch((error) => {
    if (!stopped.signal.aborted) onConnection({ kind: 'refused', error: asError(error) });
  });
  return () => {
    stopped.abort();
    retryNow();
    stopWatching();
  };
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
