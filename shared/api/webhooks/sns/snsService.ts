// What is asked of SNS itself: the certificates that it signs with, and the confirmation of subscriptions. Its addresses are
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
/** So many are fetched at the same time: anybody may name addresses of SNS that do not exist. */
const MAX_FETCHES = 4;

/** What is asked of SNS. */
export interface SnsService {
  /** The certificate at an address. @throws Problem `SIGNATURE_INVALID`; RetryableError `SOURCE_UNAVAILABLE`. */
  certificateAt(url: URL): Promise<X509Certificate>;
  /** Visits the address that confirms a subscription. @throws RetryableError `SOURCE_UNAVAILABLE`. */
  confirm(url: URL): Promise<void>;
}

/**
 * @param fetch how it is asked; Node's own in production.
 * @param timeoutMs for one request, with all of its answer. Default: 5 s.
 */
export function createSnsService(fetch: typeof globalThis.fetch, timeoutMs = TIMEOUT_MS): SnsService {
  const ask = asking(fetch, timeoutMs);
  const kept = new Map<string, X509Certificate>();
  const fetching = new Map<string, Promise<X509Certificate>>();

  const fetchCertificate = async (url: URL): Promise<X509Certificate> => {
    const certificate = readCertificate(await ask(url, certificateText), url.host);
    kept.set(url.href, certificate);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return certificate;
  };

  return {
    async certificateAt(url) {
      const known = kept.get(url.href) ?? fetching.get(url.href);
      if (known !== undefined) return await known;
      if (fetching.size >= MAX_FETCHES) throw unavailable('Too many certificates of SNS are being fetched');
      const certificate = fetchCertificate(url).finally(() => fetching.delete(url.href));
      fetching.set(url.href, certificate);
      return await certificate;
    },
    async confirm(url) {
      await ask(url, async ({ ok, status }) => {
        if (!ok) throw unavailable(`SNS did not confirm the subscription: status ${status}`);
      });
    },
  };
}

/** What SNS says of addresses that do not exist, and a redirect, prove that the certificate is none of SNS. */
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
  return async <T>(url: URL, read: (response: Response) => Promise<T>): Promise<T> => {
    try {
      const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
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
