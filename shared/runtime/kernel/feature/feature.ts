// The interface of a feature: the parts of an iteration that can be left out. `runtime/features/index.ts` lists the features;
// `iteration/context/features.ts` composes them and defines the behaviour of an iteration without them.

import type { ConversationMessage } from '../../../contract/llm.ts';
import type { ToolCall, ToolDefinition, ToolExecutor, ToolResult } from '../../../contract/tools.ts';
import type { InquestError } from '../../../errors.ts';
import type { Masker } from '../../../masking/masker.ts';
import type { ConclusionReason } from '../../../prompt/investigation.ts';
import type { AgentSnapshot } from '../../../schema/agent.ts';
import type { Block, ToolResultBlock } from '../../../schema/block.ts';
import type { Failure } from '../../../schema/common.ts';
import type { Execution, PendingCall } from '../../../schema/execution.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { IterationContext, LiveAnswer, TakenGuidance } from '../execution/context.ts';
import type { HeldExecution } from '../execution/lease.ts';
import type { ModelCall } from '../model/modelCall.ts';
import type { ShownResult } from '../state/callResult.ts';
import type { Work } from '../state/decide.ts';
import type { AgentTools } from '../tools/agentTools.ts';

/** One feature: the hooks that it needs. */
export type Feature = FeatureHooks;

/** The hooks of features. */
export interface FeatureHooks {
  /**
   * Reads the guidance for the next request, before the claim and beside the conversation. Without it there is none.
   * @throws RetryableError when the store fails.
   */
  readGuidance?(execution: Execution, work: Work, guided: Guided, deps: RuntimeDeps): Promise<TakenGuidance>;
  /** Starts to show the answer of the model while it streams, after the claim. Without it nothing is shown. */
  showLive?(options: LiveOptions, deps: RuntimeDeps): LiveAnswer;
  /**
   * Checks the tools of the servers before they are masked and described. Without it they are offered as they are.
   * @throws RetryableError when the store fails; TerminalError for an unreadable document.
   */
  checkTools?(executor: ToolExecutor, context: IterationContext): Promise<AgentTools>;
  /** Adds tools to those of the servers. */
  offerTools?(tools: AgentTools, context: IterationContext, use: ToolUse): AgentTools;
  /**
   * Stores messages of the conversation before the model is asked. Not called for a forced conclusion, nor after a feature
   * that forces one.
   * @throws LeaseLostError when another writer changed the execution; RetryableError when the iteration has to be delivered
   *   again.
   */
  beforeAsking?(context: IterationContext, tools: AgentTools): Promise<Introduction>;
  /** Answers calls of a new answer that are not run. Pure. */
  answerCalls?(calls: readonly ToolCall[], answered: AnsweredWith): ToolResult[];
  /**
   * Handles the failure of a model call. The first feature that returns a reaction decides; without one the failure costs
   * an iteration, or ends the execution.
   * @throws as `commitCall`; RetryableError when the iteration has to be delivered again.
   */
  afterFailure?(context: IterationContext, failed: FailedCall): Promise<FailureReaction | undefined>;
  /** Calls that wait for a person or another agent. Without it a call of that kind fails. */
  wait?: WaitFeature;
  /** Calls that run before the model is asked. Without it none runs. */
  collect?: CollectFeature;
  /**
   * Prepares the result of a call for its commit. Without it a large result is cut, and its remainder is lost.
   * @throws RetryableError when the store fails; the reason of the lease's signal after its loss.
   */
  presentResult?(
    context: IterationContext,
    pending: PendingCall,
    call: ToolCall,
    result: ToolResult,
  ): Promise<PresentedResult>;
}

/** The agent that reads guidance, and the number of guidance documents of its session. */
export type Guided = Pick<AgentSnapshot, 'agent' | 'dataNonce' | 'maskKey'> & { given: number };

/** The state of an iteration before its model is asked. */
export interface LiveOptions {
  held: Pick<HeldExecution, 'current' | 'signal' | 'onRenewal'>;
  masker: Masker;
  /** Whether the text is stored word for word. */
  verbatim: boolean;
  /** From the control state, as it was loaded. */
  watchedUntil: Date | null;
  /** Whether another holder can have left a document. */
  isTakeover: boolean;
}

/** The purpose of the tools, and the messages that are stored. */
export interface ToolUse {
  /** The model is asked (`ask`), asked to conclude, stored calls run, or calls are collected. */
  purpose: 'ask' | 'conclude' | 'run' | 'collect';
  conversation: readonly ConversationMessage[];
}

/** Messages that were stored before a request. */
export interface Introduction {
  messages: ConversationMessage[];
  /** Set when the agent has to conclude. */
  conclusion?: ConclusionReason;
}

/** The context of a new answer with calls. */
interface AnsweredWith {
  execution: Execution;
  /** Ids of calls whose result is known already. */
  known: ReadonlySet<string>;
  /** The messages before the answer. */
  conversation: readonly ConversationMessage[];
  tools: readonly ToolDefinition[];
}

/** A model call that failed, and its failure without secrets. */
export interface FailedCall {
  error: InquestError;
  failure: Failure;
  call: ModelCall;
}

/** `handled`: everything is stored. `fatal`: the failure ends the execution. */
type FailureReaction = 'handled' | 'fatal';

/** The execution with a call in state `waiting`, or settled where it cannot wait. */
export type StartWait = (
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  batch: ExecutionBatch,
) => Execution;

/** Calls that wait. */
export interface WaitFeature {
  /** What they wait for. */
  kind: NonNullable<PendingCall['waits']>;
  /**
   * Reads what is needed to start waiting, before the batch is built.
   * @param calls all calls of the answer.
   * @returns undefined where no call can wait.
   * @throws RetryableError when the store fails; TerminalError for an unreadable document.
   */
  plan(context: IterationContext, calls: readonly ToolCall[]): Promise<StartWait | undefined>;
  /** Reserves ids of documents that calls of this kind create, also for calls whose turn comes later. Pure. */
  reserve?(
    execution: Execution,
    calls: readonly ToolCall[],
  ): { execution: Execution; reserved: ReadonlyMap<ToolCall, ReservedIds> };
}

/** Ids that the event of a call and the call itself name. */
export type ReservedIds = Pick<PendingCall, 'childExecutionId'>;

/** The execution with its next calls recorded as running, or with its iteration finished. */
export type StartCalls = (
  execution: Execution,
  calls: readonly ToolCall[],
  batch: ExecutionBatch,
) => Execution;

/** Calls that run before the model is asked for the first time. */
export interface CollectFeature {
  /** The calls of an agent, the same in every process. An index is the index of the pending call. */
  calls(context: IterationContext): ToolCall[];
  /**
   * Stores the calls as pending ones.
   * @param tools.isConnected whether any server could be reached.
   * @throws LeaseLostError when another writer changed the execution.
   */
  commit(
    context: IterationContext,
    tools: Pick<AgentTools, 'list' | 'missing'> & { isConnected: boolean },
    startCalls: StartCalls,
  ): Promise<void>;
  /** A result of such a call as the model reads it: providers refuse a result without a call. */
  render(block: ToolResultBlock): Block;
}

/** A result that only has to be committed. */
export interface PresentedResult {
  result: ShownResult;
  /** Appends further documents after the result. Returns the changed execution. */
  append?(current: Execution, batch: ExecutionBatch): Execution;
}
