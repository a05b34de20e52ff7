// The front of Cloud Run: checks of callers, Identity-Aware Proxy, its concurrency limit.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type CryptoKey, jwtVerify, type KeyObject, SignJWT } from 'jose';
import { boundPort } from '../../local/processes/ports.ts';
import { asObject, asText, parseJson } from '../../shared/text/json.ts';
import type { Rights } from './rights.ts';
import { agentOf, type DeploymentSettings, type ServiceSettings } from './settings.ts';

/** The header that IAP adds. */
export const ASSERTION = 'x-goog-iap-jwt-assertion';
/** The cookie by which IAP recognises a person of this test. */
export const SIGNED_IN = 'signed-in';
/** The header of a call from outside of Google's network. Pub/Sub and the schedule call from inside. */
export const FROM_INTERNET = 'x-test-from-internet';

/** The groups that people are members of. */
const GROUPS: Record<string, string[]> = { 'oncall@example.com': ['group:sre@example.com'] };

/** A call and its answer. */
export interface Call {
  /** The id of the Pub/Sub message; undefined for other calls. */
  messageId: string | undefined;
  /** The session that the message is about; undefined for other messages. */
  sessionId: string | undefined;
  /** Epoch milliseconds of the shared clock. */
  startedMs: number;
  /** Undefined while it runs. */
  endedMs: number | undefined;
  /** Undefined while it runs; 499 when the caller did not wait for the answer. */
  status: number | undefined;
}

/** Keys of the signers. */
interface Signers {
  /** Verifies tokens of Pub/Sub and of the schedule. */
  google: KeyObject;
  /** Signs the assertions of IAP. */
  iap: CryptoKey;
}

/** The front end of a service. */
export interface FrontEnd {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** All calls, oldest first. */
  calls: Call[];
  /** Answers a call instead of the service, when set; a call without a status reaches the service. */
  instead: ((call: Call) => Promise<number | undefined>) | undefined;
  stop(): Promise<void>;
}

/**
 * Starts the front end of a service. Calls beyond its instances times its concurrency get 429.
 * @param settings read at each call, so that a test can change rights and limits.
 * @param backend the port of the service's instance, which starts when it is needed.
 */
export async function startFrontEnd(
  name: string,
  settings: () => DeploymentSettings,
  rights: Rights,
  signers: Signers,
  now: () => Date,
  backend: () => Promise<number>,
): Promise<FrontEnd> {
  let running = 0;
  const frontEnd: FrontEnd = {
    url: '',
    calls: [],
    instead: undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const call = callOf(body, now().getTime());
    frontEnd.calls.push(call);
    response.once('close', () => {
      call.endedMs = now().getTime();
      call.status = response.writableFinished ? response.statusCode : 499;
    });
    const { concurrency, max_instances: instances } = serviceOf(name, settings());
    if (running >= concurrency * instances) return void response.writeHead(429).end('Rate exceeded.');
    running++;
    response.once('close', () => running--);
    const checked = await checkCaller(request, name, settings(), rights, signers, now());
    if (typeof checked === 'number') return void response.writeHead(checked).end();
    const status = await frontEnd.instead?.(call);
    if (status !== undefined) return void response.writeHead(status).end();
    forward(request, checked, body, await backend(), response);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(`the front end of ${name} failed`, error);
      response.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  frontEnd.url = `http://127.0.0.1:${boundPort(server)}`;
  return frontEnd;
}

function serviceOf(name: string, { services }: DeploymentSettings): ServiceSettings {
  const service = services[name];
  if (service === undefined) throw new Error(`the settings have no service ${name}`);
  return service;
}

/** A call that starts now. */
function callOf(body: Buffer, startedMs: number): Call {
  const message = asObject(asObject(parseJson(body.toString('utf8'))).message);
  return {
    messageId: asText(message.messageId),
    sessionId: asText(asObject(message.attributes).sessionId),
    startedMs,
    endedMs: undefined,
    status: undefined,
  };
}

/** The headers of an allowed caller's request; else the refusal's status. */
async function checkCaller(
  { headers }: IncomingMessage,
  name: string,
  settings: DeploymentSettings,
  rights: Rights,
  signers: Signers,
  now: Date,
): Promise<IncomingMessage['headers'] | number> {
  const service = serviceOf(name, settings);
  // As if there were no such service.
  if (service.ingress === 'INGRESS_TRAFFIC_INTERNAL_ONLY' && headers[FROM_INTERNET]) return 404;
  if (service.public) return headers;
  const mayInvoke = (member: string) => rights.allows(member, 'roles/run.invoker', `services/${service.id}`);
  if (service.iap) {
    const email = new RegExp(`${SIGNED_IN}=([^;]+)`).exec(headers.cookie ?? '')?.[1];
    if (email === undefined) return 302;
    const members = [`user:${email}`, ...(GROUPS[email] ?? [])];
    const isMember = rights.allows(members, 'roles/iap.httpsResourceAccessor', `iap/services/${service.id}`);
    if (!isMember || !mayInvoke(agentOf('iap'))) return 403;
    const assertion = await signAssertion(email, service.environment.IAP_AUDIENCE ?? '', signers.iap, now);
    return { ...headers, [ASSERTION]: assertion };
  }
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return 403;
  const audience = [service.url, ...service.audiences];
  const options = { audience, issuer: 'https://accounts.google.com', currentDate: now };
  const email = await jwtVerify(token, signers.google, options).then(
    ({ payload }) => asText(payload.email),
    () => undefined,
  );
  if (email === undefined) return 401;
  return mayInvoke(`serviceAccount:${email}`) ? headers : 403;
}

/** What IAP signs for a person. */
export function signAssertion(email: string, audience: string, key: CryptoKey, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ email: `accounts.google.com:${email}`, sub: `accounts.google.com:${email}` })
    .setProtectedHeader({ alg: 'ES256', kid: 'test' })
    .setIssuer('https://cloud.google.com/iap')
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 600)
    .sign(key);
}

/** Passes a request to an instance. If it ends meanwhile: 503, as Cloud Run. */
function forward(
  { method, url = '/' }: IncomingMessage,
  headers: IncomingMessage['headers'],
  body: Buffer,
  port: number,
  response: ServerResponse,
): void {
  const options = { host: '127.0.0.1', port, method, path: url, headers };
  const request = sendRequest(options, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  request.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(503).end();
  });
  response.once('close', () => request.destroy());
  request.end(body);
}
