// What the runtime knows of tools: definitions to offer, calls to run, results to tell.

/** A tool an agent may call. */
export interface ToolDefinition {
  /** `server.tool`, everywhere but on a provider's wire. */
  name: string;
  description: string;
  /** JSON Schema of the arguments, as the server gave it. */
  inputSchema: Record<string, unknown>;
  /** Whether repeating a call is harmless: MCP `readOnlyHint`, or configured so. */
  readOnly: boolean;
}

/** A call of a model. `arguments` is JSON text; what is not an object is wrapped as `{input: …}` before it is sent. */
export interface ToolCall {
  callId: string;
  /** `server.tool`; may name nothing that exists. */
  name: string;
  arguments: string;
}

/** What a call gave. A tool's own error is a result too: the model is told and goes on. */
export interface ToolResult {
  callId: string;
  name: string;
  content: string;
  isError: boolean;
  /** Whether `content` was cut at the limit. */
  truncated: boolean;
  durationMs: number;
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
}

/** How a call is bounded and told apart from its repetitions. */
export interface ExecuteOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** Results longer than this many UTF-8 bytes are cut and marked. */
  maxResultBytes: number;
  /** `{sessionId}/{executionId}/{iteration}/{index}`, sent in the call's `_meta`. */
  idempotencyKey: string;
  traceparent: string | null;
}

/** The tools of one agent, connected for one iteration. */
export interface ToolExecutor {
  /** The tools the agent may use, sorted by name, so that prompts stay byte-stable. */
  list(): ToolDefinition[];
  /**
   * Runs a call. Unknown tools, tool errors and time-outs are results with `isError`; only an abort of `signal` throws.
   */
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

/**
 * Connects an agent to its tools.
 * @param allowed servers (`kubernetes`) or tools (`kubernetes.get_logs`).
 * @throws TerminalError `CONFIG_UNKNOWN_SERVER`; RetryableError `TOOL_SERVER_UNAVAILABLE`.
 */
export type ConnectTools = (allowed: string[], signal: AbortSignal) => Promise<ToolExecutor>;
