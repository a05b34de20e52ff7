// The validated configuration of an MCP server, with references to the environment resolved.

import type { ModelSettings } from '../schema/agent.ts';

/** How a call that was cut off is found out about: by a read-only call of the same server. */
export interface ProbeSettings {
  /** Name of the tool that is asked, without the server's. */
  tool: string;
  /** Its arguments. `${arguments.name}` is an argument of the call, `${idempotencyKey}` the key that it was sent with. */
  arguments: Record<string, string>;
  /** Texts that its answer holds if the call took effect, and if it did not. Neither or both: it stays unknown. */
  happened: string;
  didNotHappen: string;
}

/** What holds for a tool that changes something. */
export interface ToolSettings {
  /** Whether a person has to approve each call. A tool without it is not offered. */
  approval?: 'required' | 'none' | undefined;
  /** `key`: the tool runs a call once however often it comes with the same idempotency key. */
  idempotent?: 'key' | undefined;
  probe?: ProbeSettings | undefined;
}

/** Settings of servers of every kind. Patterns are names, `*`, or a prefix and `*` (`get_*`). */
interface AnyMcpServer {
  /** `read`: only tools that are read-only are offered. `write`: also those for which `tools` has an `approval`. */
  access: 'read' | 'write';
  /** Patterns of tools that are read-only. */
  readOnly: string[];
  /** Whether a tool is read-only, too, when the server itself hints so (`readOnlyHint`). */
  trustHints: boolean;
  /** Whether its tools reach outside or not. Absent: they are private, but for those that the server hints (`openWorldHint`). */
  reaches?: 'outside' | 'inside' | undefined;
  /** Settings of tools that change something, by pattern. Of several the closest one holds. */
  tools: Record<string, ToolSettings>;
  /** Parameters that the model neither sees nor sets, by name: `${labels.NAME}` for a label of the alert, or fixed text. */
  arguments: Record<string, string>;
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: number;
  /** UTF-8 bytes of a result that the model is shown; replaces the agent's own limit for the tools of this server. */
  resultBytes?: number | undefined;
  /** The model that summarises longer results; absent: they are shown in part. */
  summarizeWith?: ModelSettings | undefined;
  /** `ignore`: what the server says to models about the use of its tools is not shown. Default: it is shown as data. */
  instructions?: 'show' | 'ignore' | undefined;
  /** Whether an instance keeps the connection between iterations. Without it each iteration connects anew. */
  keepConnection: boolean;
  /** Milliseconds a call may take; replaces the agent's own limit for the tools of this server. */
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
  /** Whom an ID token is for. Default: the URL's origin, as Cloud Run wants it. */
  audience?: string | undefined;
  /** Scopes of an access token, which is sent instead of an ID token. */
  scopes?: string[] | undefined;
  /** The service account that the token is minted for. Default: the process's own. */
  impersonate?: string | undefined;
}

/** An MCP server of the configuration. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
