// The contract of an iteration strategy: pure functions that build a model request and interpret the answer.
// I/O, time and randomness belong to the runtime, which is the same for all strategies.

import type { ErrorCode } from '../errors.ts';
import type { Agent } from '../schema/agent.ts';
import type { Execution } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import type { ConversationMessage, LlmRequest, LlmResponse } from './llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from './tools.ts';

/** `investigate`: an ordinary iteration. `conclude`: the last one, in which the model must conclude. */
export type IterationMode = 'investigate' | 'conclude';

/** The state of an execution that is passed to a strategy. */
export interface IterationInput {
  /** The execution of the agent, as it was read at the start of the iteration. */
  execution: Execution;
  /** The agent with its prompts, models, tools and limits, all names resolved. */
  agent: Agent;
  /** The tools of the agent, in a stable order. */
  tools: ToolDefinition[];
  /** Further tools of the agent, which it finds by a search. Absent: none. */
  hiddenTools?: readonly ToolDefinition[];
  /**
   * Tools that the agent is not offered because they changed, `server.tool`, with their changed parts.
   * Absent: none.
   */
  changedTools?: readonly { name: string; parts: readonly string[] }[];
  /**
   * All untrusted text of this execution: the alert and earlier findings, whole results, descriptions and
   * parameters of tools.
   */
  shown: readonly string[];
  /** The session's mark around untrusted text: 12 hexadecimal digits. */
  dataNonce: string;
  /** `conclude` in the last iteration: the model must answer without the tools of the agent. */
  mode: IterationMode;
}

/** The abilities of a strategy. Configuration is validated against them. */
export interface Abilities {
  /** Calls tools of MCP servers. */
  tools: boolean;
  /** Binds those tools for function calling, if the model supports it; otherwise they are called as text. */
  bindsTools: boolean;
  /** Binds the model's native tools. */
  nativeTools: boolean;
  /** Works with Gemini models only. */
  geminiOnly: boolean;
  /** Combines the results of several agents instead of investigating. */
  combines: boolean;
}

/** The meaning of an answer: its events, its message for the conversation, and the next step. */
export interface Interpretation {
  /** In the order of the timeline. The runtime adds the events of tool calls itself. */
  events: EventDraft[];
  /** The answer as it is stored in the conversation. */
  message: MessageDraft;
  /** The next step of the execution. The strategy selects it; the runtime performs it. */
  next:
    | { kind: 'conclude'; analysis: string }
    /** `knownResults`: results of calls that the runtime must not run, because their outcome is known. */
    | { kind: 'call_tools'; calls: ToolCall[]; knownResults?: ToolResult[] }
    /**
     * The answer cannot be used: `messages` explain the reason to the model, and the iteration counts.
     * `asksAgain`: repeats the call even for strategies of a single call, as long as there are iterations
     * left.
     */
    | {
        kind: 'give_feedback';
        code: ErrorCode;
        reason: string;
        messages: MessageDraft[];
        asksAgain?: true;
      };
}

/** An iteration strategy. */
export interface Controller {
  /** Constant for a strategy: the abilities that the validation of a configuration reads. */
  readonly abilities: Abilities;
  /** The type under which its model calls are recorded. */
  readonly interactionType: 'iteration' | 'synthesis' | 'single_call' | 'executive_summary';
  /** Whether another iteration can follow; if not, a failure ends the execution. */
  readonly loops: boolean;
  /** Whether people see the text of an answer word for word; if not, it is processed first. */
  readonly verbatim: boolean;
  /**
   * Builds the request. The conversation holds tool results as they were stored, as messages of the role
   * `tool`; a strategy that shows them differently renders them here.
   */
  request(conversation: ConversationMessage[], input: IterationInput): LlmRequest;
  /** Interprets the answer. */
  interpret(response: LlmResponse, input: IterationInput): Interpretation;
  /** The message that explains to the model why its last attempt failed. */
  explainFailure(reason: string): MessageDraft;
}
