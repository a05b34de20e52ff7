// The contract of an iteration strategy: pure functions between a conversation, a model's answer and what happens next.
// No I/O, no clock, no randomness: the runtime owns those and is the same for all strategies.

import type { ErrorCode } from '../errors.ts';
import type { Agent } from '../schema/agent.ts';
import type { Execution } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import type { ConversationMessage, LlmRequest, LlmResponse } from './llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from './tools.ts';

/** What a turn is about: an ordinary iteration, or the last one, in which the model must conclude. */
export type TurnMode = 'investigate' | 'conclude';

export interface Turn {
  execution: Execution;
  agent: Agent;
  /** Tools the agent may use, in a stable order. */
  tools: ToolDefinition[];
  /**
   * Everything untrusted this execution was shown: the alert and earlier findings, results whole, descriptions and
   * parameters of tools.
   */
  shown: readonly string[];
  mode: TurnMode;
}

/** What a strategy can do. Configuration is checked against it. */
export interface Abilities {
  /** Calls tools of servers. */
  tools: boolean;
  /** Has the model's own tools bound. */
  nativeTools: boolean;
  /** Works with Gemini models only. */
  geminiOnly: boolean;
  /** Combines the results of several agents, instead of investigating itself. */
  combines: boolean;
}

/** What an answer means: what to tell, what to remember, and what comes next. */
export interface Interpretation {
  /** In the order they are to be told. The runtime adds the events of tool calls itself. */
  events: EventDraft[];
  /** The answer as it goes back into the conversation. */
  message: MessageDraft;
  next:
    | { kind: 'conclude'; analysis: string }
    /** `answered`: results that are known already, of calls that are not to be run. */
    | { kind: 'call_tools'; calls: ToolCall[]; answered?: ToolResult[] }
    /** The answer cannot be used: the model is told why and the iteration counts. */
    | { kind: 'give_feedback'; code: ErrorCode; reason: string; messages: MessageDraft[] };
}

/** An iteration strategy. */
export interface Controller {
  readonly abilities: Abilities;
  /** What its model calls are recorded as. */
  readonly interactionType: 'iteration' | 'synthesis' | 'single_call';
  /** Whether another iteration may follow; if not, a failure ends the execution. */
  readonly loops: boolean;
  /**
   * What to ask: the conversation, with tools bound or not. Tool results stand in it as they were stored, as messages of
   * the role `tool`; a strategy that shows them differently renders them here.
   */
  request(conversation: ConversationMessage[], turn: Turn): LlmRequest;
  /** What the answer means. */
  interpret(response: LlmResponse, turn: Turn): Interpretation;
  /** How the model is told that its last attempt failed. */
  explainFailure(reason: string): MessageDraft;
}
