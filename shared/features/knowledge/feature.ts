// The knowledge base: agents search it, and read the entries that their configuration names.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { ACTION_TOOL, SEARCH_TOOL } from '../../core/prompts/builtInTools.ts';
import { type BuiltInTool, withBuiltInTools } from '../../kits/agents/builtInTools.ts';
import { runAction } from './action.ts';
import { recordResources } from './recordResources.ts';

/** Loaded on the first call: most iterations do not search. */
const runSearch: BuiltInTool['run'] = async (...called) => (await import('./search.ts')).runSearch(...called);

const TOOLS: readonly BuiltInTool[] = [
  { tool: SEARCH_TOOL, run: runSearch },
  { tool: ACTION_TOOL, run: runAction },
];

/** Adds the tools `search` and `action`, and a message with the entries that the agent names. */
export const KNOWLEDGE: Feature = {
  offerTools: (tools, context, { purpose }) =>
    purpose === 'ask' || purpose === 'run' ? withBuiltInTools(tools, context, TOOLS) : tools,
  async beforeAsking(context) {
    return { messages: await recordResources(context) };
  },
};
