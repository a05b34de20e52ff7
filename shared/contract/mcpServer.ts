// How an MCP server is reached and how far it is trusted: the configuration validates it, the tools connect by it.

/** What all servers have. */
interface ServerSettings {
  /** Tools that are read-only whatever the server says: names, `*`, or a prefix and `*` (`get_*`). */
  readOnly: string[];
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: number;
  /** Milliseconds a call may take; replaces the agent's own limit for the tools of this server. */
  timeoutMs?: number | undefined;
}

/** A process on this machine, spoken to over its standard streams. */
export interface StdioServerConfig extends ServerSettings {
  transport: 'stdio';
  command: string;
  args: string[];
  /** All the process gets besides PATH, HOME, USER, LOGNAME, SHELL and TERM. */
  env: Record<string, string>;
  /** Working directory; that of this process by default. */
  cwd?: string | undefined;
}

/** A server elsewhere, spoken to over streamable HTTP. */
export interface HttpServerConfig extends ServerSettings {
  transport: 'http';
  /** `http` or `https`, without credentials; those stand in the headers. */
  url: string;
  headers: Record<string, string>;
}

/** A server as validated, references to the environment resolved. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;
