// Requests to SNS: the certificates that it signs with, and the confirmation of subscriptions. Its addresses are
// looked at before (snsUrl.ts). Nothing follows a redirect, and all of it is bounded in time and size.

import type { X509Certificate } from 'node:crypto';
import { RetryableError } from '../../../errors.ts';
import { Problem } from '../../problem.ts';
import { readCertificate } from './certificate.ts';

/** SNS waits 15 s for an answer. */
const TIMEOUT_MS = 5_000;
/** Certificates have some 2 kB. */
const MAX_BYTES = 16_384;
/** Certificates of this many addresses are kept. SNS has one for each region, and a new one each year. */
const MAX_KEPT = 10;
/** The name of a certificate, as all have had it for years. */
const USUAL_NAME = /-[0-9a-f]{32}\.pem$/;
/**
 * Maximum concurrent fetches, because any caller can name SNS addresses that do not exist. Above it the oldest fetch gives
 * way, because a genuine certificate is there within a moment, and so never the oldest of so many.
 */
const MAX_FETCHES = 64;
/** Of names that SNS does not use today: above it the newest is refused. */
const MAX_UNUSUAL_FETCHES = 4;

/** Requests to SNS. */
export interface SnsService {
  /** The certificate at an address. @throws Problem `SIGNATURE_INVALID`; RetryableError `SOURCE_UNAVAILABLE`. */
  certificateAt(url: URL): Promise<X509Certificate>;
  /** Keeps a certificate, once a message was proved by it: others of SNS cannot displace it. */
  keep(url: URL, certificate: X509Certificate): void;
  /** Visits the address that confirms a subscription. @throws RetryableError `SOURCE_UNAVAILABLE`. */
  confirm(url: URL): Promise<void>;
}

/** A certificate that is being fetched. */
interface Fetch {
  abort: AbortController;
  certificate: Promise<X509Certificate>;
}

/**
 * @param fetch how it is asked; Node's own in production.
 * @param timeoutMs for one request, with all of its answer. Default: 5 s.
 */
export function createSnsService(fetch: typeof globalThis.fetch, timeoutMs = TIMEOUT_MS): SnsService {
  const ask = asking(fetch, timeoutMs);
  const kept = new Map<string, X509Certificate>();
  const lanes = { usual: new Map<string, Fetch>(), unusual: new Map<string, Fetch>() };

  const startFetch = (url: URL, lane: Map<string, Fetch>): Fetch => {
    const abort = new AbortController();
    const certificate = ask(url, certificateText, abort.signal)
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
      // The one that was used last is the newest.
      kept.delete(url.href);
      kept.set(url.href, certificate);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
    async confirm(url) {
      await ask(url, async ({ ok, status }) => {
        if (!ok) throw unavailable(`SNS did not confirm the subscription: status ${status}`);
      });
    },
  };
}

/** Responses of SNS for addresses that do not exist, and redirects, prove that the certificate is not one of SNS. */
async function certificateText({ status, body }: Response): Promise<string> {
  if (status === 429 || status >= 500) throw unavailable(`SNS gives no certificate: status ${status}`);
  if (status !== 200 || body === null) throw invalid(`is not there: status ${status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) throw invalid(`has more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('latin1');
}

/** Asks for an address, and reads the answer. Without an answer, or not all of it in time, it throws `SOURCE_UNAVAILABLE`. */
function asking(fetch: typeof globalThis.fetch, timeoutMs: number) {
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
const invalid = (what: string) =>
  new Problem('SIGNATURE_INVALID', `the certificate at body.SigningCertURL ${what}`);
