// Prepares an agent's tools for an iteration: of servers, checked, masked, described, and of features.

import type { ToolExecutor } from '../../contract/tools.ts';
import type { ToolUse } from '../../kernel/feature/feature.ts';
import type { AgentTools } from '../../kernel/tools/agentTools.ts';
import { describedTools } from '../../kernel/tools/describedTools.ts';
import type { RunContext } from '../context/features.ts';

/**
 * Returns the tools in the form in which models and people see them: an approved definition is compared with
 * this form.
 * @throws as `Feature.checkTools`.
 */
export async function prepareTools(
  context: RunContext,
  executor: ToolExecutor,
  use: ToolUse,
): Promise<AgentTools> {
  const { features, masker, agent } = context;
  const checked = await features.checkTools(executor, context);
  const tools = describedTools(await masker.cleanTools(checked.list()), agent);
  return features.offerTools({ ...checked, list: () => tools }, context, use);
}
