// Access on one machine: every caller of the loopback address. Without login, web pages are refused.

import { storedTenant } from '../../kits/tenants/context.ts';
import { contextOfHeaders, type Headers } from '../../kits/tenants/requestTenant.ts';
import { Problem } from '../http/problem.ts';
import type { Access } from '../http/route.ts';
import { checkLoopback } from './sameSite.ts';

/**
 * Gives every caller on this machine all rights. The headers X-User-Id and X-Tenant-Id name user and tenant,
 * unverified.
 * @param mask removes secrets from the name, which is stored.
 * @throws Problem `ACCESS_DENIED` for requests of web pages and for names of other hosts; `REQUEST_INVALID`.
 */
export function localAccess(mask: (text: string) => string): Access {
  const access: Access = async (headers) => {
    checkLoopback(headers);
    const reading = contextOfHeaders(headers);
    if (!reading.ok) throw new Problem('REQUEST_INVALID', `header ${reading.fault}`);
    const { userId } = reading.context;
    const masked = userId === null ? null : mask(userId);
    return {
      tenantId: storedTenant(reading.context),
      userId: masked,
      name: masked ?? 'local',
      role: 'admin',
    };
  };
  return Object.assign(access, { recognises: isLoopback });
}

/**
 * There is nothing to guess, and requests of other sites and of a tunnel also have the address of this
 * machine: only those that are refused are counted.
 */
function isLoopback(headers: Headers): boolean {
  try {
    checkLoopback(headers);
    return true;
  } catch {
    return false;
  }
}
