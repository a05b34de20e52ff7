// sessions/{sessionId}/pinnedTools/{server}: what a server's tools were when the session first saw them. Written once.

import * as z from 'zod';

/** Digest of one part of a tool's definition. */
const digestSchema = z.string().regex(/^[0-9a-f]{16}$/);

/** A tool as it was: what is compared, in digests, so that a server's text is not repeated. */
const pinnedToolSchema = z.strictObject({
  /** `server.tool`. */
  name: z.string().min(1),
  description: digestSchema,
  /** Of the schema of its parameters, without those that are bound. */
  parameters: digestSchema,
  /** Of what agents may do with it: whether it is read-only, approved, repeated, and what is bound to what. */
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
  /** Of what the server said to models about the use of its tools; null when it said nothing. */
  instructions: digestSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A server's tools as they were when the session first saw them. */
export type PinnedTools = z.infer<typeof pinnedToolsSchema>;
