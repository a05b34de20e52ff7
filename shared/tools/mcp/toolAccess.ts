// Which tools of a server are offered, and what has to happen before and after a call of one. Pure. A tool that changes
// something is offered only where the configuration says how it is approved.

import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig, ToolSettings } from '../../contract/mcpServer.ts';
import type { ToolDefinition } from '../../contract/tools.ts';
import { closestPattern, matchesAny } from '../../text/namePattern.ts';

/** What an agent may do with a tool. */
export type ToolAccess =
  | { kind: 'offered'; access: Pick<ToolDefinition, 'readOnly' | 'waits' | 'recovery'> }
  /** Why it is not offered, with what to write to change that. */
  | { kind: 'withheld'; reason: string };

/** Decides by the configuration; by the server's own `readOnlyHint` only if the configuration trusts it. */
export function accessTo(tool: Pick<Tool, 'name' | 'annotations'>, config: McpServerConfig): ToolAccess {
  if (isReadOnly(tool, config)) return { kind: 'offered', access: { readOnly: true } };
  if (config.access === 'read') {
    const reason =
      'it may change something, and access is read: list it under readOnly if it only looks, else set access: write and its approval';
    return { kind: 'withheld', reason };
  }
  const { approval, idempotent, probe } = settingsOf(tool.name, config);
  if (approval === undefined) {
    const reason =
      'it may change something, and nothing says whether it needs approval: set approval: required or approval: none for it under tools';
    return { kind: 'withheld', reason };
  }
  return {
    kind: 'offered',
    access: {
      readOnly: false,
      ...(approval === 'required' && { waits: 'person' as const }),
      ...(idempotent === 'key' && { recovery: 'repeat' as const }),
      ...(probe !== undefined && { recovery: 'probe' as const }),
    },
  };
}

/** Whether a tool only looks, by right: as the configuration says, or as the server hints if it is trusted. */
export function isReadOnly(
  tool: Pick<Tool, 'name' | 'annotations'>,
  { readOnly, trustHints }: Pick<McpServerConfig, 'readOnly' | 'trustHints'>,
): boolean {
  return matchesAny(tool.name, readOnly) || (trustHints && tool.annotations?.readOnlyHint === true);
}

/**
 * Whether a tool reaches outside: as the configuration says of its server, else as the server hints. That hint need not be
 * trusted, because it only takes something away.
 */
export function reachOf(
  { annotations }: Pick<Tool, 'annotations'>,
  { reaches }: Pick<McpServerConfig, 'reaches'>,
): ToolDefinition['reach'] {
  if (reaches !== undefined) return reaches === 'outside' ? reaches : undefined;
  return annotations?.openWorldHint === true ? 'hinted' : undefined;
}

/** What the configuration says of a tool: under its name, else under the longest prefix of it. */
export function settingsOf(tool: string, { tools }: Pick<McpServerConfig, 'tools'>): ToolSettings {
  const pattern = closestPattern(tool, Object.keys(tools));
  return pattern === undefined ? {} : (tools[pattern] ?? {});
}
