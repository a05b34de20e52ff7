// Reads an alert's context from its message's attributes. Trusts the publisher: it can name any tenant.

import type { Masker } from '../../core/contract/guard.ts';
import { TerminalError } from '../../core/errors.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { type Context, readContext, storedTenant } from './context.ts';

/** The message attributes for the tenant and the user of an alert. */
const ATTRIBUTES = { tenantId: 'attribute tenant', userId: 'attribute user' };

/** The message attributes for this tenant and user; omits the default tenant and an absent user. */
export function buildTenantAttributes({
  tenantId,
  userId,
}: Pick<Context, 'tenantId' | 'userId'>): Record<string, string> {
  const tenant = storedTenant({ tenantId });
  return {
    ...(tenant !== storedTenant({ tenantId: '' }) && { tenant }),
    ...(userId !== null && { user: userId }),
  };
}

/**
 * The owner of the session that an alert opens: the attributes `tenant` (absent or empty: `default`) and
 * `user` (absent or empty: none). The user is stored without secrets; a tenant that is a secret is refused.
 * @throws TerminalError `MESSAGE_MALFORMED` for an invalid name. The alert never goes to another tenant
 * instead.
 */
export function ownerOfAlert(
  { tenant, user }: Record<string, string>,
  masker: Pick<Masker, 'mask'>,
): { tenantId: string; userId: string | null } {
  const userId = user?.trim() ? cleanText(masker, user.trim()).text : null;
  const reading = readContext({ userId, ...(tenant !== undefined && { tenantId: tenant }) }, ATTRIBUTES);
  if (!reading.ok) throw new TerminalError('MESSAGE_MALFORMED', reading.fault);
  const tenantId = storedTenant(reading.context);
  if (masker.mask(tenantId).count > 0)
    throw new TerminalError(
      'MESSAGE_MALFORMED',
      'attribute tenant: it is a secret; give the name of a tenant',
    );
  return { tenantId, userId };
}
