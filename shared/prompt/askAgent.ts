// The built-in tool `ask_agent`.

import type { ToolDefinition } from '../core/contract/tools.ts';
import { type Agent, ASK_AGENT } from '../core/schema/agent.ts';

/** Seconds that an agent has for its answer: the default, and the minimum and maximum that a call can set. */
export const DEFAULT_ASK_SECONDS = 300;
export const MIN_ASK_SECONDS = 30;
export const MAX_ASK_SECONDS = 3_600;

/** The arguments of the tool. `timeout` is an alias of `timeout_seconds`; `user_id` is ignored. */
export const ASK_ARGUMENTS: readonly string[] = [
  'agent_name',
  'input_text',
  'input_data',
  'timeout_seconds',
  'structured_output_override',
];
/**
 * The tool definition of an agent that is allowed to ask `asks`. The same agents give the same bytes.
 * @param purpose what the tool does.
 */
export function askAgentTool(asks: NonNullable<Agent['asks']>, purpose: string): ToolDefinition {
  const lines = asks.map(({ name, description }) =>
    description === undefined ? `- ${name}` : `- ${name}: ${description}`,
  );
  return {
    name: ASK_AGENT,
    description: [purpose, ...lines].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        agent_name: { type: 'string', enum: asks.map(({ name }) => name), description: 'The agent' },
        input_text: { type: 'string', description: 'The question' },
        input_data: { type: 'object', description: 'Data that belongs to the question' },
        timeout_seconds: {
          type: 'integer',
          description: `Maximum seconds: ${MIN_ASK_SECONDS} to ${MAX_ASK_SECONDS}, ${DEFAULT_ASK_SECONDS} unless given`,
        },
        structured_output_override: {
          type: 'boolean',
          description: 'Whether its answer is data or text; default: the configuration of the agent',
        },
      },
      required: ['agent_name', 'input_text'],
    },
    // The asked agent can call tools that change something.
    readOnly: false,
    waits: 'child',
  };
}
