// Keeps web pages away from the REST surface. It has no login, and a browser on this machine reaches it:
// without these rules any page could publish alerts or read documents.

import type { IncomingHttpHeaders } from 'node:http';
import { checkLoopback } from '../../../shared/api/access/sameSite.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { status } from '../protocol/status.ts';
import { HttpError } from './restError.ts';

/** The headers of a request, by their names in lower case. */
export type CallerHeaders = IncomingHttpHeaders;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/**
 * Refuses requests that a web page of another site can have caused, including pages of other programs of this
 * machine (`same-site`).
 * @throws HttpError PERMISSION_DENIED, which names the header.
 */
export function checkCaller(headers: CallerHeaders): void {
  const site = headers['sec-fetch-site'] ?? 'none';
  const reason = ['none', 'same-origin'].includes(String(site))
    ? loopbackFault(headers)
    : 'Sec-Fetch-Site is another site: web pages are not answered';
  if (reason !== undefined) throw new HttpError(403, status.PERMISSION_DENIED, reason);
}

/** Why the loopback rule refuses a request; undefined when it passes. */
function loopbackFault(headers: CallerHeaders): string | undefined {
  try {
    checkLoopback(headers);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
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
