// The context of an alert: from the attributes of its message. Who may publish to the topic says whose an alert is.

import { TerminalError } from '../../errors.ts';
import { cleanText } from '../../masking/cleanText.ts';
import type { Masker } from '../../masking/masker.ts';
import { type Context, readContext, tenantOf } from './context.ts';

/** The attributes that say for whom an alert is investigated. */
const ATTRIBUTES = { tenantId: 'attribute tenant', userId: 'attribute user' };

/** The attributes of a message for this tenant and user; those of the default tenant and of nobody are left out. */
export function attributesOf({
  tenantId,
  userId,
}: Pick<Context, 'tenantId' | 'userId'>): Record<string, string> {
  const tenant = tenantOf({ tenantId });
  return {
    ...(tenant !== tenantOf({ tenantId: '' }) && { tenant }),
    ...(userId !== null && { user: userId }),
  };
}

/**
 * Whose session an alert opens: the attributes `tenant` (absent or empty: `default`) and `user` (absent or empty: nobody).
 * The user is stored without secrets; a tenant that is one is refused.
 * @throws TerminalError `MESSAGE_MALFORMED` for a name that none can have. An alert goes to no other tenant instead.
 */
export function ownerOfAlert(
  { tenant, user }: Record<string, string>,
  masker: Pick<Masker, 'mask'>,
): { tenantId: string; userId: string | null } {
  const userId = user?.trim() ? cleanText(masker, user.trim()).text : null;
  const reading = readContext({ userId, ...(tenant !== undefined && { tenantId: tenant }) }, ATTRIBUTES);
  if (!reading.ok) throw new TerminalError('MESSAGE_MALFORMED', reading.fault);
  const tenantId = tenantOf(reading.context);
  if (masker.mask(tenantId).count > 0)
    throw new TerminalError(
      'MESSAGE_MALFORMED',
      'attribute tenant: it is a secret; give the name of a tenant',
    );
  return { tenantId, userId };
}
