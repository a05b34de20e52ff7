// Which tools reach outside, and which of them an agent is offered together. Whatever reaches outside can carry out what
// private tools returned: in a search, an address, an argument. Pure.

import type { Agent, NativeTool } from '../schema/agent.ts';
import type { ToolDefinition } from './tools.ts';

/** Native tools that ask the world for something that the model writes. Code runs in a room without a network. */
const OUTWARD_NATIVE_TOOLS: readonly NativeTool[] = ['google_search', 'url_context'];

/** Whether a native tool reaches outside. */
export function reachesOutside(tool: NativeTool): boolean {
  return OUTWARD_NATIVE_TOOLS.includes(tool);
}

/** A tool, by who may read what it is called with. Absent: it is private. */
type Reach = ToolDefinition['reach'];

/** From the most private to the one that reaches farthest. A hint of a server makes a tool neither private nor public. */
const ORDER: readonly Reach[] = [undefined, 'hinted', 'outside'];

/**
 * What may be offered together: of all tools of an agent the most private kind there is. Undefined: private ones alone.
 * @param reaches of every tool, also of those that cannot be reached now.
 */
export function offeredReach(reaches: readonly Reach[]): Reach {
  return ORDER.find((reach) => reaches.includes(reach));
}

/**
 * Whether native tools that reach outside may be bound beside these tools. An agent that names tools of servers has none
 * of them while it is offered none: what it was shown before may be private.
 */
export function mayReachOutside(
  { tools, outsideTools }: Pick<Agent, 'tools' | 'outsideTools'>,
  offered: readonly Pick<ToolDefinition, 'reach'>[],
): boolean {
  if (outsideTools === 'together' || tools.length === 0) return true;
  return offered.length > 0 && offered.every(({ reach }) => reach === 'outside');
}
