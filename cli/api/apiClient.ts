// The client of the HTTP API for commands, and how they reach a served API.

import { type Client, createClient } from '../../shared/client/client.ts';
import { describeCause } from '../../shared/core/errors.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { paths } from '../../shared/lists/documents.ts';
import { checkPath } from '../../shared/store/storable.ts';
import { type ApiOptions, KEY_VARIABLE, LAST } from '../options/commandOptions.ts';
import { onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';
import { explainProblem } from './apiProblem.ts';

/** How many sessions an error message about an ambiguous prefix lists. */
const MAX_LISTED = 5;

/** A client of the API. Each call throws Error with the problem's code and its remedy. */
export interface ApiClient extends Client {
  /** The address, or the database, for people. */
  where: string;
  /** Resolves an id, a unique prefix of an id, or `last` to the id of a session. */
  findSession(argument: string): Promise<string>;
}

/** A client of the API at `url`; undefined without one. @throws UsageError for an invalid address. */
export function servedApi(
  { url, tenant = DEFAULT_TENANT, by, user = by }: ApiOptions,
  env = process.env,
): ApiClient | undefined {
  if (url === undefined || url === '') return undefined;
  const { origin, href } = parseApiAddress(url);
  const key = env[KEY_VARIABLE];
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(tenant !== DEFAULT_TENANT && { 'x-tenant-id': tenant }),
    ...(user != null && { 'x-user-id': user }),
  };
  return openClient(inTenant(origin, tenant), {
    base: href.replace(/\/$/, ''),
    send: (address, init) =>
      fetch(address, { ...init, headers: { ...headers, ...init.headers }, redirect: 'error' }),
    lostText: (cause) => `nothing answers at ${origin}: ${describeCause(cause)}`,
  });
}

/** The name of a system for people, with the tenant unless it is the default one. */
export function inTenant(where: string, tenant: string): string {
  return tenant === DEFAULT_TENANT ? where : `${where}, tenant ${tenant}`;
}

/** A client for commands. @param where names the API for people. */
export function openClient(where: string, connection: Parameters<typeof createClient>[0]): ApiClient {
  const client = createClient({ ...connection, explain: (error) => explainProblem(error, where) });
  return { ...client, where, findSession: (argument) => findSession(argument, where, client) };
}

async function findSession(argument: string, where: string, client: Client): Promise<string> {
  if (argument === LAST) return await newestSession(where, client);
  const prefix = parseSessionId(argument);
  const { ids } = await client.get('/v1/session-ids', { prefix, limit: MAX_LISTED + 1 });
  const [first] = ids;
  const name = onOneLine(prefix);
  if (first === undefined)
    throw new Error(`there is no session ${name} in ${where}; \`inquest list\` lists the existing ones`);
  // A complete id can be a prefix of others, and sorts before them.
  if (ids.length === 1 || first === prefix) return first;
  const more = ids.length > MAX_LISTED ? ', …' : '';
  const found = ids.slice(0, MAX_LISTED).map(onOneLine).join(', ');
  throw new UsageError(`several sessions start with ${name}: ${found}${more}`);
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

async function newestSession(where: string, client: Client): Promise<string> {
  const { sessions } = await client.get('/v1/sessions', { limit: 1 });
  if (sessions[0] === undefined) throw new Error(`there is no session in ${where}`);
  return sessions[0].sessionId;
}

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
