// The model port: a request of messages and tools, and a finished answer.

import type { JsonObject } from '../../text/json.ts';
import type { ModelSettings, NativeTool } from '../schema/agent.ts';
import type { TokenUsage } from '../schema/common.ts';
import type { ServiceTier } from '../schema/cost.ts';
import type { Block, Replay } from '../schema/message.ts';
import type { Citation, GroundingSource, GroundingSupport } from '../schema/timelineEvent.ts';
import type { ToolCall, ToolDefinition } from './tools.ts';

export type { Replay };

/** A message of a request: its blocks, and its provider's form if a model wrote it. Frozen if stored. */
export interface ConversationMessage {
  /** `tool`: the results of tool calls. Providers without that role get them in their own form. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Text, thinking, tool calls and tool results, in order, independent of the provider. */
  blocks: Block[];
  /** The iteration in which it was stored, where that is known. */
  iteration?: number;
  /** The answer as sent by its provider. Absent for our messages, and answers rebuilt from blocks. */
  replay?: Replay;
  /**
   * No signature of this answer is sent: the provider refused signatures of the history up to here once, or
   * masking changed the answer.
   */
  signaturesRefused?: true;
}

/** One request to a model. */
export interface LlmRequest {
  /** The model's name, provider and parameters, as the configuration resolved them. */
  model: ModelSettings;
  /** The whole conversation, oldest first. Providers keep no state between requests. */
  messages: ConversationMessage[];
  /** Tools bound for function calling; empty when the model must answer with text. */
  tools: ToolDefinition[];
  /** Tools the provider runs; absent or empty for none. With `tools` only if the provider allows it. */
  nativeTools?: NativeTool[];
  /**
   * JSON Schema that the answer's text must fit. Only for models of the native provider, and only without
   * `tools`. Absent: any text.
   */
  responseSchema?: JsonObject;
}

/** Code the provider ran, and its output. One of them can be missing, as in recorded answers. */
export interface CodeExecution {
  /** The provider's id, when it gave one (Gemini 3 and later). */
  id?: string;
  /** The source code that ran. Absent when the provider sent only an output. */
  code?: string;
  /** The provider's name of the programming language, `PYTHON`; an open set. */
  language?: string;
  /** The output of the code. Absent when the provider sent only the code. */
  result?: string;
  /** For example `OUTCOME_OK`; an open set. */
  outcome?: string;
}

/** The sources of an answer: one search, or the pages that were read. */
export interface Grounding {
  /** `search`: the model searched the web. `url_context`: it read pages whose addresses it was given. */
  kind: 'search' | 'url_context';
  /** The non-empty search queries; none for `url_context`. */
  queries: string[];
  /** Every source with an address, and every document with a title, once each. */
  sources: GroundingSource[];
  /** The parts of the answer that sources support, each with the indexes of its sources. */
  supports: GroundingSupport[];
  /** The retrieval status of each page. */
  statuses: { uri: string; status: string }[];
  /** One per support; empty for a second grounding, whose supports are among those of the first. */
  citations: Citation[];
}

/** A finished answer: complete, usable, and provider-independent except for `replay`. */
export interface LlmResponse {
  /** Visible text, without thoughts. */
  text: string;
  /** Thought summaries; empty when there are none. */
  thinking: string;
  /** In call order; `callId` is the provider's id or one of ours. */
  toolCalls: ToolCall[];
  /** The whole answer in the provider's order, small enough to be stored in one message. */
  blocks: Block[];
  /** The provider's own form of the answer; absent when there is nothing to replay. */
  replay?: Replay;
  /** None, one, or two when the model searched and also read pages; the search comes first. */
  groundings: Grounding[];
  /** Citations of all groundings, then of long quotes. Offsets are UTF-16 units of `text`. */
  citations: Citation[];
  /** In the order of the code. */
  codeExecutions: CodeExecution[];
  /** HTML of the provider's search suggestions, untrusted. Null when there are none. */
  searchEntryPoint: string | null;
  /** Tokens of this answer; null when the provider gave no counts. */
  usage: TokenUsage | null;
  /** The provider's own value; an open set. */
  finishReason: string | null;
  /** The version that answered, when the provider names it. */
  modelVersion: string | null;
  /** The provider's text about the end of the answer; it does not imply an error. */
  finishMessage: string | null;
  /** Whether the provider stopped before the answer was complete; `finishReason` names the reason. */
  truncated: boolean;
  /** The refused parts of an answer replayed without its secrets. Absent: the answer decides. */
  refused?: {
    /** One sentence per refusal. They replace those of the answer itself. */
    sentences: readonly string[];
    /** Ids of calls that were not run. */
    callIds: readonly string[];
  };
}

/** The cost of one call and the errors of its attempts, whether it succeeded or not. */
export interface CallReport {
  /** UTF-8 bytes of the request's body, in the last attempt; 0 when none was sent. */
  requestBytes: number;
  /** UTF-8 bytes of the response, in the last attempt. */
  responseBytes: number;
  /** Number of attempts; 0 when no request was sent, because the model has not answered others. */
  attempts: number;
  /** `CODE: message` of each failed attempt. */
  attemptErrors: string[];
  /** Start and end of each attempt, in epoch milliseconds, with `serviceTier`. Absent if not measured. */
  attemptTimes?: { startedMs: number; endedMs: number; serviceTier?: ServiceTier }[];
  /** The provider in the terms of OpenTelemetry. Absent: that of the model's settings. */
  provider?: string;
  /** The tier of the last attempt; the one that answered, if the provider names it. Absent: `standard`. */
  serviceTier?: ServiceTier;
  /** Tokens of all attempts together, also of those that failed; absent when the provider gave no counts. */
  usage?: TokenUsage;
  /** Set if the provider refused signatures of the history, and got the request without them. */
  repairedSignatures?: true;
  /** Finish reason of the last attempt; absent when there was none. */
  finishReason?: string;
  /** Set when the answer of the last attempt has started, and removed when another attempt starts. */
  answerStarted?: true;
}

/** The streaming output of a model. Joined deltas of an attempt are its answer's text and thinking. */
export type Progress =
  /** An attempt starts: earlier deltas belong to no answer. */
  { kind: 'attempt' } | { kind: 'text' | 'thinking'; delta: string };

/** The limits of a call, and the report that it fills. */
export interface GenerateOptions {
  /** Its abort ends the call, also between two attempts. */
  signal: AbortSignal;
  /** Created by the caller, and changed in place during the call. */
  report: CallReport;
  /** Epoch milliseconds. A delay that would pass it is not started; without it, delays end at 60 s. */
  deadline?: number;
  /**
   * Called before every attempt but the first, with `report` as the earlier attempts left it. If it returns
   * false or fails, no further attempt is made.
   */
  mayRepeat?: () => Promise<boolean>;
  /** Called with true when a part of an answer arrives, false when its response has ended. Must not throw. */
  onBytes?: (isOpen: boolean) => void;
  /** Called with each delta of the model, unmasked. Must not throw. */
  onProgress?: (progress: Progress) => void;
}

/** A client of models. It returns finished answers: callers never read a provider's own form. */
export interface LlmClient {
  /**
   * Asks the model and collects the complete answer, with retries until `signal` aborts. `report` is filled
   * during the call, so that it is also correct after a failure.
   * @throws TerminalError `MODEL_*`, or `DOCUMENT_INVALID` for a `replay` that cannot be read; RetryableError
   *   `MODEL_*` when the attempts are used up; the signal's reason on abort.
   */
  generate(request: LlmRequest, options: GenerateOptions): Promise<LlmResponse>;
  /** Loads the modules for this model, to save time at the first call. Sends no request; never fails. */
  warm?(model: ModelSettings): void;
}
