// Decides which tools of a server are offered, and which approval and recovery their calls need. Pure. A tool
// that changes something is offered only if the configuration sets its approval.

import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig, ToolSettings } from '../../contract/mcpServer.ts';
import type { ToolDefinition } from '../../core/contract/tools.ts';
import { closestPattern, matchesAny } from '../../text/pattern.ts';

/** Whether a tool is offered to agents, and on which terms. */
type ToolAccess =
  | { kind: 'offered'; access: Pick<ToolDefinition, 'readOnly' | 'waits' | 'recovery'> }
  /** Why it is not offered, with the setting that changes that. */
  | { kind: 'withheld'; reason: string };

/** Decides by the configuration; by the server's own `readOnlyHint` only if the configuration trusts it. */
export function decideToolAccess(
  tool: Pick<Tool, 'name' | 'annotations'>,
  config: McpServerConfig,
): ToolAccess {
  if (isReadOnly(tool, config)) return { kind: 'offered', access: { readOnly: true } };
  if (config.access === 'read') {
    const reason =
      'it may change something, and access is read: list it under readOnly if it only looks, else set access: write and its approval';
    return { kind: 'withheld', reason };
  }
  const { approval, idempotent, probe } = findToolSettings(tool.name, config);
  if (approval === undefined) {
    const reason =
      'it may change something, and its approval is not configured: set approval: required or approval: none for it under tools';
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

/** Whether a tool is read-only: as configured, or by the server's hint if that is trusted. */
export function isReadOnly(
  tool: Pick<Tool, 'name' | 'annotations'>,
  { readOnly, trustHints }: Pick<McpServerConfig, 'readOnly' | 'trustHints'>,
): boolean {
  return matchesAny(tool.name, readOnly) || (trustHints && tool.annotations?.readOnlyHint === true);
}

/**
 * The `external` mark of a tool: by the configuration of its server, else by the hint of the server. The hint
 * need not be trusted, because it can only remove tools.
 */
export function findExternalMark(
  { annotations }: Pick<Tool, 'annotations'>,
  { reaches }: Pick<McpServerConfig, 'reaches'>,
): ToolDefinition['external'] {
  if (reaches !== undefined) return reaches === 'outside' ? reaches : undefined;
  return annotations?.openWorldHint === true ? 'hinted' : undefined;
}

/** The settings of a tool: those under its name, else those under the longest prefix of it. */
export function findToolSettings(tool: string, { tools }: Pick<McpServerConfig, 'tools'>): ToolSettings {
  const pattern = closestPattern(tool, Object.keys(tools));
  return pattern === undefined ? {} : (tools[pattern] ?? {});
}
