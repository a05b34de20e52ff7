// Which tools are external, and which tools an agent is offered together. An external tool can leak results
// of private tools: in a search, an address, an argument. Pure.

import type { Agent, NativeTool } from '../schema/agent.ts';
import { isSkillTool } from './skills.ts';
import type { ToolDefinition } from './tools.ts';

/** Native tools that send text to external services. Code runs in a sandbox without a network. */
const OUTWARD_NATIVE_TOOLS: readonly NativeTool[] = ['google_search', 'url_context'];

/** Whether a native tool is external. */
export function isExternalNativeTool(tool: NativeTool): boolean {
  return OUTWARD_NATIVE_TOOLS.includes(tool);
}

/** Whether a tool is external, by configuration or only by a hint. Undefined: the tool is private. */
type ExternalMark = ToolDefinition['external'];

/** From the most private to the most external. A server's hint makes a tool neither private nor external. */
const ORDER: readonly ExternalMark[] = [undefined, 'hinted', 'outside'];

/**
 * The tools that can be offered together: those of the most private kind among all tools of an agent.
 * Undefined: only private ones.
 * @param kinds of every tool, including those of unavailable servers.
 */
export function leastExternal(kinds: readonly ExternalMark[]): ExternalMark {
  return ORDER.find((kind) => kinds.includes(kind));
}

/**
 * Whether external native tools can be bound together with these tools. An agent that names tools of servers
 * has none of them while it is offered none: its conversation can contain private results.
 */
export function allowsExternalTools(
  { tools, outsideTools }: Pick<Agent, 'tools' | 'outsideTools'>,
  offered: readonly Pick<ToolDefinition, 'external' | 'neutral'>[],
): boolean {
  if (outsideTools === 'together' || tools.every(isSkillTool)) return true;
  const marked = offered.filter(({ neutral }) => !neutral);
  return marked.length > 0 && marked.every(({ external }) => external === 'outside');
}
