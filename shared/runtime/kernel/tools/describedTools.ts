// Tools with the descriptions that an agent has for them in the place of those of their servers.

import type { ToolDefinition } from '../../../contract/tools.ts';
import type { Agent } from '../../../schema/agent.ts';

/** The tools as the agent is offered them. What a session pins of a server are the server's own descriptions. */
export function describedTools(
  tools: readonly ToolDefinition[],
  { toolDescriptions = {} }: Pick<Agent, 'toolDescriptions'>,
): ToolDefinition[] {
  return tools.map((tool) => {
    const description = Object.hasOwn(toolDescriptions, tool.name) ? toolDescriptions[tool.name] : undefined;
    return description === undefined ? tool : { ...tool, description };
  });
}
