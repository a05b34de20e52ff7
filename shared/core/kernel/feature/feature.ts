// The interface of a feature, an optional part of an iteration. `lists/iterationFeatures.ts` lists the
// features; `shared/core/iteration/context/features.ts` composes them and defines the behaviour of an
// iteration without them.

import type { Controller } from '../../contract/controller.ts';
import type { Masker } from '../../contract/guard.ts';
import type { ConversationMessage, LlmRequest } from '../../contract/llm.ts';
import type {
  ConnectTools,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolResult,
} from '../../contract/tools.ts';
import type { InquestError, TerminalError } from '../../errors.ts';
import type { ConclusionReason } from '../../prompts/wording.ts';
import type { AgentSnapshot } from '../../schema/agent.ts';
import type { Block, ToolResultBlock } from '../../schema/block.ts';
import type { Failure } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { IterationContext, LiveAnswer, TakenGuidance } from '../execution/context.ts';
import type { HeldExecution } from '../execution/lease.ts';
import type { CallOptions, ModelCall } from '../model/modelCall.ts';
import type { ShownResult } from '../state/callResult.ts';
import type { Work } from '../state/decide.ts';
import type { Reservation, TokenLedger } from '../tokens/tokenLedger.ts';
import type { AgentTools } from '../tools/agentTools.ts';

/** One feature: an object with the hooks that it needs. */
export interface Feature {
  /** The controllers of strategies that only agents of the feature have, by strategy. */
  controllers?: Readonly<Record<string, Controller>>;
  /**
   * Reads the guidance for the next request, before the claim and in parallel with the conversation. Default:
   * no guidance.
   * @throws RetryableError when the store fails.
   */
  readGuidance?(execution: Execution, work: Work, guided: Guided, deps: RuntimeDeps): Promise<TakenGuidance>;
  /**
   * Where the tools of an execution come from. The first feature with an answer decides. Default: the servers
   * of the process.
   */
  connectTools?(execution: Execution, deps: RuntimeDeps): ConnectTools | undefined;
  /** Shows the model's answer while it streams, after the claim. Default: shows nothing. */
  showLive?(options: LiveOptions, deps: RuntimeDeps): LiveAnswer;
  /**
   * Checks the tools of the servers before they are masked and described. Default: offers them unchanged.
   * @throws RetryableError when the store fails; TerminalError for an unreadable document.
   */
  checkTools?(executor: ToolExecutor, context: IterationContext): Promise<AgentTools>;
  /** Adds tools to those of the servers. */
  offerTools?(tools: AgentTools, context: IterationContext, use: ToolUse): AgentTools;
  /**
   * Stores messages of the conversation before the model is asked. Not called for a forced conclusion, nor
   * after a feature that forces one.
   * @throws LeaseLostError when another writer changed the execution; RetryableError when the iteration must
   *   be delivered again.
   */
  beforeAsking?(
    context: IterationContext,
    tools: AgentTools,
    conversation: readonly ConversationMessage[],
  ): Promise<Introduction>;
  /** Answers calls of a new answer that do not run. Pure. */
  answerCalls?(calls: readonly ToolCall[], answered: AnsweredWith): ToolResult[];
  /**
   * Handles the failure of a model call. The first feature that returns a reaction decides; without one, the
   * failure costs an iteration, or ends the execution.
   * @throws as `commitCall`; RetryableError when the iteration must be delivered again.
   */
  afterFailure?(context: IterationContext, failed: FailedCall): Promise<FailureReaction | undefined>;
  /** Follows the commit of an answer; `before` is the execution when its model was asked. Never fails. */
  afterAnswer?(context: IterationContext, before: Execution): Promise<void>;
  /** Changes a stored call before it runs or waits. Default: it runs as the model made it. */
  prepareCall?(context: IterationContext, call: ToolCall): ToolCall;
  /**
   * The calls of a wave that run now; the others run later. Default: all of them.
   * @throws RetryableError when none can run now: the wait is stored, and the message is delivered again.
   */
  admitCalls?(context: IterationContext, wave: readonly PendingCall[]): Promise<readonly PendingCall[]>;
  /**
   * Why a call must not run, for the model; undefined for a call that runs. Default: all calls run.
   * @param tool the tool that would run; undefined for a call of an unknown one, which reaches no server.
   * @throws RetryableError when the store fails.
   */
  refuseCall?(
    context: IterationContext,
    pending: PendingCall,
    call: ToolCall,
    tool: ToolDefinition | undefined,
  ): Promise<string | undefined>;
  /** Calls of the model, also those that no process waits for. Default: each is waited for. */
  think?: ThinkFeature;
  /** Calls that wait for a person or another agent. Default: such calls fail. */
  wait?: WaitFeature;
  /** Calls that run before the model is asked. Default: none. */
  collect?: CollectFeature;
  /** Budgets of tokens. Default: no limits. */
  budgets?: BudgetFeature;
  /**
   * Prepares the result of a call for its commit. Default: cuts a large result and drops the remainder.
   * @throws RetryableError when the store fails; the reason of the lease's signal after its loss.
   */
  presentResult?(
    context: IterationContext,
    pending: PendingCall,
    call: ToolCall,
    result: ToolResult,
  ): Promise<PresentedResult>;
  /**
   * Returns the change of the execution that the commit of a result makes, for parts of features; undefined
   * without one. The result is whole, and without secrets.
   */
  noteResult?(
    context: IterationContext,
    pending: PendingCall,
    call: ToolCall,
    result: ToolResult,
  ): ((current: Execution) => Execution) | undefined;
}

/** Calls of the model whose answer comes while nothing runs. */
export interface ThinkFeature {
  /**
   * The question of the current iteration, if it was stored before its answer; its messages are part of the
   * conversation. A question that failed is not open, and is asked again within the budgets. Pure.
   */
  question(execution: Execution): (Pick<Asking, 'conclusion'> & { isOpen: boolean }) | undefined;
  /**
   * Asks the model, or reads its answer. A failure of the model is an outcome.
   * @param prelude messages of the request that are not stored yet.
   * @returns undefined at once if the process has to wait for the answer; later if the execution was put to
   *   wait, without a lease. After that, and after a question, the messages of `prelude` are stored.
   * @throws LeaseLostError when another writer changed the execution.
   */
  call(
    context: IterationContext,
    asking: Asking & { prelude: readonly MessageDraft[] },
    options: CallOptions,
  ): Promise<ModelCall | undefined> | undefined;
}

/** The agent that reads guidance, and the number of guidance documents of its session. */
export type Guided = Pick<AgentSnapshot, 'agent' | 'dataNonce' | 'maskKey'> & { given: number };

/** The state of an iteration before its model is asked. */
export interface LiveOptions {
  /** The execution, and the signal of its lease. */
  held: Pick<HeldExecution, 'current' | 'signal' | 'onRenewal'>;
  /** Masks the streamed text before it is shown. */
  masker: Masker;
  /** Whether the text is stored verbatim. */
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
  /** The stored messages, oldest first. */
  conversation: readonly ConversationMessage[];
}

/** Messages that were stored before a request. */
export interface Introduction {
  /** The conversation for the request, with the messages that were added. */
  messages: ConversationMessage[];
  /** Set when the agent has to conclude. */
  conclusion?: ConclusionReason;
  /** Stores calls that run in this iteration instead of a request. Default: none. */
  commitCalls?: CommitCalls;
}

/** The context of a new answer with calls. */
interface AnsweredWith {
  /** The execution before the answer. */
  execution: Execution;
  /** Ids of calls with a known result. */
  known: ReadonlySet<string>;
  /** The messages before the answer. */
  conversation: readonly ConversationMessage[];
  /** The tools that the request offered. */
  tools: readonly ToolDefinition[];
}

/** A model call that failed, and its masked failure. */
export interface FailedCall {
  /** The error of the model's client. */
  error: InquestError;
  /** The error in its stored form. */
  failure: Failure;
  /** The ended call, for its interaction record. */
  call: ModelCall;
}

/** `handled`: everything is stored. `fatal`: this failure ends the execution. */
type FailureReaction = 'handled' | { fatal: Failure };

/** Returns the execution with a call in state `waiting`, or with the call settled if it cannot wait. */
export type StartWait = (
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  batch: ExecutionBatch,
) => Execution;

/** Calls that wait. */
export interface WaitFeature {
  /** The subject of the wait. */
  kind: NonNullable<PendingCall['waits']>;
  /**
   * Reads the data for the start of the wait, before the batch is built.
   * @param calls all calls of the answer.
   * @returns undefined if no call can wait.
   * @throws RetryableError when the store fails; TerminalError for an unreadable document.
   */
  plan(context: IterationContext, calls: readonly ToolCall[]): Promise<StartWait | undefined>;
  /** Reserves ids of documents that calls of this kind create, including calls that start later. Pure. */
  reserve?(
    execution: Execution,
    calls: readonly ToolCall[],
  ): { execution: Execution; reserved: ReadonlyMap<ToolCall, ReservedIds> };
}

/** Ids that a call and its event name. */
export type ReservedIds = Pick<PendingCall, 'childExecutionId'>;

/** The execution with its next calls recorded as running, or with its iteration finished. */
export type StartCalls = (
  execution: Execution,
  calls: readonly ToolCall[],
  batch: ExecutionBatch,
) => Execution;

/**
 * Stores calls as pending, and returns them.
 * @param tools.isConnected whether any server was reached.
 * @throws LeaseLostError when another writer changed the execution.
 */
export type CommitCalls = (
  context: IterationContext,
  tools: Pick<AgentTools, 'list' | 'missing'> & { isConnected: boolean },
  startCalls: StartCalls,
) => Promise<ToolCall[]>;

/** Calls that run before the model is asked for the first time. */
export interface CollectFeature {
  /** The calls before the first answer, equal in every process. An index is that of the pending call. */
  calls(context: IterationContext, conversation: readonly ConversationMessage[]): ToolCall[];
  /** Stores these calls. */
  commit: CommitCalls;
  /** The result of such a call as the model reads it: providers refuse a result without a call. */
  render(block: ToolResultBlock): Block;
}

/** A prepared result, ready to commit. */
export interface PresentedResult {
  /** The part that the model and readers are shown. */
  result: ShownResult;
  /** Appends further documents after the result. Returns the changed execution. */
  append?(current: Execution, batch: ExecutionBatch): Execution;
}

/** A request, ready to send. */
export interface Asking {
  /** Why the agent must conclude; undefined for an ordinary request. */
  conclusion: ConclusionReason | undefined;
  /** The whole request, within the limits of its conversation. */
  request: LlmRequest;
}

/** The request that the budgets have room for. */
export type Affordable<A extends Asking> =
  | { kind: 'granted'; asking: A; reservation: Reservation }
  | { kind: 'refused'; error: TerminalError };

/** Builds a request. `maxBytes`: limit of the conversation; default: the execution's limits. */
export type BuildAsking<A extends Asking> = (
  conclusion: ConclusionReason | undefined,
  maxBytes?: number,
) => A;

/** Budgets of tokens. */
export interface BudgetFeature {
  /** The ledger of an execution as its claim stored it. */
  openLedger(execution: Execution, deps: RuntimeDeps): TokenLedger;
  /**
   * Reserves the tokens of a request. Returns the intended request, the conclusion, a smaller conclusion, or
   * nothing.
   * @param conclusion why the request concludes; undefined for an ordinary one.
   * @throws RetryableError `EXECUTION_WAITING` when running calls have reserved the tokens: the same
   *   iteration is delivered again after a pause. LeaseLostError when another writer changed the execution;
   *   RetryableError when the store fails.
   */
  affordCall<A extends Asking>(
    context: IterationContext,
    conclusion: ConclusionReason | undefined,
    build: BuildAsking<A>,
  ): Promise<Affordable<A>>;
}
