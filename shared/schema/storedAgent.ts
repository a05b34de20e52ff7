// agents/{name}: an agent that counts instead of the one of that name in the configuration's files.

import * as z from 'zod';
import { nameSchema } from './common.ts';

/** An agent that is kept beside the configuration's files. It does not expire. */
export const storedAgentSchema = z.strictObject({
  name: nameSchema,
  /** As agents/NAME.yaml, byte for byte; null after it was removed: then the files count. */
  yaml: z.string().min(1).nullable(),
  /** The agent's own version, for people. */
  version: z.string(),
  /** Who wrote it last. */
  updatedBy: z.string().min(1),
  createdAt: z.date(),
  updatedAt: z.date(),
});
/** An agent that is kept beside the configuration's files. */
export type StoredAgent = z.infer<typeof storedAgentSchema>;
