// The tool ports: definitions, calls and results of tools, and the sources that provide them.

import type { InquestError } from '../errors.ts';
import type { ModelSettings } from '../schema/agent.ts';
import type { Recovery, WaitKind } from '../schema/execution.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';

/** A tool an agent may call. */
export interface ToolDefinition {
  /** `server.tool`; only requests to providers use another form. */
  name: string;
  description: string;
  /** JSON Schema of the arguments, unchanged from the server but for bound parameters, which are left out. */
  inputSchema: Record<string, unknown>;
  /** Parameters that configuration sets at every call; absent when there are none. */
  bound?: Record<string, string>;
  /** Whether repeating a call is harmless: configured so, or hinted by a server whose hints are trusted. */
  readOnly: boolean;
  /**
   * Set for a tool that reaches outside (the web, services of others): configured so, or only hinted by its server. Absent:
   * the tool is private.
   */
  reach?: 'outside' | 'hinted';
  /** Set when a call waits instead of running: for the end of a child execution, or for a person's decision. */
  waits?: WaitKind;
  /** What becomes of a call that was cut off, for a tool that is not read-only. Absent: its effect stays unknown. */
  recovery?: Recovery;
}

/** A tool call of a model. `arguments` is JSON text; any other value than an object is sent as `{input: …}`. */
export interface ToolCall {
  callId: string;
  /** `server.tool`; the tool may not exist. */
  name: string;
  arguments: string;
}

/** The result of a call. A tool's own error is a result too, which the model can react to. */
export interface ToolResult {
  callId: string;
  name: string;
  content: string;
  isError: boolean;
  /** Whether `content` was cut at the limit. */
  truncated: boolean;
  /** What `content` is a part of, so that it can be stored; absent for results that are whole. */
  large?: LargeResult;
  durationMs: number;
  /** Events that the call made, without secrets. They are stored together with its result. */
  events?: EventDraft[];
  /** How many secrets were taken out of `content`. */
  masked?: number;
  /** Tokens that the tool used of the session's budget. Absent: none. */
  tokens?: number;
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
  /** Set when no tool answered for another reason: there is none of that name, or its server was lost. */
  noAnswer?: true;
  /** Set where the model named a tool that it is not offered. That is feedback to the model, and no failure of the call. */
  unknownTool?: true;
}

/** A result above its limit. */
export interface LargeResult {
  /** All of it, without secrets and with everything in it visible; of more than 5 MB head and tail. */
  text: string;
  /** UTF-8 bytes of the tool's whole output. */
  bytes: number;
  /** UTF-8 bytes that the model is shown of it. */
  maxBytes: number;
  /** The model that summarises it; absent when nobody does. */
  summarizeWith?: ModelSettings;
}

/** What a source says of the results of its tools. */
export interface ResultSettings {
  /** UTF-8 bytes of a result that the model is shown; replaces the agent's own limit. */
  maxBytes?: number | undefined;
  /** The model that summarises longer ones. Absent: they are shown in part. */
  summarizeWith?: ModelSettings | undefined;
}

/** The limits of a call, and the key that identifies its repetitions. */
export interface ExecuteOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** Longer results, in UTF-8 bytes, are cut and marked, unless their source has a limit of its own. */
  maxResultBytes: number;
  /** Takes secrets out of a result, before it is cut. */
  mask: (content: string) => { text: string; count: number } | Promise<{ text: string; count: number }>;
  /** `{sessionId}/{executionId}/{iteration}/{index}`, sent in the call's `_meta`. */
  idempotencyKey: string;
  traceparent: string | null;
}

/**
 * Characters of a source's instructions that are read. Longer ones are not shown: cut before secrets are taken out, they
 * might end in half of one.
 */
export const MAX_INSTRUCTIONS = 64_000;

/** A source of tools that could not be reached. */
export interface MissingSource {
  name: string;
  /** Terminal when trying again cannot help: a command that does not exist, a refused login. */
  error: InquestError;
}

/** All that a connected source offers, whatever of it an agent may use. */
export interface OfferedTools {
  source: string;
  /** As the source gave them: the same objects as long as they are the same. */
  tools: readonly ToolDefinition[];
  /** As in `ConnectedSource`. */
  instructions?: string;
}

/** The tools of one agent, connected for one iteration. */
export interface ToolExecutor {
  /** What each connected source offers. */
  readonly offered: readonly OfferedTools[];
  /** The sources the agent may use and that could not be reached, sorted by name; those that were not tried are not among them. */
  readonly missing: readonly MissingSource[];
  /** The tools the agent may use, sorted by name, so that prompts are byte-identical between iterations. */
  list(): ToolDefinition[];
  /**
   * Runs a call. Unknown tools, missing sources, tool errors and time-outs are results with `isError`; only an abort of
   * `signal` throws.
   */
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolResult>;
  /**
   * Asks whether a call that was cut off took effect, by the read-only call that is configured for its tool. Nothing that
   * is not one of its two answers counts as one. Only an abort of `signal` throws.
   */
  probe(call: ToolCall, options: ExecuteOptions): Promise<ProbeResult>;
  close(): Promise<void>;
}

/** What a probe says of a call that was cut off. */
export interface ProbeResult {
  answer: 'happened' | 'did_not_happen' | 'unclear';
  /** The probe's own result, or why there is none, cut like any result. */
  content: string;
}

/** The outcome of a call before it is measured and cut. */
export interface ToolOutcome {
  content: string;
  isError: boolean;
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
  /** Set when no tool answered for another reason, as in `ToolResult`. */
  noAnswer?: true;
  /** Set where the model named a tool that it is not offered, as in `ToolResult`. */
  unknownTool?: true;
}

/** What a source is connected for. */
export interface SourceOptions {
  /** Labels of the alert, to which parameters of tools may be bound; undefined when no alert is looked into. */
  labels?: Readonly<Record<string, string>>;
  /** Whether tools must be listed anew, because a call was approved by their definition. */
  fresh?: boolean;
}

/** A source of tools: an MCP server, or built-in tools. Limits, timing and unknown tools are handled by its caller. */
export interface ToolSource {
  /** The part of its tools' names before the dot, as agents list it. */
  readonly name: string;
  /** Set when the configuration says that all its tools reach outside. */
  readonly reach?: 'outside';
  /**
   * Connects for one iteration.
   * @throws RetryableError `TOOL_SERVER_UNAVAILABLE`, TerminalError of that code when trying again cannot help; the signal's
   *   reason on abort. All resources are released then.
   */
  connect(signal: AbortSignal, options?: SourceOptions): Promise<ConnectedSource>;
}

/** A tool that is there and that no agent may use. */
export interface WithheldTool {
  /** `source.tool` */
  name: string;
  /** With what to change in the configuration. */
  reason: string;
}

/** A connected source. */
export interface ConnectedSource {
  /** The tools it offers, named `source.tool`. What is made of one is kept by its object. */
  readonly tools: readonly ToolDefinition[];
  /**
   * What it says to a model about the use of its tools, untrusted and as it came, but for what is behind
   * `MAX_INSTRUCTIONS + 1` characters; absent when it says nothing, or is not to be heard.
   */
  readonly instructions?: string;
  /** How its results are shown; absent: as the agent's limits say. */
  readonly results?: ResultSettings;
  /** Tools that it has and does not offer, and why. */
  readonly withheld?: readonly WithheldTool[];
  /**
   * Runs a call of one of its tools. Tool errors and time-outs are outcomes with `isError`; only an abort of the
   * signal throws. The content may have any length.
   */
  call(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
  /** As `ToolExecutor.probe`, for tools whose `recovery` is `probe`; absent for sources without such tools. */
  probe?(call: ToolCall, options: ExecuteOptions): Promise<ProbeResult>;
  /** Closes the connection. Never throws. */
  close(): Promise<void>;
}

/** How an agent is connected to its tools. */
export interface ConnectOptions extends SourceOptions {
  signal: AbortSignal;
  /** Aborts when there is no more time to connect: sources that are not connected by then are missing. */
  giveUp?: AbortSignal;
  /** Whether tools that reach outside are offered beside private ones. Default: apart. */
  outsideTools?: 'apart' | 'together';
  /** Whether the agent has private tools beside those of sources. Default: it has not. */
  hasPrivate?: boolean;
  /** Names of sources that are not tried. */
  skip?: ReadonlySet<string>;
  /**
   * Called after a failed attempt at a source that may pass; waits and resolves to whether it is tried again.
   * Without it a source is tried once.
   * @param attempts how often the source was tried.
   */
  retry?(source: string, attempts: number): Promise<boolean>;
}

/**
 * Connects an agent to its tools. Sources that cannot be reached are `missing`; the tools of the others are offered.
 * @param allowed servers (`kubernetes`) or tools (`kubernetes.get_logs`).
 * @throws TerminalError `CONFIG_UNKNOWN_SERVER`; the signal's reason on abort. Nothing stays connected then.
 */
export type ConnectTools = (allowed: string[], options: ConnectOptions) => Promise<ToolExecutor>;
