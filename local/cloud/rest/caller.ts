// Keeps web pages away from the REST surface. It has no login, and a browser on this machine reaches it: without these rules
// any page could publish alerts or read documents.

import { status } from '../status.ts';
import { HttpError } from './restError.ts';

/** The headers of a request that decide. */
export interface CallerHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  'content-type'?: string | undefined;
  'content-encoding'?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/**
 * Refuses requests that a page of another site may have caused: by `Host` (DNS rebinding leaves the page's own name there),
 * `Origin` and `Sec-Fetch-Site`.
 * @throws HttpError PERMISSION_DENIED, which names the header.
 */
export function checkCaller(headers: CallerHeaders): void {
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  const refuse = (reason: string) => new HttpError(403, status.PERMISSION_DENIED, reason);
  if (!LOOPBACK.test(host))
    throw refuse('Host must be 127.0.0.1 or localhost: the local cloud has no login.');
  if (origin !== undefined && origin !== `http://${host}`)
    throw refuse('Origin is another one: the local cloud does not answer web pages.');
  if (site !== undefined && site !== 'none' && site !== 'same-origin')
    throw refuse('Sec-Fetch-Site is another site: the local cloud does not answer web pages.');
}

/**
 * Refuses bodies that are no JSON. A form of a web page always names a type and cannot send this one; a script of another
 * site has to ask first (CORS), which is refused.
 * @throws HttpError with the status 415.
 */
export function checkContentType(headers: CallerHeaders, hasBody: boolean): void {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  const refuse = (reason: string) => new HttpError(415, status.INVALID_ARGUMENT, reason);
  if (type === undefined ? hasBody : !JSON_TYPE.test(type)) {
    throw refuse('Content-Type must be application/json.');
  }
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse('Content-Encoding must not be set: the local cloud does not have compressed requests.');
  }
}
