// Who may ask, on one machine: whoever can reach its loopback address. There is no login, so that pages of the web must be
// kept out, which a browser on this machine would ask on behalf of.

import { tenantOf } from '../../runtime/tenants/context.ts';
import { contextOfHeaders, type Headers } from '../../runtime/tenants/contextHeaders.ts';
import { Problem } from '../problem.ts';
import { type Access, checkSameSite } from './access.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Lets everybody on this machine do everything. Who that is, the headers X-User-Id and X-Tenant-Id say, unverified.
 * @param mask takes secrets out of the name, which is stored.
 * @throws Problem `ACCESS_DENIED` for requests of web pages and for names of other hosts; `REQUEST_INVALID`.
 */
export function localAccess(mask: (text: string) => string): Access {
  return async (headers) => {
    checkSameSite(headers, `http://${loopbackHost(headers)}`);
    const reading = contextOfHeaders(headers);
    if (!reading.ok) throw new Problem('REQUEST_INVALID', `header ${reading.fault}`);
    const { userId } = reading.context;
    const masked = userId === null ? null : mask(userId);
    return { tenantId: tenantOf(reading.context), userId: masked, name: masked ?? 'local', role: 'admin' };
  };
}

/** A page that a foreign name leads to this machine (DNS rebinding) has that name in `Host`. */
function loopbackHost({ host }: Headers): string {
  if (typeof host === 'string' && LOOPBACK.test(host)) return host;
  throw new Problem(
    'ACCESS_DENIED',
    'Host must be 127.0.0.1 or localhost: the API of one machine has no login',
  );
}
