// Replaces the descriptions of tools by those that an agent's configuration gives.

import type { ToolDefinition } from '../../contract/tools.ts';
import type { Agent } from '../../schema/agent.ts';

/** The tools as the agent is offered them. Sessions pin the server's own descriptions. */
export function describedTools(
  tools: readonly ToolDefinition[],
  { toolDescriptions = {} }: Pick<Agent, 'toolDescriptions'>,
): ToolDefinition[] {
  return tools.map((tool) => {
    const description = Object.hasOwn(toolDescriptions, tool.name) ? toolDescriptions[tool.name] : undefined;
    return description === undefined ? tool : { ...tool, description };
  });
}
