// Access on one machine: everybody who reaches its loopback address. There is no login, so requests of web pages are refused.

import { tenantOf } from '../../runtime/tenants/context.ts';
import { contextOfHeaders } from '../../runtime/tenants/contextHeaders.ts';
import { Problem } from '../problem.ts';
import type { Access } from './access.ts';
import { checkLoopback } from './loopback.ts';

/**
 * Lets everybody on this machine do everything. The headers X-User-Id and X-Tenant-Id name user and tenant, unverified.
 * @param mask removes secrets from the name, which is stored.
 * @throws Problem `ACCESS_DENIED` for requests of web pages and for names of other hosts; `REQUEST_INVALID`.
 */
export function localAccess(mask: (text: string) => string): Access {
  return async (headers) => {
    checkLoopback(headers);
    const reading = contextOfHeaders(headers);
    if (!reading.ok) throw new Problem('REQUEST_INVALID', `header ${reading.fault}`);
    const { userId } = reading.context;
    const masked = userId === null ? null : mask(userId);
    return { tenantId: tenantOf(reading.context), userId: masked, name: masked ?? 'local', role: 'admin' };
  };
}
