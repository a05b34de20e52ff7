// The rule of every HTTP port of one machine. These ports have no login, so they refuse requests that a web page could make a browser
// on this machine send.

import type { Headers } from '../../runtime/tenants/contextHeaders.ts';
import { Problem } from '../problem.ts';
import { checkSameSite } from './access.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Refuses requests that a page of another site can have caused: by `Host` (DNS rebinding leaves the page's own name there),
 * `Origin` and `Sec-Fetch-Site`.
 * @throws Problem `ACCESS_DENIED`, which names the header.
 */
export function checkLoopback(headers: Headers): void {
  const { host } = headers;
  if (typeof host !== 'string' || !LOOPBACK.test(host)) {
    throw new Problem(
      'ACCESS_DENIED',
      'Host must be 127.0.0.1 or localhost: the ports of one machine have no login',
    );
  }
  checkSameSite(headers, `http://${host}`);
}
