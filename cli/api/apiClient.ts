// A client of the HTTP API, for a server at an address or for the API in this process.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { describeCause, errorMessage } from '../../shared/errors.ts';
import { paths } from '../../shared/schema/documents.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { checkPath } from '../../shared/store/storable.ts';
import { secondsText } from '../../shared/text/amounts.ts';
import { backOffMs } from '../../shared/text/backOff.ts';
import { isObject } from '../../shared/text/json.ts';
import { type ApiOptions, KEY_VARIABLE, LAST } from '../options/commandOptions.ts';
import { onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';
import { readApiProblem } from './apiProblem.ts';

const TIMEOUT_MS = 60_000;
const RETRY_MS = [500, 2_000] as const;
/** Before a lost stream is opened again. */
const RECONNECT = { firstMs: 1_000, mostMs: 30_000 };
/** How many sessions an error message about an ambiguous prefix lists. */
const MAX_LISTED = 5;
/** Fields with untrusted content, in which text that looks like a time is left as it is. */
const UNTRUSTED_FIELDS = new Set(['labels', 'annotations', 'arguments', 'metadata', 'fields']);
const TIME_KEY = /(?:At|^at|^deadline|^until|^now)$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Query parameters. Undefined values are left out, and a list repeats its parameter. */
type Query = Record<string, string | number | readonly string[] | undefined>;

/** A client of the API. Each call throws Error with the problem's code and its remedy. */
export interface ApiClient {
  /** The address, or the database, for people. */
  where: string;
  /** Returns the JSON of a response. */
  get<T>(path: string, query?: Query): Promise<T>;
  /** Sends `body`. Retries a lost connection with the same idempotency key: one write. */
  post<T>(path: string, body: unknown, query?: Query, headers?: Record<string, string>): Promise<T>;
  /** Events of a stream until its end. Reconnects, and continues with the next event. */
  follow(path: string, signal: AbortSignal, onLost: (line: string) => void): AsyncGenerator<ApiEvent>;
  /** Resolves an id, a unique prefix of an id, or `last` to the id of a session. */
  findSession(argument: string): Promise<string>;
}

/** An event of a stream. Times are Date objects. */
interface ApiEvent {
  /** `timeline`, `session`, `unreadable`, `heartbeat` or `end`. */
  name: string;
  /** The parsed JSON. */
  data: unknown;
}

/** A client of the API at `url`; undefined without one. @throws UsageError for an invalid address. */
export function servedApi(
  { url, tenant = DEFAULT_TENANT, by, user = by }: ApiOptions,
  env = process.env,
): ApiClient | undefined {
  if (url === undefined || url === '') return undefined;
  const base = parseApiAddress(url);
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
      throw new Unreachable(`nothing answers at ${base.origin}: ${describeCause(error)}`);
    }
  };
  return createClient({ base, where: inTenant(base.origin, tenant), send, mayLoseAnswers: true });
}

/** The name of a system for people, with the tenant unless it is the default one. */
export function inTenant(where: string, tenant: string): string {
  return tenant === DEFAULT_TENANT ? where : `${where}, tenant ${tenant}`;
}

/** Sends a request, as `fetch` does. */
type Send = (target: URL, init: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

interface Connection {
  /** The prefix of all addresses. */
  base: URL;
  /** For people. */
  where: string;
  /** @throws Unreachable when there was no response. */
  send: Send;
  /** Whether a response can be lost. If so, writes carry an idempotency key and are retried. */
  mayLoseAnswers: boolean;
}

/** @throws Unreachable when the answer ends before its end; SyntaxError when it is no JSON. */
async function readJsonResponse(response: Response, where: string): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof TypeError)
      throw new Unreachable(`the answer of ${where} ended early`, { cause: error });
    throw error;
  }
}

/** A client that sends its requests with `send`. */
export function createClient({ base, where, send, mayLoseAnswers }: Connection): ApiClient {
  const address = (path: string, query: Query = {}) => {
    const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
    for (const [name, value] of Object.entries(query))
      for (const one of [value ?? []].flat()) target.searchParams.append(name, `${one}`);
    return target;
  };
  const request = async (...[target, init]: Parameters<Send>): Promise<Response> => {
    const response = await send(target, init);
    if (response.ok) return response;
    const problem = await readApiProblem(response, target.pathname, where);
    if (mayLoseAnswers && response.status === 503) throw new Unreachable(problem.message, { cause: problem });
    throw problem;
  };
  /** Repeats a request whose answer was lost: reads change nothing, writes have a key. */
  const answerOf = async (...[target, init]: Parameters<Send>): Promise<never> => {
    for (const wait of [...(mayLoseAnswers ? RETRY_MS : []), undefined]) {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        return (await readJsonResponse(await request(target, { ...init, signal }), where)) as never;
      } catch (error) {
        if (wait === undefined || !(error instanceof Unreachable)) throw error;
        await sleep(wait);
      }
    }
    throw new Error('unreachable');
  };
  const client: ApiClient = {
    where,
    get: (path, query) => answerOf(address(path, query), {}),
    async post(path, body, query, more = {}) {
      const isBytes = body instanceof Uint8Array;
      const init = {
        method: 'POST',
        headers: {
          ...more,
          ...(mayLoseAnswers && { 'idempotency-key': randomUUID() }),
          ...(!isBytes && { 'content-type': 'application/json' }),
        },
        body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
      };
      return answerOf(address(path, query), init);
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
          const waitMs = backOffMs(RECONNECT, lost + 1);
          onLost(`${errorMessage(error)}; connecting again in ${secondsText(waitMs)}`);
          await sleep(waitMs, undefined, { signal });
        }
      }
    },
    async findSession(argument) {
      if (argument === LAST) return await newestSession(client);
      const prefix = parseSessionId(argument);
      const { ids } = await client.get<{ ids: string[] }>('/v1/session-ids', {
        prefix,
        limit: MAX_LISTED + 1,
      });
      const [first] = ids;
      const name = onOneLine(prefix);
      if (first === undefined)
        throw new Error(`there is no session ${name} in ${where}; \`inquest list\` lists the existing ones`);
      // A complete id can be a prefix of others, and sorts before them.
      if (ids.length === 1 || first === prefix) return first;
      const more = ids.length > MAX_LISTED ? ', …' : '';
      const found = ids.slice(0, MAX_LISTED).map(onOneLine).join(', ');
      throw new UsageError(`several sessions start with ${name}: ${found}${more}`);
    },
  };
  return client;
}

/** The id in `ID` or `sessions/ID`. @throws UsageError when it is no valid session id. */
function parseSessionId(argument: string): string {
  const sessionId = argument.replace(/^sessions\//, '');
  try {
    checkPath(paths.session(sessionId), 'document');
  } catch (error) {
    throw new UsageError(`${JSON.stringify(argument)} is not the id of a session`, { cause: error });
  }
  return sessionId;
}

async function newestSession({ get, where }: ApiClient): Promise<string> {
  type Page = { sessions: { sessionId: string }[]; next: string | null };
  for (let after: string | undefined; ; ) {
    const { sessions, next } = await get<Page>('/v1/sessions', { limit: 1, after });
    const [newest] = sessions;
    if (newest !== undefined) return newest.sessionId;
    // A page can be empty although later pages are not, because sessions of other tenants are skipped.
    if (next === null) throw new Error(`there is no session in ${where}`);
    after = next;
  }
}

/** There was no response; the request can be retried. */
class Unreachable extends Error {}

function parseApiAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw new UsageError(
      '--url must be https://…, or http:// with 127.0.0.1 or localhost: a key goes with every request',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(
      `--url must be an address without credentials or query; set the key in ${KEY_VARIABLE}`,
    );
  return url;
}

/** A JSON value in which the times in the API's own fields are Date objects. */
export function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (typeof entry === 'string')
        return [key, TIME_KEY.test(key) && TIME.test(entry) ? new Date(entry) : entry];
      return [key, UNTRUSTED_FIELDS.has(key) ? entry : withDates(entry)];
    }),
  );
}
