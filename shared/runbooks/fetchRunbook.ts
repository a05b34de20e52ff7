// Reads the runbook that an alert links to: text over HTTPS, from hosts that the configuration allows, at
// public addresses. The link comes from the alert, so it is untrusted.

import { lookup as lookUp } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { FetchedRunbook, FetchRunbook } from '../contract/fetchRunbook.ts';
import { secondsText } from '../text/amounts.ts';
import { matchesAny } from '../text/pattern.ts';
import { isPublicAddress } from '../text/publicAddress.ts';

/** Timeout of the whole read, in milliseconds. The session starts after it. */
const TIMEOUT_MS = 5_000;
/** Bytes that are read; an agent is shown fewer. */
const MAX_BYTES = 512_000;
const MAX_REDIRECTS = 3;
const ACCEPT = 'text/plain, text/markdown;q=0.9, text/*;q=0.5';

/** Network access. Tests replace it. */
export interface Web {
  /** The addresses of a host. */
  resolve: (host: string) => Promise<{ address: string; family: number }[]>;
  /** Whether an address belongs to the public internet. Requests go to no other. */
  isPublic: (address: string) => boolean;
  /** Sends the HTTPS request, as `request` of node:https. */
  request: typeof httpsRequest;
  /** Milliseconds for the whole fetch, redirects included. */
  timeoutMs: number;
}

const WEB: Web = {
  resolve: (host) => lookUp(host, { all: true, verbatim: true }),
  isPublic: isPublicAddress,
  request: httpsRequest,
  timeoutMs: TIMEOUT_MS,
};

/** Why nothing is read, in words that follow the address. */
class Refusal extends Error {}

/** Makes the port: no cookies, kept connections or credentials, and it runs nothing that it reads. */
export function createRunbookFetcher(web: Web = WEB): FetchRunbook {
  return async (url, hosts): Promise<FetchedRunbook> => {
    const signal = AbortSignal.timeout(web.timeoutMs);
    try {
      return { ok: true, text: await followRedirects(new URL(url), hosts, signal, web) };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, reason: error.message };
      if (signal.aborted) return { ok: false, reason: `did not answer within ${secondsText(web.timeoutMs)}` };
      return { ok: false, reason: `cannot be read (${readFetchCode(error)})` };
    }
  };
}

async function followRedirects(
  first: URL,
  hosts: readonly string[],
  signal: AbortSignal,
  web: Web,
): Promise<string> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await openAddress(url, hosts, signal, web);
    try {
      const { statusCode = 0, headers } = response;
      if (statusCode === 200) return await readResponseText(response);
      const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
      if (!isRedirect) throw new Refusal(`answered with status ${statusCode}`);
      const next = URL.parse(headers.location ?? '', url.href);
      if (next === null) throw new Refusal('leads to what is no address');
      url = next;
    } finally {
      response.destroy();
    }
  }
  throw new Refusal(`leads on more than ${MAX_REDIRECTS} times`);
}

/** Connects to the checked address: the name cannot resolve to another one after the check. */
async function openAddress(
  url: URL,
  hosts: readonly string[],
  signal: AbortSignal,
  { resolve, isPublic, request }: Web,
): Promise<IncomingMessage> {
  if (url.protocol !== 'https:') throw new Refusal('is not read over HTTPS');
  if (url.username !== '' || url.password !== '') throw new Refusal('holds credentials');
  if (url.port !== '') throw new Refusal('has a port of its own');
  if (!matchesAny(url.hostname, hosts))
    throw new Refusal('leads to a host that runbookHosts in system.yaml does not allow');
  const addresses = await untilAborted(resolve(url.hostname), signal);
  const [found] = addresses;
  if (found === undefined) throw new Refusal('has a host without an address');
  if (!addresses.every(({ address }) => isPublic(address)))
    throw new Refusal('has a host at a private address');
  const lookup: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [found]) : done(null, found.address, found.family);
  const headers = { accept: ACCEPT, 'accept-encoding': 'identity', 'user-agent': 'inquest' };
  return await new Promise((settle, reject) => {
    const sent = request(url, { agent: false, headers, lookup, signal, maxHeaderSize: 16_384 }, settle);
    sent.on('error', reject);
    sent.end();
  });
}

async function readResponseText(response: IncomingMessage): Promise<string> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = response.headers;
  const kind = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!kind.startsWith('text/') || kind === 'text/html')
    throw new Refusal(
      `is ${kind === '' ? 'of no type' : 'of another type'}, not plain text; link to the text itself`,
    );
  if (encoding !== 'identity') throw new Refusal('is compressed');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MAX_BYTES) throw new Refusal(`has more than ${MAX_BYTES} bytes`);
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  if (text.trim() === '') throw new Refusal('is empty');
  return text;
}

/** A DNS look-up cannot be cancelled, so it is abandoned. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** `ENOTFOUND` and the like: nothing that the other side wrote. */
function readFetchCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown error';
}
