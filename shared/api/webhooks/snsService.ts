// Requests to SNS: reads its signing certificates, and confirms subscriptions. `snsUrl.ts` checks the
// addresses before. Requests follow no redirect, and are bounded in time and size.

import type { X509Certificate } from 'node:crypto';
import { RetryableError } from '../../core/errors.ts';
import { Problem } from '../http/problem.ts';
import type { SnsService } from '../http/webhook.ts';
import { readCertificate } from './snsCertificate.ts';

/** Milliseconds for one request. SNS itself waits 15 s for a response to its message. */
const TIMEOUT_MS = 5_000;
/** Maximum bytes of a certificate; usual ones have 2 kB. */
const MAX_BYTES = 16_384;
/** Maximum cached certificates. SNS has one for each region, and a new one each year. */
const MAX_KEPT = 10;
/** The usual form of a certificate's name. */
const USUAL_NAME = /-[0-9a-f]{32}\.pem$/;
/**
 * Maximum concurrent fetches, because any caller can name SNS addresses that do not exist. Above it the
 * oldest fetch is aborted: a genuine certificate arrives too fast to be the oldest of so many.
 */
const MAX_FETCHES = 64;
/** Maximum concurrent fetches of certificates with unusual names. Above it the newest is refused. */
const MAX_UNUSUAL_FETCHES = 4;

/** A certificate that is being fetched. */
interface Fetch {
  /** Aborts the request. */
  abort: AbortController;
  /** Rejects with the errors of `certificateAt`. */
  certificate: Promise<X509Certificate>;
}

/**
 * Creates the requests to SNS, with a cache of certificates.
 * @param fetch sends a request; Node's own in production.
 * @param timeoutMs milliseconds for a request with its complete response. Default: 5 s.
 */
export function createSnsService(fetch: typeof globalThis.fetch, timeoutMs = TIMEOUT_MS): SnsService {
  const request = createRequest(fetch, timeoutMs);
  const kept = new Map<string, X509Certificate>();
  const lanes = { usual: new Map<string, Fetch>(), unusual: new Map<string, Fetch>() };

  const startFetch = (url: URL, lane: Map<string, Fetch>): Fetch => {
    const abort = new AbortController();
    const certificate = request(url, certificateText, abort.signal)
      .then((pem) => readCertificate(pem, url.host))
      .finally(() => {
        if (lane.get(url.href) === started) lane.delete(url.href);
      });
    const started: Fetch = { abort, certificate };
    lane.set(url.href, started);
    return started;
  };
  const makeRoom = () => {
    if (lanes.usual.size < MAX_FETCHES) return;
    const [[href, oldest] = []] = lanes.usual;
    if (href === undefined || oldest === undefined) return;
    lanes.usual.delete(href);
    oldest.abort.abort();
  };

  return {
    async certificateAt(url) {
      const known = kept.get(url.href);
      if (known !== undefined) return known;
      const isUsual = USUAL_NAME.test(url.pathname);
      const lane = isUsual ? lanes.usual : lanes.unusual;
      const fetching = lane.get(url.href);
      if (fetching !== undefined) return await fetching.certificate;
      if (!isUsual && lane.size >= MAX_UNUSUAL_FETCHES)
        throw unavailable('Too many certificates of SNS are being fetched');
      if (isUsual) makeRoom();
      return await startFetch(url, lane).certificate;
    },
    keep(url, certificate) {
      // The last used certificate becomes the newest.
      kept.delete(url.href);
      kept.set(url.href, certificate);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
    async confirm(url) {
      await request(url, async ({ ok, status }) => {
        if (!ok) throw unavailable(`SNS did not confirm the subscription: status ${status}`);
      });
    },
  };
}

/** A 404 or a redirect of SNS shows that the address has no certificate of SNS. */
async function certificateText({ status, body }: Response): Promise<string> {
  if (status === 429 || status >= 500) throw unavailable(`SNS gives no certificate: status ${status}`);
  if (status !== 200 || body === null) throw snsServiceProblem(`is not there: status ${status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) throw snsServiceProblem(`has more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('latin1');
}

/** Requests an address and reads the response. Throws `SOURCE_UNAVAILABLE` on failure or timeout. */
function createRequest(fetch: typeof globalThis.fetch, timeoutMs: number) {
  return async <T>(url: URL, read: (response: Response) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
      const response = await fetch(url, { redirect: 'manual', signal: either });
      try {
        return await read(response);
      } finally {
        if (!response.bodyUsed) await response.body?.cancel();
      }
    } catch (error) {
      if (error instanceof Problem || error instanceof RetryableError) throw error;
      throw unavailable(`${url.host} did not answer`, error);
    }
  };
}

const unavailable = (message: string, cause?: unknown) =>
  new RetryableError('SOURCE_UNAVAILABLE', `${message}.`, { cause });
const snsServiceProblem = (fault: string) =>
  new Problem('SIGNATURE_INVALID', `the certificate at body.SigningCertURL ${fault}`);
