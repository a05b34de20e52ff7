// Pinned tools: a session offers the tools of a server, and shows its instructions, as it first saw them.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { pinTools } from './pinTools.ts';
import { recordInstructions } from './recordInstructions.ts';
import { recordMissingTools } from './recordMissingTools.ts';
import { recordToolChanges } from './recordToolChanges.ts';

/** Leaves out changed tools, and adds messages about changes and servers' instructions. */
export const PINS: Feature = {
  checkTools: (executor, context) => pinTools(context, executor),
  async beforeAsking(context, tools) {
    await recordMissingTools(context, tools);
    const changes = await recordToolChanges(context, tools.changes);
    return { messages: [...changes, ...(await recordInstructions(context, tools))] };
  },
};
