// The validated configuration of an MCP server, with references to the environment resolved.

/** Settings of servers of every kind. */
interface AnyMcpServer {
  /** Tools that count as read-only even if the server does not declare them so: names, `*`, or a prefix and `*` (`get_*`). */
  readOnly: string[];
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: number;
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
  /** Working directory; that of this process by default. */
  cwd?: string | undefined;
}

/** A remote server, connected over streamable HTTP. */
export interface HttpServerConfig extends AnyMcpServer {
  transport: 'http';
  url: string;
  headers: Record<string, string>;
}

/** An MCP server of the configuration. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
