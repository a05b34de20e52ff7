// Requests to destinations: one attempt, no redirects, a time limit for the whole, and a result that
// distinguishes requests that were certainly not sent from those whose answer was lost.

import { lookup as lookUp } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { DeliveryFailure, SendResult } from '../contract/destination.ts';
import { secondsText } from '../text/amounts.ts';
import { isPublicAddress } from '../text/publicAddress.ts';

/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 4_000_000;

/** A request. Its headers never appear in failures. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** HTTPS, or HTTP where `reach` is `any`. */
  url: string;
  headers?: Record<string, string>;
  /** Sent as it is. */
  body?: string | Buffer;
  /** Milliseconds for the whole request with its answer. */
  timeoutMs: number;
  /** `public`: only HTTPS to public addresses. `any`: addresses of the operator, such as internal hosts. */
  reach: 'public' | 'any';
}

/** The result of one request. */
export type HttpResult =
  | { outcome: 'answered'; status: number; headers: Readonly<Record<string, string>>; text: string }
  /** The destination has received nothing of it. */
  | { outcome: 'not_sent'; failure: DeliveryFailure; canRetry: boolean }
  /** It was sent, at least in part, and no complete answer came. */
  | { outcome: 'lost'; failure: DeliveryFailure };

/** Sends one request. Never throws. */
export type SendHttp = (request: HttpRequest) => Promise<HttpResult>;

/** Network access. Tests replace it. */
interface Network {
  /** The addresses of a host. */
  resolve: (host: string) => Promise<{ address: string; family: number }[]>;
  /** Whether an address belongs to the public internet. */
  isPublic: (address: string) => boolean;
}

const NETWORK: Network = {
  resolve: (host) => lookUp(host, { all: true, verbatim: true }),
  isPublic: isPublicAddress,
};

/** Makes the client. It keeps no connections and no cookies, and follows no redirects. */
export function createHttp(network: Network = NETWORK): SendHttp {
  return async (request) => {
    const url = URL.parse(request.url);
    const refusal = url === null ? 'the address is not valid' : findAddressRefusal(url, request.reach);
    if (url === null || refusal !== undefined)
      return notSent('address', `${refusal}; correct it in destinations.yaml`, false);
    const signal = AbortSignal.timeout(request.timeoutMs);
    const found = await resolveHost(url, request.reach, network);
    return 'failure' in found
      ? { outcome: 'not_sent', ...found }
      : await exchangeWith(url, found.address, request, signal);
  };
}

/**
 * The problems of an address that takes requests at public addresses only, without a request. Its name is
 * resolved from here; each request resolves it again, where `deliver` runs.
 */
export async function publicHostFaults(url: string, network: Network = NETWORK): Promise<DeliveryFailure[]> {
  const parsed = URL.parse(url);
  if (parsed === null) return [];
  const found = await resolveHost(parsed, 'public', network);
  return 'failure' in found ? [found.failure] : [];
}

type Resolved =
  | { address: { address: string; family: number } }
  | { failure: DeliveryFailure; canRetry: boolean };

/** The address of a host that a request can go to. */
async function resolveHost(url: URL, reach: HttpRequest['reach'], network: Network): Promise<Resolved> {
  const failed = (code: string, message: string, canRetry: boolean) => ({
    failure: { code, message },
    canRetry,
  });
  let addresses: { address: string; family: number }[];
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    addresses = family === 0 ? await network.resolve(host) : [{ address: host, family }];
  } catch (error) {
    return failed('dns', `the host ${url.hostname} was not found (${readNetworkCode(error)})`, true);
  }
  const [address] = addresses;
  if (address === undefined) return failed('dns', `the host ${url.hostname} has no address`, true);
  if (reach === 'any' || addresses.every((one) => network.isPublic(one.address))) return { address };
  const message = `the host ${url.hostname} is at a private address; webhooks need private: true for it, and other kinds a public address`;
  return failed('private_address', message, false);
}

function findAddressRefusal(url: URL, reach: HttpRequest['reach']): string | undefined {
  if (url.username !== '' || url.password !== '') return 'the address contains credentials';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && reach === 'any')) return undefined;
  return url.protocol === 'http:' ? 'the address must use HTTPS' : 'the address must be one of HTTP';
}

/** Connects to the checked address: the name cannot resolve to another one after the check. */
async function exchangeWith(
  url: URL,
  address: { address: string; family: number },
  { method, headers = {}, body, timeoutMs }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResult> {
  const lookup: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [address]) : done(null, address.address, address.family);
  const isSecure = url.protocol === 'https:';
  let isConnected = false;
  try {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      lookup,
      signal,
      maxHeaderSize: 32_768,
      headers: {
        'user-agent': 'inquest',
        'accept-encoding': 'identity',
        ...headers,
        ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
      },
    });
    sent.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true)),
    );
    const response = await awaitResponse(sent, bytes);
    const text = await readLimitedBody(response);
    return {
      outcome: 'answered',
      status: response.statusCode ?? 0,
      headers: readResponseHeaders(response),
      text,
    };
  } catch (error) {
    const isTimeout = signal.aborted;
    const code = isTimeout ? 'timeout' : 'connection';
    const cause = isTimeout
      ? `no answer within ${secondsText(timeoutMs)}`
      : `the connection failed (${readNetworkCode(error)})`;
    const message = `${url.hostname}: ${cause}`;
    return isConnected ? { outcome: 'lost', failure: { code, message } } : notSent(code, message, true);
  }
}

function awaitResponse(sent: ClientRequest, body: Buffer | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.on('response', resolve);
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

async function readLimitedBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function readResponseHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function notSent(code: string, message: string, canRetry: boolean): HttpResult {
  return { outcome: 'not_sent', failure: { code, message }, canRetry };
}

/** `ECONNREFUSED` and the like: nothing that the other side wrote. */
function readNetworkCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown error';
}

/**
 * The result of a request that got no answer, or one with a status that only HTTP explains: 429 and 503 with
 * `Retry-After` are retried, another 5xx leaves a doubt because the destination can have acted, and 4xx
 * refuses.
 * @param fix the sentence that follows the status in a refusal.
 */
export function failedResult(
  result: HttpResult,
  fix: string,
): Exclude<SendResult, { outcome: 'sent' | 'gone' }> {
  if (result.outcome === 'lost') return { outcome: 'unknown', failure: result.failure };
  if (result.outcome === 'not_sent') {
    const { failure, canRetry } = result;
    return canRetry ? { outcome: 'retry', failure, retryAfterMs: null } : { outcome: 'refused', failure };
  }
  const { status } = result;
  const failure = { code: `http_${status}`, message: `It answered with status ${status}. ${fix}` };
  const retryAfterMs = retryAfter(result.headers);
  if (status === 429 || status === 408 || (status === 503 && retryAfterMs !== null))
    return { outcome: 'retry', failure, retryAfterMs };
  if (status >= 500) return { outcome: 'unknown', failure };
  return { outcome: 'refused', failure };
}

/** The header `Retry-After` in milliseconds; null without one. A date counts from now (RFC 9110, 10.2.3). */
function retryAfter(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
