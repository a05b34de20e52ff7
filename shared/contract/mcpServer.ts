// The validated configuration of an MCP server, with references to the environment resolved.

import type { ModelSettings } from '../schema/agent.ts';

/** Finds out about an interrupted call with a read-only call of the same server. */
export interface ProbeSettings {
  /** Name of the tool to call, without the server's. */
  tool: string;
  /**
   * Its arguments. `${arguments.name}` is an argument of the interrupted call, `${idempotencyKey}` its idempotency key.
   */
  arguments: Record<string, string>;
  /**
   * Texts that its answer contains if the call took effect, and if it did not. Neither or both: the effect stays
   * unknown.
   */
  happened: string;
  didNotHappen: string;
}

/** The settings of a tool that changes something. */
export interface ToolSettings {
  /** Whether a person has to approve each call. Without it the tool is not offered. */
  approval?: 'required' | 'none' | undefined;
  /** `key`: the tool runs a call only once per idempotency key. */
  idempotent?: 'key' | undefined;
  probe?: ProbeSettings | undefined;
}

/** Settings of servers of every kind. Patterns are names, `*`, or a prefix and `*` (`get_*`). */
interface AnyMcpServer {
  /** `read`: only read-only tools are offered. `write`: also those for which `tools` has an `approval`. */
  access: 'read' | 'write';
  /** Patterns of tools that are read-only. */
  readOnly: string[];
  /** Whether the server's own hint (`readOnlyHint`) also makes a tool read-only. */
  trustHints: boolean;
  /**
   * Whether its tools are external. Absent: they are private, except those that the server hints to be external
   * (`openWorldHint`).
   */
  reaches?: 'outside' | 'inside' | undefined;
  /** Settings of tools that change something, by pattern. The most specific pattern applies. */
  tools: Record<string, ToolSettings>;
  /** Parameters that the model neither sees nor sets, by name: `${labels.NAME}` for a label of the alert, or fixed text. */
  arguments: Record<string, string>;
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: number;
  /** UTF-8 bytes of a result that the model is shown; replaces the agent's own limit for the tools of this server. */
  resultBytes?: number | undefined;
  /** The model that summarises longer results; absent: they are shown in part. */
  summarizeWith?: ModelSettings | undefined;
  /** `ignore`: the server's instructions for models are not shown. Default: they are shown as data. */
  instructions?: 'show' | 'ignore' | undefined;
  /** Whether an instance keeps the connection between iterations. Otherwise each iteration opens a new connection. */
  keepConnection: boolean;
  /** Time limit of a call in milliseconds; replaces the agent's own limit for the tools of this server. */
  timeoutMs?: number | undefined;
}

/** A process on this machine, connected over its standard streams. */
export interface StdioServerConfig extends AnyMcpServer {
  transport: 'stdio';
  command: string;
  args: string[];
  /** The environment of the process, besides PATH, HOME, USER, LOGNAME, SHELL and TERM. */
  env: Record<string, string>;
  /** `inherit`: HOME is that of this process. Default, unless `env` sets it: an empty folder of its own, removed at its end. */
  home?: 'private' | 'inherit' | undefined;
  /** Working directory; that of this process by default. */
  cwd?: string | undefined;
}

/** A remote server, connected over streamable HTTP. */
export interface HttpServerConfig extends AnyMcpServer {
  transport: 'http';
  url: string;
  headers: Record<string, string>;
  /** `google`: every request carries a token of Google's in its Authorization header. */
  auth?: 'google' | undefined;
  /** The audience of an ID token. Default: the URL's origin, as Cloud Run requires. */
  audience?: string | undefined;
  /** Scopes of an access token, which is sent instead of an ID token. */
  scopes?: string[] | undefined;
  /** The service account that the token is minted for. Default: the process's own. */
  impersonate?: string | undefined;
}

/** An MCP server of the configuration. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
