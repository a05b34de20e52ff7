// The tool ports: definitions, calls and results of tools, and the sources that provide them.

import type { InquestError } from '../errors.ts';
import type { ModelSettings } from '../schema/agent.ts';
import type { Yields } from '../schema/block.ts';
import type { Recovery, WaitKind } from '../schema/execution.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';

/** A tool that an agent can call. */
export interface ToolDefinition {
  /** `server.tool`; only requests to providers use another form. */
  name: string;
  /** The author's version of a tool in code: a change of it is a change of the tool. Absent: none. */
  version?: string;
  /** The description that the source gives the model, untrusted; empty if it has none. */
  description: string;
  /** JSON Schema of the arguments, as the server gave it, without bound parameters. */
  inputSchema: Record<string, unknown>;
  /** Parameters that configuration sets at every call; absent when there are none. */
  bound?: Record<string, string>;
  /** Whether repeating a call is harmless: by configuration, or by the hint of a trusted server. */
  readOnly: boolean;
  /**
   * Set for an external tool (the web, services of others): by configuration, or only by a hint of its
   * server. Absent: the tool is private.
   */
  external?: 'outside' | 'hinted';
  /** Set for a tool that returns only text of the configuration: it is neither external nor private. */
  neutral?: true;
  /** The kind of its results. Absent: `text`. */
  yields?: Yields;
  /** The field list of its results, by name. Absent: they have no state fields. */
  fields?: string;
  /** Set where a call costs money or load: code repeats none for contrast. */
  costs?: true;
  /** Set when a call waits instead of running: for a child execution, or for a person's decision. */
  waits?: WaitKind;
  /** The recovery of an interrupted call of a writing tool. Absent: its effect stays unknown. */
  recovery?: Recovery;
}

/** A tool call of a model. `arguments` is JSON text; any value but an object is sent as `{input: …}`. */
export interface ToolCall {
  /** The provider's id of the call, or one that the client of the model assigned. Unique within an answer. */
  callId: string;
  /** `server.tool`; the tool does not have to exist. */
  name: string;
  /** JSON text from the model, not yet checked against the tool's schema. */
  arguments: string;
  /** The end of the time in which its result is useful. Default: none; the agent's limit applies. */
  until?: Date;
}

/** The result of a call. A tool's own error is a result too, which the model can react to. */
export interface ToolResult {
  /** The `callId` of the call. */
  callId: string;
  /** The name in the call, also when no such tool exists. */
  name: string;
  /** Masked text, at most as long as the limit that applies. For an error, its explanation for the model. */
  content: string;
  /** Whether the call failed: by the tool's own account, or because no tool answered. */
  isError: boolean;
  /** Whether `content` was cut at the limit. */
  truncated: boolean;
  /** The whole result of which `content` is a part, so that it can be stored; absent for whole results. */
  large?: LargeResult;
  /** Milliseconds from the start of the call to its result. */
  durationMs: number;
  /** Events that the call made, without secrets. They are stored together with its result. */
  events?: EventDraft[];
  /** Number of secrets that were masked in `content`. */
  masked?: number;
  /** Tokens that the tool used of the session's budget. Absent: none. */
  tokens?: number;
  /** The kind of `content`. Absent: `text`. */
  yields?: Yields;
  /** The field list of `content`. Absent: none. */
  fields?: string;
  /** Keys of the knowledge entries that `content` shows. Absent: none. */
  entries?: string[];
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
  /** Set when no tool answered for another reason: it does not exist, or its server was lost. */
  noAnswer?: true;
  /** Set when the model named a tool that it is not offered: feedback to the model, not a failure. */
  unknownTool?: true;
}

/** A result above its limit. */
export interface LargeResult {
  /** The whole result, without secrets and without invisible characters; above 5 MB, only head and tail. */
  text: string;
  /** UTF-8 bytes of the tool's whole output. */
  bytes: number;
  /** UTF-8 bytes that the model is shown of it. */
  maxBytes: number;
  /** The model that summarises it; absent without one. */
  summarizeWith?: ModelSettings;
}

/** The settings of a source for the results of its tools. */
export interface ResultSettings {
  /** UTF-8 bytes of a result that the model is shown; replaces the agent's own limit. */
  maxBytes?: number | undefined;
  /** The model that summarises longer ones. Absent: they are shown in part. */
  summarizeWith?: ModelSettings | undefined;
}

/** The limits of a call, and the key that identifies its repetitions. */
export interface ExecuteOptions {
  /** Its abort ends the call and makes it throw the reason. */
  signal: AbortSignal;
  /** Milliseconds until the call ends as `timedOut`, unless its source has a limit of its own. */
  timeoutMs: number;
  /** Longer results, in UTF-8 bytes, are cut and marked, unless their source has a limit of its own. */
  maxResultBytes: number;
  /** Takes secrets out of a result, before it is cut. */
  mask: (content: string) => { text: string; count: number } | Promise<{ text: string; count: number }>;
  /** `{sessionId}/{executionId}/{iteration}/{index}`, sent in the call's `_meta`. */
  idempotencyKey: string;
  /** W3C trace context of the session, sent in the call's `_meta`. Null: there is none. */
  traceparent: string | null;
}

/**
 * Characters of a source's instructions that are read. Longer ones are not shown: cut before masking, they
 * could end within a secret.
 */
export const MAX_INSTRUCTIONS = 64_000;

/** A source of tools that could not be reached. */
export interface MissingSource {
  /** Name of the source, as agents list it. */
  name: string;
  /** Terminal when trying again cannot help: a command that does not exist, a refused login. */
  error: InquestError;
}

/** All tools and instructions of a connected source, including tools that the agent is not allowed to use. */
export interface OfferedTools {
  /** Name of the source, as agents list it. */
  source: string;
  /** As the source returned them: the same objects as long as they are unchanged. */
  tools: readonly ToolDefinition[];
  /** As in `ConnectedSource`. */
  instructions?: string;
  /** As in `ConnectedSource`. */
  scope?: Readonly<Record<string, string>>;
  /** As in `ConnectedSource`. */
  results?: ResultSettings;
  /** As in `ConnectedSource`. */
  narrowed?: readonly string[];
}

/** The tools of one agent, connected for one iteration. */
export interface ToolExecutor {
  /** All tools and instructions of each connected source. */
  readonly offered: readonly OfferedTools[];
  /** The agent's sources that could not be connected, sorted by name; without those not tried. */
  readonly missing: readonly MissingSource[];
  /** The tools of the agent, sorted by name, so that prompts are byte-identical between iterations. */
  list(): ToolDefinition[];
  /**
   * Runs a call. Unknown tools, missing sources, tool errors and time-outs are results with `isError`; only
   * an abort of `signal` throws.
   */
  execute(call: ToolCall, options: ExecuteOptions): Promise<ToolResult>;
  /**
   * Finds out whether an interrupted call took effect, with the read-only call that is configured for its
   * tool. Only one of its two configured answers decides. Only an abort of `signal` throws.
   */
  probe(call: ToolCall, options: ExecuteOptions): Promise<ProbeResult>;
  /** Closes the connections of all sources, or returns kept ones. Never throws. */
  close(): Promise<void>;
}

/** The result of a probe of an interrupted call. */
export interface ProbeResult {
  /** `unclear`: both texts or neither were found, or the probe could not run. The effect stays unknown. */
  answer: 'happened' | 'did_not_happen' | 'unclear';
  /** The probe's own result, or why there is none, cut like any result. */
  content: string;
}

/** The outcome of a call before it is measured and cut. */
export interface ToolOutcome {
  /** The whole text of the result, of any length, not yet masked. */
  content: string;
  /** Whether the tool or its server reported an error. */
  isError: boolean;
  /** Set when the call was ended by its time limit. */
  timedOut: boolean;
  /** Set when no tool answered for another reason, as in `ToolResult`. */
  noAnswer?: true;
  /** Set where the model named a tool that it is not offered, as in `ToolResult`. */
  unknownTool?: true;
}

/** The options of a connection to a source. */
export interface SourceOptions {
  /** Labels of the alert, which parameters of tools can be bound to; undefined without an alert. */
  labels?: Readonly<Record<string, string>>;
  /** Whether tools must be listed again, because a call was approved by their definition. */
  fresh?: boolean;
  /** Names of sources, and of parts of them (`kubernetes/eu-1`), that are not tried. */
  skip?: ReadonlySet<string>;
}

/** A source of tools: an MCP server, or built-in tools. Callers handle limits, timing, unknown tools. */
export interface ToolSource {
  /** The part of its tools' names before the dot, as agents list it. */
  readonly name: string;
  /** Set when the configuration marks all its tools as external. */
  readonly external?: 'outside';
  /**
   * Connects for one iteration.
   * @throws RetryableError `TOOL_SERVER_UNAVAILABLE`, TerminalError of that code when trying again cannot
   *   help; the signal's reason on abort. All resources are released then.
   */
  connect(signal: AbortSignal, options?: SourceOptions): Promise<ConnectedSource>;
}

/** An existing tool that no agent is allowed to use. */
export interface WithheldTool {
  /** `source.tool` */
  name: string;
  /** Includes the remedy in the configuration. */
  reason: string;
}

/** A connected source. */
export interface ConnectedSource {
  /** The tools it offers, named `source.tool`. Data derived from a tool is cached by its object. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Its instructions for models about the use of its tools, untrusted and unchanged, cut after
   * `MAX_INSTRUCTIONS + 1` characters; absent if it has none, or they are ignored.
   */
  readonly instructions?: string;
  /** The parameters that limit its calls, with their values for this alert; absent without scope. */
  readonly scope?: Readonly<Record<string, string>>;
  /** Its parts that could not be reached, as `kubernetes/eu-1`; absent: none. */
  readonly missing?: readonly MissingSource[];
  /** How its results are shown; absent: by the agent's limits. */
  readonly results?: ResultSettings;
  /** Tools that it has but does not offer, with the reason. */
  readonly withheld?: readonly WithheldTool[];
  /** Names of those that only alerts with other labels get; absent: none. */
  readonly narrowed?: readonly string[];
  /**
   * Runs a call of one of its tools. Tool errors and time-outs are outcomes with `isError`; only an abort of
   * the signal throws. The content can have any length.
   */
  call(call: ToolCall, options: ExecuteOptions): Promise<ToolOutcome>;
  /** As `ToolExecutor.probe`, for tools whose `recovery` is `probe`; absent for other sources. */
  probe?(call: ToolCall, options: ExecuteOptions): Promise<ProbeResult>;
  /** Closes the connection. Never throws. */
  close(): Promise<void>;
}

/** How an agent is connected to its tools. */
export interface ConnectOptions extends SourceOptions {
  /** Its abort cancels the connecting and closes open connections. */
  signal: AbortSignal;
  /** Aborts when there is no more time to connect: sources that are not connected by then are missing. */
  giveUp?: AbortSignal;
  /** Whether external tools are offered together with private ones. Default: apart. */
  outsideTools?: 'apart' | 'together';
  /** Whether the agent has private tools in addition to those of sources. Default: false. */
  hasPrivate?: boolean;
  /**
   * Called after a temporary failure to connect a source; waits and resolves to whether it is tried again.
   * Without it a source is tried once.
   * @param attempts number of attempts so far.
   */
  retry?(source: string, attempts: number): Promise<boolean>;
}

/**
 * Connects an agent to its tools. Sources that cannot be reached are `missing`; the tools of the others are
 * offered.
 * @param allowed servers (`kubernetes`) or tools (`kubernetes.get_logs`).
 * @throws TerminalError `CONFIG_UNKNOWN_SERVER`; the signal's reason on abort. Nothing stays connected then.
 */
export type ConnectTools = (allowed: string[], options: ConnectOptions) => Promise<ToolExecutor>;
