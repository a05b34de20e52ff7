// What everything above a model client knows of a model: a request of messages and tools, and a finished answer.

import type { ModelSettings, NativeTool } from '../schema/agent.ts';
import type { TokenUsage } from '../schema/common.ts';
import type { Block, Replay } from '../schema/message.ts';
import type { Citation, GroundingSource, GroundingSupport } from '../schema/timelineEvent.ts';
import type { ToolCall, ToolDefinition } from './tools.ts';

export type { Replay };

/** A message ready to be sent: its blocks, and the provider's own form of it when a model gave it. */
export interface ConversationMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  blocks: Block[];
  /** Absent for messages of ours, and for answers that are made of their blocks again. */
  replay?: Replay;
}

/** One question to a model. */
export interface LlmRequest {
  model: ModelSettings;
  messages: ConversationMessage[];
  /** Tools bound for function calling; empty when the model must answer in text. */
  tools: ToolDefinition[];
  /** Tools the provider runs itself; absent or empty for none. Beside `tools` only where the provider can combine them. */
  nativeTools?: NativeTool[];
}

/** Code the provider ran, and its output. Either half may be missing: recorded answers have both kinds of orphans. */
export interface CodeExecution {
  /** The provider's id, when it gave one (Gemini 3 and later). */
  id?: string;
  code?: string;
  language?: string;
  result?: string;
  /** For example `OUTCOME_OK`; an open set. */
  outcome?: string;
}

/** What an answer rests on: one search, or the pages that were read for it. */
export interface Grounding {
  kind: 'search' | 'url_context';
  /** What was searched for, without empty queries; none for `url_context`. */
  queries: string[];
  /** Everything with an address, once each. */
  sources: GroundingSource[];
  supports: GroundingSupport[];
  /** What became of each page the model was asked to read. */
  statuses: { uri: string; status: string }[];
  /** One per support; empty for the second grounding of an answer, whose supports are among those of the first. */
  citations: Citation[];
}

/** A finished answer: whole, usable, and in a form that belongs to no provider, but for `replay`. */
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
  /** None, one, or two when the model searched and read pages as well: the search comes first. */
  groundings: Grounding[];
  /** The citations of all groundings. Offsets are UTF-16 units of `text`. */
  citations: Citation[];
  /** In the order of the code. */
  codeExecutions: CodeExecution[];
  /** HTML of the provider's search suggestions; foreign markup. Null when there are none. */
  searchEntryPoint: string | null;
  /** Tokens of this answer; null when the provider gave no counts. */
  usage: TokenUsage | null;
  /** In the provider's words; an open set. */
  finishReason: string | null;
  /** The version that answered, when the provider names it. */
  modelVersion: string | null;
  /** The provider's sentence on how it ended; not an error by itself. */
  finishMessage: string | null;
  /** Whether the provider stopped before the answer was whole: `finishReason` says why. */
  truncated: boolean;
}

/** What one call cost and how its attempts ended, whether it succeeded or not. */
export interface CallReport {
  /** UTF-8 bytes of what the model reads, in the last attempt. */
  requestBytes: number;
  /** UTF-8 bytes of what came, in the last attempt. */
  responseBytes: number;
  /** How often the provider was asked. */
  attempts: number;
  /** `CODE: message` of each failed attempt. */
  attemptErrors: string[];
  /** Tokens of all attempts together, also of those that failed; absent when the provider gave no counts. */
  usage?: TokenUsage;
  /** Finish reason of the last attempt; absent when there was none. */
  finishReason?: string;
}

/** How a call is bounded, and where its costs are noted. */
export interface GenerateOptions {
  signal: AbortSignal;
  report: CallReport;
  /** Epoch milliseconds. A wait between attempts that would pass it is not begun; without it, waits end at 60 s. */
  deadline?: number;
}

/** A way to ask models. All it gives is finished: callers never read a provider's own form. */
export interface LlmClient {
  /**
   * Asks the model and collects the whole answer, retrying what is worth retrying until `signal` aborts.
   * `report` is filled while it works, so that it is right after a failure too.
   * @throws TerminalError `MODEL_*`, or `DOCUMENT_INVALID` for a `replay` that cannot be read; RetryableError `MODEL_*`
   *   when the attempts are used up; the signal's reason on abort.
   */
  generate(request: LlmRequest, options: GenerateOptions): Promise<LlmResponse>;
}
