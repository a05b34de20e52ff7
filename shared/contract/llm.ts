// What the runtime and the controllers know of a model: a request of messages and tools, a response collected whole.

import type { ModelSettings, NativeTool } from '../schema/agent.ts';
import type { TokenUsage } from '../schema/common.ts';
import type { Block } from '../schema/message.ts';
import type { ToolCall, ToolDefinition } from './tools.ts';

/** A part as the provider sent it; kept whole, because signatures live in it. */
export type ProviderPart = Record<string, unknown>;

/** A message ready to be sent: its blocks, and the provider's own parts when it came from a provider. */
export interface ConversationMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  blocks: Block[];
  provider?: { provider: 'google'; model: string; parts: ProviderPart[] };
}

export interface LlmRequest {
  model: ModelSettings;
  messages: ConversationMessage[];
  /** Tools bound for function calling; empty when the model must answer in text. */
  tools: ToolDefinition[];
  /** Tools the provider runs itself; absent or empty for none. Beside `tools` only where the provider can combine them. */
  nativeTools?: NativeTool[];
}

/** Code the provider ran, with what it gave. Either half may be missing: recorded answers have both kinds of orphans. */
export interface CodeExecution {
  /** The provider's id, when it gave one (Gemini 3 and later). */
  id?: string;
  code?: string;
  language?: string;
  result?: string;
  /** For example `OUTCOME_OK`; an open set. */
  outcome?: string;
}

/** What became of one URL the model was told to read. Both fields may be missing on the wire. */
export interface UrlContext {
  url?: string;
  /** For example `URL_RETRIEVAL_STATUS_SUCCESS`; an open set. */
  status?: string;
}

/** A whole answer, in the provider's order. */
export interface LlmResponse {
  /** Visible text, without thoughts. */
  text: string;
  thinking: string;
  /** In call order; `callId` is the provider's id or one of ours. */
  toolCalls: ToolCall[];
  parts: ProviderPart[];
  usage: TokenUsage | null;
  finishReason: string | null;
  modelVersion: string | null;
  /** In the order of the code, results paired by id, else by order. */
  codeExecutions?: CodeExecution[];
  /** `groundingMetadata` as it was sent: the last one that was not empty. Offsets in it are UTF-8 bytes. */
  groundingMetadata?: Record<string, unknown> | null;
  /** URLs read for this answer, without repetitions. */
  urlContexts?: UrlContext[];
  /** The provider's sentence on how it ended; not an error by itself. */
  finishMessage?: string | null;
  /** Whether the provider stopped before the answer was whole: `finishReason` says why. */
  truncated?: boolean;
}

/** What one try cost and how it ended, whether it succeeded or not. */
export interface CallReport {
  requestBytes: number;
  responseBytes: number;
  attempts: number;
  attemptErrors: string[];
  /** Tokens of all attempts together, also of those that failed; absent when the provider never said. */
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

export interface LlmClient {
  /**
   * Asks the model and collects the whole answer, retrying what is worth retrying until `signal` aborts.
   * `report` is filled while it works, so that it tells the truth after a failure too.
   * @throws TerminalError `MODEL_*`; RetryableError `MODEL_*` when the attempts are used up; the signal's reason on abort.
   */
  generate(request: LlmRequest, options: GenerateOptions): Promise<LlmResponse>;
}
