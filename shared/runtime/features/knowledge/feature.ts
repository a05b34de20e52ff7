// The knowledge base: agents search it, and read the entries that their configuration names.

import type { Feature } from '../../kernel/feature/feature.ts';
import { withBuiltInTools } from './builtInTools.ts';
import { recordResources } from './recordResources.ts';

/** Adds the tools `search` and `action`, and a message with the entries that the agent names. */
export const KNOWLEDGE: Feature = {
  offerTools: (tools, context, { purpose }) =>
    purpose === 'ask' || purpose === 'run' ? withBuiltInTools(tools, context) : tools,
  async beforeAsking(context) {
    return { messages: await recordResources(context) };
  },
};
