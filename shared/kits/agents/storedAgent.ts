// agents/{name}: an agent that replaces the agent of this name in the configuration's files.

import * as z from 'zod';
import { nameSchema } from '../../core/schema/common.ts';
import { defineCollection, WRITTEN_BY_PEOPLE } from '../../core/schema/defineCollection.ts';

/** A stored agent. It does not expire. */
export const storedAgentSchema = z.strictObject({
  name: nameSchema,
  /**
   * The contents of agents/NAME.yaml, byte for byte; null after it was removed: then the agent of the files
   * is used.
   */
  yaml: z.string().min(1).nullable(),
  /** The agent's own version, for people. */
  version: z.string(),
  /** The last author. */
  updatedBy: z.string().min(1),
  createdAt: z.date(),
  updatedAt: z.date(),
});
/** A stored agent. */
export type StoredAgent = z.infer<typeof storedAgentSchema>;

export const storedAgentType = defineCollection({
  collection: 'agents',
  name: 'storedAgent',
  schema: storedAgentSchema,
  paths: { agents: 'agents', agent: (name: string) => `agents/${name}` },
  ...WRITTEN_BY_PEOPLE,
});
