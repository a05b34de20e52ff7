// Keeps web pages away from the REST surface. It has no login, and a browser on this machine reaches it:
// without these rules any page could publish alerts or read documents.

import type { IncomingHttpHeaders } from 'node:http';
import { status } from '../protocol/status.ts';
import { HttpError } from './restError.ts';

/** The headers of a request, by their names in lower case. */
export type CallerHeaders = IncomingHttpHeaders;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Refuses requests that a web page of another site can have caused, including pages of other programs of this
 * machine (`same-site`), and of names that were rebound to this machine (`Host`).
 * @throws HttpError PERMISSION_DENIED, which names the header.
 */
export function checkCaller({ host = '', origin, 'sec-fetch-site': site = 'none' }: CallerHeaders): void {
  const refuse = (reason: string) => new HttpError(403, status.PERMISSION_DENIED, reason);
  if (!['none', 'same-origin'].includes(String(site)))
    throw refuse('Sec-Fetch-Site is another site: web pages are not answered');
  if (!LOOPBACK.test(host))
    throw refuse('Host must be 127.0.0.1 or localhost: the ports of one machine have no login');
  if (origin !== undefined && origin !== `http://${host}`)
    throw refuse('Origin names another site: requests from pages of other sites are refused');
}

/**
 * Refuses bodies that are no JSON. A form of a web page always names a type and cannot send this one; a
 * script of another site has to ask first (CORS), which is refused.
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
