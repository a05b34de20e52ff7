// Reads a stream of server-sent events: reconnects after a loss, and continues after the last event.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { backOffMs } from '../text/backOff.ts';
import { ApiError, unreachable } from './apiError.ts';

/** How a stream is followed. */
export interface FollowOptions {
  /** Ends the stream, which throws its reason. */
  signal: AbortSignal;
  /** The id of the event after which the stream continues. Default: all events. */
  lastId?: string;
  /** Called before each connection with the function that ends it as if it were lost. Default: nothing. */
  onConnect?(disconnect: () => void): void;
  /** Called when a connection is accepted. Default: nothing. */
  onOpen?(): void;
  /** Waits after a loss, `ms` milliseconds by default of the stream, until the next connection. */
  pause(ms: number, lost: ApiError): Promise<void>;
  /** Called when the position has expired: all events come again. Default: nothing. */
  onStale?(): void;
}

/** Opens a connection. @throws ApiError when it is refused or lost. */
type Open = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/** Two heartbeats, and a little. */
const SILENCE_MS = 32_000;
const RECONNECT = { firstMs: 1_000, mostMs: 30_000 };
/** Statuses for a position that is invalid, expired, or too long for a header. */
const STALE = new Set([400, 410, 431]);

/** Whether the same request is refused again. A limit of requests or streams (429) passes. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

/**
 * The messages of a stream until its event `end`, those of one piece of text together. A lost connection is
 * opened again after 1, 2, 4 … 30 s, of which chance takes half at most.
 * @throws ApiError when the stream is refused; errors of `open`; the reason of the signal.
 */
export async function* followEvents<Message extends { event: PropertyKey; data: unknown }>(
  open: Open,
  options: FollowOptions,
): AsyncGenerator<Message[], void> {
  const { signal, pause, onStale } = options;
  let { lastId = '' } = options;
  for (let losses = 1; ; losses++) {
    let lost = unreachable('the connection ended');
    try {
      for await (const messages of readConnection(open, lastId, options)) {
        losses = 1;
        for (const { id } of messages) lastId = id ?? lastId;
        yield messages.map(({ event = 'message', data }) => ({ event, data: JSON.parse(data) }) as Message);
        if (messages.some(({ event }) => event === 'end')) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError)) throw error;
      if (lastId !== '' && STALE.has(error.status)) {
        lastId = '';
        onStale?.();
      } else if (isFinal(error.status)) throw error;
      lost = error;
    }
    await pause(Math.round(backOffMs(RECONNECT, losses) * (0.5 + Math.random() / 2)), lost);
    signal.throwIfAborted();
  }
}

/** Reads one connection until it ends. Silence ends it. @throws ApiError, and errors of `open`. */
async function* readConnection(
  open: Open,
  lastId: string,
  { signal, onConnect, onOpen }: FollowOptions,
): AsyncGenerator<EventSourceMessage[], void> {
  const own = new AbortController();
  onConnect?.(() => own.abort());
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const silence = setTimeout(() => own.abort(), SILENCE_MS);
    return await work.finally(() => clearTimeout(silence));
  };
  const headers: Record<string, string> = lastId === '' ? {} : { 'last-event-id': lastId };
  const response = await timed(open(headers, AbortSignal.any([own.signal, signal])));
  onOpen?.();
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const read = reader?.read().catch((cause) => {
        throw unreachable(cause instanceof Error ? cause.message : 'the connection ended');
      });
      const piece = read && (await timed(read));
      if (piece?.value === undefined) return;
      parser.feed(decoder.decode(piece.value, { stream: true }));
      if (messages.length > 0) yield messages.splice(0);
    }
  } finally {
    own.abort();
  }
}
