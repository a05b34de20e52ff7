// chatKeys/{tenantId}.{digest of the id}: the session that a client knows by an id of its own.

import * as z from 'zod';

/** Which session a client's own id names. The id itself is stored nowhere. */
export const chatKeySchema = z.strictObject({
  tenantId: z.string().min(1),
  sessionId: z.string().min(1),
  /** That of the session. */
  expireAt: z.date(),
  createdAt: z.date(),
});
/** Which session a client's own id names. */
export type ChatKey = z.infer<typeof chatKeySchema>;
