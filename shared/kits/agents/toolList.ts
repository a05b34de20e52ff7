// sessions/{sessionId}/toolLists/{digest}: the tools of a server in full, so that a session can be replayed
// without it. Written once for each list that the session sees.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/** A list of tools, without secrets. */
export const toolListSchema = z.strictObject({
  sessionId: z.string().min(1),
  server: z.string().min(1),
  /** JSON: a server's definitions (`tools`), `instructions`, `scope`, `results`; null above 800 kB. */
  list: z.string().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A list of tools, without secrets. */
export type ToolList = z.infer<typeof toolListSchema>;

export const toolListType = defineCollection({
  collection: 'toolLists',
  name: 'toolList',
  schema: toolListSchema,
  paths: {
    toolLists: (sessionId: string) => `sessions/${sessionId}/toolLists`,
    toolList: (sessionId: string, digest: string) => `sessions/${sessionId}/toolLists/${digest}`,
  },
  ...BELOW_SESSION,
});
