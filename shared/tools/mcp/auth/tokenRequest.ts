// Requests to the services that issue tokens: bounded in time and size, never redirected. Failures are
// described without secrets.

import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { createMasker } from '../../../masking/masker.ts';
import { quoteText } from '../../../text/cut.ts';
import { limitBody } from '../../http/responseLimit.ts';

const CODE = 'TOOL_SERVER_UNAVAILABLE';
const TIMEOUT_MS = 10_000;
/** Metadata and tokens have some kilobytes. */
const MAX_BYTES = 256_000;
/** Longest quotation of an answer, in characters. */
const MAX_QUOTE = 200;

/** `fetch` for issuers of tokens. A redirect would send credentials to another address. */
export async function fetchFromIssuer(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  const response = await fetch(url, { ...init, signal, redirect: 'error' });
  const message = `the answer of ${new URL(url).host} has more than ${MAX_BYTES} bytes`;
  return limitBody(response, { maxBytes: MAX_BYTES, message }, () => {});
}

/** A message of others in one line, without secrets, cut. */
export function quoteSafely(text: string, secrets: readonly string[]): string {
  const masked = createMasker({ known: secrets }).mask(text).text;
  return quoteText(masked.replace(/\s+/g, ' ').trim(), MAX_QUOTE, 'words');
}

/** The failure of a request for a token. @param canRetry whether a later request can succeed. */
export function tokenError(message: string, canRetry: boolean): TerminalError | RetryableError {
  return canRetry ? new RetryableError(CODE, message) : new TerminalError(CODE, message);
}
