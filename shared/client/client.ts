// A client of the HTTP API, typed by its routes. It runs in the page and on the command line.

import type { AnswerOf } from '../lists/apiTypes.ts';
import { type ApiError, isLost, readApiError, unreachable } from './apiError.ts';
import type { FollowOptions } from './followEvents.ts';
import type { BodyOf, GetArguments, ParametersOf, PathOf, StreamMessage, StreamPath } from './routes.ts';

const TIMEOUT_MS = 60_000;
/** Pauses before a lost request is sent again. */
const RETRY_MS = [500, 2_000] as const;

/** How a client reaches the API. */
interface Connection {
  /** The prefix of all addresses, without a slash at the end. Default: the addresses are relative. */
  base?: string;
  /** Sends a request, as `fetch` does. */
  send(address: string, init: RequestInit): Promise<Response>;
  /**
   * The text for a request without a complete response, of which `cause` was thrown. Absent: no response can
   * be lost, so nothing is sent again, and errors of `send` are thrown as they are.
   */
  lostText?(cause: unknown): string;
  /** Called with the status of each response. Default: nothing. */
  onStatus?(status: number): void;
  /** The error to throw for a refused request. Default: the same. */
  explain?(error: ApiError): Error;
}

/** A client of the API. Calls throw ApiError, and the reason of their signal. */
export interface Client {
  /** Reads. A read that is lost is repeated. */
  get<P extends PathOf<'GET'>>(path: P, ...given: GetArguments<`GET ${P}`>): Promise<AnswerOf<`GET ${P}`>>;
  /**
   * Sends a body: JSON, or bytes and texts as they are. When the response is lost, it is sent again: one
   * write.
   */
  post<P extends PathOf<'POST'>>(
    path: P,
    parameters: ParametersOf<`POST ${P}`>,
    body: BodyOf<`POST ${P}`>,
    headers?: Record<string, string>,
  ): Promise<AnswerOf<`POST ${P}`>>;
  /** The messages of a stream until its event `end`, those together that arrive together. Reconnects. */
  follow<P extends StreamPath>(
    path: P,
    parameters: ParametersOf<`GET ${P}`>,
    options: FollowOptions,
  ): AsyncGenerator<StreamMessage<P>[], void>;
}

/** A client that sends its requests with `send`. */
export function createClient({
  base = '',
  send,
  lostText,
  onStatus,
  explain = (error) => error,
}: Connection): Client {
  const whenLost = (cause: unknown, signal: AbortSignal | null | undefined): unknown =>
    lostText === undefined || signal?.aborted ? cause : unreachable(lostText(cause));

  const request = async (address: string, init: RequestInit, signal = init.signal): Promise<Response> => {
    const response = await send(`${base}${address}`, init).catch((cause) => {
      throw whenLost(cause, signal);
    });
    onStatus?.(response.status);
    if (!response.ok) throw explain(await readApiError(response, address));
    return response;
  };
  /** Repeats a request whose response was lost: reads change nothing, writes have a key. */
  const readAnswer = async (address: string, init: RequestInit, signal?: AbortSignal): Promise<never> => {
    for (let tries = 0; ; tries++) {
      try {
        const timeout = AbortSignal.timeout(TIMEOUT_MS);
        const ends = signal ? AbortSignal.any([timeout, signal]) : timeout;
        const response = await request(address, { ...init, signal: ends }, signal);
        return (await response.json().catch((cause) => {
          throw cause instanceof SyntaxError ? cause : whenLost(cause, signal);
        })) as never;
      } catch (error) {
        const wait = RETRY_MS[tries];
        if (lostText === undefined || wait === undefined || !isLost(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
        signal?.throwIfAborted();
      }
    }
  };
  return {
    get: (path, ...[parameters, signal]) =>
      readAnswer(composeAddress(path, parameters as Parameters), {}, signal),
    post(path, parameters, body, headers) {
      const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
      return readAnswer(composeAddress(path, parameters as Parameters), {
        method: 'POST',
        headers: {
          ...headers,
          ...(lostText && { 'idempotency-key': crypto.randomUUID() }),
          ...(isJson && { 'content-type': 'application/json' }),
        },
        body: isJson ? JSON.stringify(body) : ((body ?? null) as NonNullable<RequestInit['body']>),
      });
    },
    async *follow(path, parameters, options) {
      const address = composeAddress(path, parameters as Parameters);
      // A page that follows nothing does not load it.
      const { followEvents } = await import('./followEvents.ts');
      yield* followEvents(
        (headers, signal) => request(address, { headers, signal }, options.signal),
        options,
      );
    },
  };
}

/** The values of parameters by name. Undefined values are left out, and a list repeats its parameter. */
type Parameters = Readonly<Record<string, unknown>>;

/**
 * The address of a route. Parameters that its path names fill the path, and the others are the query, in
 * their order: `/v1/sessions/{sessionId}/alert` with `{ sessionId: 'a', part: 1 }` is
 * `/v1/sessions/a/alert?part=1`.
 */
export function composeAddress(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (!path.includes(`{${name}}`)) for (const one of [value ?? []].flat()) query.append(name, `${one}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(`${parameters[name]}`));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
