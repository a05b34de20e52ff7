// Reads and writes logins as JSON.

import * as z from 'zod';
import type { StoredLogin } from '../../../contract/tokenVault.ts';
import { parseJson } from '../../../text/json.ts';

const storedLoginSchema = z.object({
  issuer: z.string().min(1),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  resource: z.string().min(1).optional(),
  refreshToken: z.string().min(1),
  accessToken: z.string().min(1).optional(),
  expiresAt: z.number().optional(),
}) satisfies z.ZodType<StoredLogin>;

/** The login in a text; undefined for any other text. */
export function readLogin(text: string): StoredLogin | undefined {
  return storedLoginSchema.safeParse(parseJson(text)).data;
}
