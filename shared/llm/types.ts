// What the runtime and the controllers know of a model: a request of messages and tools, a response collected whole.

import type { ModelSettings } from '../schema/agent.ts';
import type { TokenUsage } from '../schema/common.ts';
import type { Block } from '../schema/message.ts';
import type { ToolCall, ToolDefinition } from '../tools/types.ts';

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
}

/** What one try cost and how it ended, whether it succeeded or not. */
export interface CallReport {
  requestBytes: number;
  responseBytes: number;
  attempts: number;
  attemptErrors: string[];
}

export interface LlmClient {
  /**
   * Asks the model and collects the whole answer, retrying what is worth retrying until `signal` aborts.
   * `report` is filled while it works, so that it tells the truth after a failure too.
   * @throws TerminalError `MODEL_*`; RetryableError `MODEL_*` when the attempts are used up; the signal's reason on abort.
   */
  generate(request: LlmRequest, options: { signal: AbortSignal; report: CallReport }): Promise<LlmResponse>;
}
