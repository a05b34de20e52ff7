// How the API identifies its caller: by its address on one machine, by a verified token or key when deployed.

import type { Headers } from '../../runtime/tenants/contextHeaders.ts';
import { Problem } from '../problem.ts';
import type { Caller } from '../route.ts';

/**
 * The caller of a request.
 * @param address where it comes from, as a key for limits (`clientAddress`).
 * @throws Problem `LOGIN_REQUIRED`, `ACCESS_DENIED`, `RATE_LIMITED`, `REQUEST_INVALID`; RetryableError when the store fails.
 */
export type Access = (headers: Headers, address: string) => Promise<Caller>;

/**
 * Refuses requests from pages of other sites, which a browser would send with the rights of its user.
 * @param origin that of the API itself.
 */
export function checkSameSite(headers: Headers, origin: string): void {
  if (headers.origin !== undefined && headers.origin !== origin)
    throw new Problem('ACCESS_DENIED', 'Origin is another one: pages of other sites may not ask');
  if (headers['sec-fetch-site'] === 'cross-site')
    throw new Problem('ACCESS_DENIED', 'Sec-Fetch-Site is cross-site: pages of other sites may not ask');
}
