// A client of the HTTP API: of one that is served at an address, or of one in this process.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorMessage } from '../../shared/errors.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { isObject } from '../../shared/text/json.ts';
import { sessionIdArgument } from '../options/sessionIdArgument.ts';
import { onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';
import { problemOf } from './apiProblem.ts';

/** Names the API where the option does not. */
const URL_VARIABLE = 'INQUEST_URL';
/** Holds the key: command lines are seen by other users of a machine. */
const KEY_VARIABLE = 'INQUEST_API_KEY';
const TIMEOUT_MS = 60_000;
const RETRY_MS = [500, 2_000] as const;
/** Stands for the session that was opened last. */
const LAST = 'last';
/** Sessions that are named when several begin with the same text. */
const NAMED = 5;
/** Only text below these may look like a time and be none. */
const FOREIGN = new Set(['labels', 'annotations', 'arguments', 'metadata', 'fields']);
const TIME_KEY = /(?:At|^at|^deadline|^until|^now)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** For the description of an argument that `findSession` reads. */
export const SESSION_ARGUMENT =
  'its id, the beginning of it that no other has, or `last` for the one that was opened last';

/** How a command reaches a system, and on whose behalf. */
export interface ApiOptions {
  /** The address of the API. Absent: the API in this process, on the database that the environment names. */
  url?: string;
  tenant?: string;
  /** Stored and shown as who did something. */
  by?: string;
  /** Whose entries and chats it works with; null for nobody's. Default: those of `by`. */
  user?: string | null;
}

/** What a request sends. */
type Query = Record<string, string | number | undefined>;

/** The API of a system. Each call throws Error with the problem's code and what to do. */
export interface ApiClient {
  /** The address, or the database, for people. */
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

/** The API at the address that a command is given; undefined without an address. @throws UsageError for a wrong address. */
export function servedApi(
  { url, tenant = DEFAULT_TENANT, by, user = by }: ApiOptions,
  env = process.env,
): ApiClient | undefined {
  if (url === undefined || url === '') return undefined;
  const base = addressOf(url);
  const key = env[KEY_VARIABLE];
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(tenant !== DEFAULT_TENANT && { 'x-tenant-id': tenant }),
    ...(user != null && { 'x-user-id': user }),
  };
  const send: Send = async (target, init) => {
    try {
      return await fetch(target, { ...init, headers: { ...headers, ...init.headers }, redirect: 'error' });
    } catch (error) {
      throw new Unreachable(`nothing answers at ${base.origin}: ${causeOf(error)}`);
    }
  };
  return createClient({ base, where: inTenant(base.origin, tenant), send, mayLoseAnswers: true });
}

/** A system as a tenant sees it, for people. */
export function inTenant(where: string, tenant: string): string {
  return tenant === DEFAULT_TENANT ? where : `${where}, tenant ${tenant}`;
}

/** Sends a request, as `fetch` does. */
type Send = (target: URL, init: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

/** What a client is made of. */
interface Connection {
  base: URL;
  /** For people. */
  where: string;
  /** @throws Unreachable when no answer came. */
  send: Send;
  /** Whether an answer can be lost on its way, so that a write carries a key and is sent again. */
  mayLoseAnswers: boolean;
}

/** A client of the API that `send` reaches. */
export function createClient({ base, where, send, mayLoseAnswers }: Connection): ApiClient {
  const address = (path: string, query: Query = {}) => {
    const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, `${value}`);
    return target;
  };
  const request = async (...[target, init]: Parameters<Send>): Promise<Response> => {
    const response = await send(target, init);
    if (response.ok) return response;
    const problem = await problemOf(response, where);
    if (mayLoseAnswers && response.status === 503) throw new Unreachable(problem.message, { cause: problem });
    throw problem;
  };
  const client: ApiClient = {
    where,
    async get(path, query) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return (await (await request(address(path, query), { signal })).json()) as never;
    },
    async post(path, body, query) {
      const isBytes = body instanceof Uint8Array;
      const init = {
        method: 'POST',
        headers: {
          ...(mayLoseAnswers && { 'idempotency-key': randomUUID() }),
          ...(!isBytes && { 'content-type': 'application/json' }),
        },
        body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
      };
      for (const wait of [...(mayLoseAnswers ? RETRY_MS : []), undefined]) {
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
          const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
          const response = await request(address(path), { headers, signal });
          const events = response.body
            ?.pipeThrough(new TextDecoderStream(), { signal })
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
      if (argument === LAST) return await newestSession(client);
      const prefix = sessionIdArgument(argument);
      const { ids } = await client.get<{ ids: string[] }>('/v1/session-ids', { prefix, limit: NAMED + 1 });
      const [first] = ids;
      const name = onOneLine(prefix);
      if (first === undefined)
        throw new Error(`there is no session ${name} in ${where}; \`inquest list\` shows those there are`);
      // The whole id of one may be the beginning of others, and sorts before them.
      if (ids.length === 1 || first === prefix) return first;
      const more = ids.length > NAMED ? ', …' : '';
      const found = ids.slice(0, NAMED).map(onOneLine).join(', ');
      throw new UsageError(`several sessions begin with ${name}: ${found}${more}`);
    },
  };
  return client;
}

async function newestSession({ get, where }: ApiClient): Promise<string> {
  type Page = { sessions: { sessionId: string }[]; next: string | null };
  for (let after: string | undefined; ; ) {
    const { sessions, next } = await get<Page>('/v1/sessions', { limit: 1, after });
    const [newest] = sessions;
    if (newest !== undefined) return newest.sessionId;
    // A page may have none though there are some, behind those of other tenants.
    if (next === null) throw new Error(`there is no session in ${where}`);
    after = next;
  }
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
