// MCP servers as tools of agents.

import type { HttpServerConfig } from '../contract/mcpServer.ts';
import { SKILLS } from '../core/contract/skills.ts';
import { TerminalError } from '../core/errors.ts';
import { nameSchema } from '../core/schema/common.ts';
import { CODE_SOURCE } from './tool.ts';

/** Milliseconds until a server must have answered and listed its tools. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Sources of tools that are no servers. */
const OWN_SOURCES: readonly string[] = [CODE_SOURCE, SKILLS];

/** Settings of a server, with the names of servers.yaml. Absent ones are Inquest's defaults. */
export interface McpOptions extends Partial<Omit<HttpServerConfig, 'transport' | 'url'>> {
  /** The name in tools and in the timeline. Default: that of the host, with dashes for dots. */
  name?: string;
}

/** An MCP server that agents list in `tools`. */
export interface McpSource {
  readonly kind: 'mcp';
  readonly name: string;
  readonly config: HttpServerConfig;
}

/**
 * A server over streamable HTTP. Only its read-only tools are offered, by its own hint; `access: 'write'` and
 * `tools` offer those that change something, as in servers.yaml.
 * @throws TerminalError `CONFIG_INVALID` for an address that is not HTTP, or a name that is none.
 */
export function mcp(url: string, { name, ...options }: McpOptions = {}): McpSource {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new TerminalError('CONFIG_INVALID', 'mcp: the address must be an http or https URL');
  const source = name ?? parsed.hostname.replaceAll('.', '-');
  if (!nameSchema.safeParse(source).success)
    throw new TerminalError('CONFIG_INVALID', `mcp: "${source}" is no name of a server; set name`);
  if (OWN_SOURCES.includes(source))
    throw new TerminalError('CONFIG_INVALID', `mcp: "${source}" is a source of the engine; set another name`);
  const config: HttpServerConfig = {
    transport: 'http',
    url,
    access: 'read',
    readOnly: [],
    trustHints: true,
    tools: {},
    arguments: {},
    headers: {},
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    keepConnection: true,
    ...options,
  };
  return { kind: 'mcp', name: source, config };
}
