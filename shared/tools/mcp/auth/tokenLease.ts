// tokenLeases/{server}: which instance refreshes the token of an MCP server. Contains no token.

import * as z from 'zod';
import { defineCollection } from '../../../core/schema/defineCollection.ts';

/** The lease as it is stored. */
const tokenLeaseSchema = z.strictObject({
  /** Name in servers.yaml. */
  server: z.string().min(1),
  /** The instance that refreshes; null while none does. */
  holder: z.string().min(1).nullable(),
  /** The end of the lease, unless it is released before. */
  until: z.date(),
  /** The version under which the login was stored last; null if none is known. */
  version: z.string().min(1).nullable(),
  expireAt: z.date(),
});
/** A lease to refresh a token. */
export type TokenLease = z.infer<typeof tokenLeaseSchema>;

export const tokenLeaseType = defineCollection({
  collection: 'tokenLeases',
  name: 'tokenLease',
  schema: tokenLeaseSchema,
  paths: { tokenLease: (server: string) => `tokenLeases/${server}` },
  owner: 'operators',
  erase: { none: 'leases of the servers that tools come from' },
});
