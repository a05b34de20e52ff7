// The part of an execution about differences from the pins of its servers.

import * as z from 'zod';
import { definePart, readPart, type WithParts } from '../../core/schema/parts.ts';

/** What an execution has reported about tools and servers, and to its agent. */
export const pinsPart = definePart(
  'execution',
  'pins',
  z.strictObject({
    /**
     * `server.tool` of tools that are new or have changed since the session first saw them; each has an event
     * in the timeline. At most 50.
     */
    changedTools: z.array(z.string()),
    /** MCP servers whose instructions are in the conversation; `scope:NAME` for those whose scope is. */
    introducedServers: z.array(z.string()),
    /** MCP servers whose instructions have changed since then; each has an event in the timeline. */
    changedServers: z.array(z.string()),
  }),
);

/** The part of an execution; of one without it, empty lists. */
export const readPinned = (execution: WithParts): z.infer<typeof pinsPart.schema> =>
  readPart(pinsPart, execution) ?? { changedTools: [], introducedServers: [], changedServers: [] };
