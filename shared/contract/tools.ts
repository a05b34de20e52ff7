// What the runtime knows of tools: definitions to offer, calls to run, results to store; and what a source of tools is.

import type { WaitKind } from '../schema/execution.ts';

/** A tool an agent may call. */
export interface ToolDefinition {
  /** `server.tool`, everywhere but on a provider's wire. */
  name: string;
  description: string;
  /** JSON Schema of the arguments, as the server gave it. */
  inputSchema: Record<string, unknown>;
  /** Whether repeating a call is harmless: MCP `readOnlyHint`, or configured so. */
  readOnly: boolean;
  /** A call is not run but waits: for the end of a child execution, or for the decision of a person. */
  waits?: WaitKind;
}

/** A call of a model. `arguments` is JSON text; what is not an object is wrapped as `{input: …}` before it is sent. */
export interface ToolCall {
  callId: string;
  /** `server.tool`; may name nothing that exists. */
  name: string;
  arguments: string;
}

/** What a call gave. A tool's own error is a result too: the model reads it and goes on. */
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

/** What a call came to, before it is measured and cut. */
export interface ToolOutcome {
  content: string;
  isError: boolean;
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
}

/** One origin of tools: an MCP server, or tools of our own. Its limits, timing and unknown tools are not its matter. */
export interface ToolSource {
  /** The part of its tools' names before the dot, as agents list it. */
  readonly name: string;
  /**
   * Connects for one iteration.
   * @throws RetryableError `TOOL_SERVER_UNAVAILABLE`; the signal's reason on abort. Nothing is left behind then.
   */
  connect(signal: AbortSignal): Promise<ConnectedSource>;
}

/** A source that is ready for calls. */
export interface ConnectedSource {
  /** Every tool it has, named `source.tool`. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Runs a call of one of its tools. Tool errors and time-outs are outcomes with `isError`; only an abort of the
   * signal throws. The content may have any length.
   */
  call(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
  /** Ends what `connect` began. Never throws. */
  close(): Promise<void>;
}

/**
 * Connects an agent to its tools.
 * @param allowed servers (`kubernetes`) or tools (`kubernetes.get_logs`).
 * @throws TerminalError `CONFIG_UNKNOWN_SERVER`; RetryableError `TOOL_SERVER_UNAVAILABLE`.
 */
export type ConnectTools = (allowed: string[], signal: AbortSignal) => Promise<ToolExecutor>;
