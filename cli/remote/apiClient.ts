// The HTTP API of a system, for commands that are given its address instead of its database.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorMessage } from '../../shared/errors.ts';
import { isObject } from '../../shared/text/json.ts';
import { sessionIdArgument } from '../sessionIdArgument.ts';
import { UsageError } from '../usageError.ts';

/** Names the API where the option does not. */
const URL_VARIABLE = 'INQUEST_URL';
/** Holds the key: command lines are seen by other users of a machine. */
const KEY_VARIABLE = 'INQUEST_API_KEY';
const TIMEOUT_MS = 60_000;
const RETRY_MS = [500, 2_000] as const;
const MAX_PAGE = 200;
/** Only text below these may look like a time and be none. */
const FOREIGN = new Set(['labels', 'annotations', 'arguments', 'metadata', 'fields']);
const TIME_KEY = /(?:At|^at|^deadline|^until|^now)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Options of a command that may go through the API. */
export interface ApiOptions {
  url?: string;
  tenant?: string;
  by?: string;
}

/** What a request sends. */
type Query = Record<string, string | number | undefined>;

/** The API of a system. Each call throws Error with the problem's code and what to do. */
export interface ApiClient {
  /** The address, for people. */
  where: string;
  get<T>(path: string, query?: Query): Promise<T>;
  /** Sends `body` once, however often the connection fails. */
  post<T>(path: string, body: unknown, query?: Query): Promise<T>;
  /** Events of a stream until it ends; a connection that is lost goes on where it was. */
  follow(path: string, signal: AbortSignal, onLost: (line: string) => void): AsyncGenerator<ApiEvent>;
  /** The id of the session that a person means: an id, the beginning of one, or `last`. */
  findSession(argument: string): Promise<string>;
}

/** An event of a stream; times are dates. */
interface ApiEvent {
  name: string;
  data: unknown;
}

/** `--url`, for commands that go through the API as well. */
export function urlOption(): Option {
  return new Option(
    '--url <address>',
    `the address of the HTTP API, instead of the database; its key comes from ${KEY_VARIABLE}`,
  ).env(URL_VARIABLE);
}

/** The API that a command is given; undefined where it works on the database. @throws UsageError for a wrong address. */
export function apiOf({ url, tenant, by }: ApiOptions, env = process.env): ApiClient | undefined {
  if (url === undefined || url === '') return undefined;
  const base = addressOf(url);
  const key = env[KEY_VARIABLE];
  const isDefault = tenant === undefined || tenant === 'default';
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(!isDefault && { 'x-tenant-id': tenant }),
    ...(by !== undefined && { 'x-user-id': by }),
  };
  const address = (path: string, query: Query = {}) => {
    const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, `${value}`);
    return target;
  };
  const request = async (target: URL, init: RequestInit): Promise<Response> => {
    const response = await fetch(target, { ...init, redirect: 'error' }).catch((error: unknown) => {
      throw new Unreachable(`nothing answers at ${base.origin}: ${causeOf(error)}`);
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  };
  const client: ApiClient = {
    where: base.origin,
    async get(path, query) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return (await (await request(address(path, query), { headers, signal })).json()) as never;
    },
    async post(path, body, query) {
      const idempotent = { 'idempotency-key': randomUUID() };
      const isBytes = body instanceof Uint8Array;
      const init = {
        method: 'POST',
        headers: { ...headers, ...idempotent, ...(!isBytes && { 'content-type': 'application/json' }) },
        body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
      };
      for (const wait of [...RETRY_MS, undefined]) {
        try {
          const signal = AbortSignal.timeout(TIMEOUT_MS);
          return (await (await request(address(path, query), { ...init, signal })).json()) as never;
        } catch (error) {
          if (wait === undefined || !(error instanceof Unreachable)) throw error;
          await sleep(wait);
        }
      }
      throw new Error('unreachable');
    },
    async *follow(path, signal, onLost) {
      let last: string | undefined;
      for (let lost = 0; ; lost++) {
        try {
          const more = last === undefined ? {} : { 'last-event-id': last };
          const response = await request(address(path), { headers: { ...headers, ...more }, signal });
          const events = response.body
            ?.pipeThrough(new TextDecoderStream())
            .pipeThrough(new EventSourceParserStream());
          for await (const { event = '', data, id } of events ?? []) {
            last = id ?? last;
            lost = 0;
            yield { name: event, data: withDates(JSON.parse(data)) };
            if (event === 'end') return;
          }
          throw new Unreachable('the connection ended');
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof Unreachable) && !(error instanceof TypeError)) throw error;
          const wait = Math.min(30, 2 ** lost);
          onLost(`${errorMessage(error)}; connecting again in ${wait} s`);
          await sleep(wait * 1000, undefined, { signal });
        }
      }
    },
    async findSession(argument) {
      type Page = { sessions: { sessionId: string }[] };
      if (argument === 'last') {
        const [newest] = (await client.get<Page>('/v1/sessions', { limit: 1 })).sessions;
        if (newest !== undefined) return newest.sessionId;
        throw new Error(`there is no session in ${base.origin}`);
      }
      const prefix = sessionIdArgument(argument);
      const { sessions } = await client.get<Page>('/v1/sessions', { limit: MAX_PAGE });
      const found = sessions.map(({ sessionId }) => sessionId).filter((id) => id.startsWith(prefix));
      // One that is not among the latest must be named whole.
      if (found.length === 0 || found.includes(prefix)) return prefix;
      if (found.length === 1) return found[0] ?? prefix;
      throw new UsageError(`several sessions begin with ${prefix}: ${found.slice(0, 5).join(', ')}`);
    },
  };
  return client;
}

/** That no answer came, so that the same request may be sent again. */
class Unreachable extends Error {}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw new UsageError(
      '--url must be https://…, or http:// with 127.0.0.1 or localhost: a key goes with every request',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(`--url must be an address alone; the key belongs into ${KEY_VARIABLE}`);
  return url;
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorMessage(cause);
}

async function problemOf(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isObject(body) || typeof body.code !== 'string')
    return new Error(`the API answered ${response.status} ${response.statusText}: is it Inquest's?`);
  const again = response.status === 503;
  const text = `${body.code}: ${String(body.detail)}`;
  return again ? new Unreachable(text) : new Error(text);
}

/** A value of JSON with the times of the API's own fields as dates. */
export function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (typeof entry === 'string')
        return [key, TIME_KEY.test(key) && TIME.test(entry) ? new Date(entry) : entry];
      return [key, FOREIGN.has(key) ? entry : withDates(entry)];
    }),
  );
}
