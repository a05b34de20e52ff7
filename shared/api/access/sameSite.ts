// Refuses requests that a page of another site makes a browser send: with the rights of its user, or to a
// port of this machine, which has no login.

import type { Headers } from '../../kits/tenants/requestTenant.ts';
import { Problem } from '../http/problem.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Refuses requests that a page of another site can have caused. Checks `Host` (DNS rebinding leaves the
 * page's own name there), `Origin` and `Sec-Fetch-Site`.
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

/**
 * Refuses requests from pages of other sites, which a browser would send with the rights of its user.
 * @param origin the origin of the API itself.
 * @throws Problem `ACCESS_DENIED`, which names the header.
 */
export function checkSameSite(headers: Headers, origin: string): void {
  if (headers.origin !== undefined && headers.origin !== origin)
    throw new Problem(
      'ACCESS_DENIED',
      'Origin names another site: requests from pages of other sites are refused',
    );
  if (headers['sec-fetch-site'] === 'cross-site')
    throw new Problem(
      'ACCESS_DENIED',
      'Sec-Fetch-Site is cross-site: requests from pages of other sites are refused',
    );
}
