// sessions/{sessionId}/pinnedTools/{server}: a server's tools as the session first saw them. Written once.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/** Digest of one part of a tool's definition. */
const digestSchema = z.string().regex(/^[0-9a-f]{16}$/);

/** The compared parts of a tool, as digests, so that the server's text is not repeated. */
const pinnedToolSchema = z.strictObject({
  /** `server.tool`. */
  name: z.string().min(1),
  description: digestSchema,
  /** Of the schema of its parameters, without bound ones. */
  parameters: digestSchema,
  /** Of the rights: whether it is read-only, needs approval, can be repeated; bound parameters. */
  rights: digestSchema,
});
/** A tool as it was when the session first saw it. */
export type PinnedTool = z.infer<typeof pinnedToolSchema>;

/** A server's tools as they were when the session first saw them. */
export const pinnedToolsSchema = z.strictObject({
  sessionId: z.string().min(1),
  server: z.string().min(1),
  /** The execution that saw them first. */
  executionId: z.string().min(1),
  /** Sorted by name. */
  tools: z.array(pinnedToolSchema).min(1),
  /** Of the server's instructions for models; null without instructions. */
  instructions: digestSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A server's tools as they were when the session first saw them. */
export type PinnedTools = z.infer<typeof pinnedToolsSchema>;

export const pinnedToolsType = defineCollection({
  collection: 'pinnedTools',
  name: 'pinnedTools',
  schema: pinnedToolsSchema,
  paths: {
    allPinnedTools: (sessionId: string) => `sessions/${sessionId}/pinnedTools`,
    pinnedTools: (sessionId: string, server: string) => `sessions/${sessionId}/pinnedTools/${server}`,
  },
  ...BELOW_SESSION,
});
