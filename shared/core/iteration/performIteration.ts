// Does the work of a claimed iteration, then publishes the next message or advances the stage.

import type { ConversationMessage } from '../contract/llm.ts';
import type { ToolCall } from '../contract/tools.ts';
import { isStoreFailure } from '../errors.ts';
import { commitBatch } from '../kernel/execution/commitBatch.ts';
import { conclusionReason, type Work } from '../kernel/state/decide.ts';
import { closeExecution } from '../kernel/state/nextIteration.ts';
import { asksNoModel } from '../schema/agent.ts';
import { releaseAndContinue } from '../stage/endExecution.ts';
import { failIteration } from './answer/failIteration.ts';
import { askModel } from './ask/askModel.ts';
import { collectCalls } from './calls/collectCalls.ts';
import { runTools, storedCalls } from './calls/runTools.ts';
import type { RunContext } from './context/features.ts';
import { type Connection, type OpeningTools, unreachableTools } from './prepare/connectTools.ts';
import { prepareTools } from './prepare/prepareTools.ts';

/** The context of an iteration, with the documents and connections from before the claim. */
export interface WorkContext extends RunContext {
  /** The stored messages, oldest first. */
  conversation: ConversationMessage[];
  /** Indexes of calls with side effects that a dead holder left running. */
  cutOff: number[];
  /** The agent's tools. The caller closes them. */
  tools: OpeningTools;
}

/**
 * Does the work, releases the execution, then publishes its next message or advances its stage.
 * @throws LeaseLostError when another writer changed the execution; RetryableError when the store or the
 *   publisher failed, or when the iteration pauses because no tool is reachable.
 */
export async function performIteration(context: WorkContext, work: Work): Promise<void> {
  const { held, budget, deps, conversation, tools } = context;
  const connection = await tools.connected(budget.signal);
  if (connection.executor === undefined && isStoreFailure(connection.error)) throw connection.error;
  switch (work.kind) {
    case 'run_tools':
      await runStoredCalls(context, connection);
      break;
    case 'collect':
      await collectCalls(context, conversation, connection);
      break;
    case 'ask_model':
      if (asksNoModel(context.agent.strategy)) await endWithoutModel(context);
      else await askAndRun(context, connection);
      break;
  }
  await releaseAndContinue(held, deps);
}

/** Runs the calls of a stored answer, or the collected ones, that have no result yet. */
async function runStoredCalls(context: WorkContext, connection: Connection): Promise<void> {
  const { conversation, cutOff } = context;
  const connected = connection.executor ?? unreachableTools(connection.error);
  const executor = await prepareTools(context, connected, { purpose: 'run', conversation });
  await runTools({ ...context, calls: callsToRun(context), executor }, cutOff);
}

/** Ends an execution that only makes its calls. */
function endWithoutModel({ held, deps }: RunContext): Promise<void> {
  return commitBatch(held, deps, (current, batch) =>
    closeExecution(current, { status: 'completed', failure: null, finalAnalysis: null }, batch),
  );
}

/** Before the first answer, only calls that code makes are pending. */
function callsToRun(context: WorkContext): ToolCall[] {
  const { conversation } = context;
  if (conversation.some(({ role }) => role === 'assistant')) return storedCalls(conversation);
  return context.features.collect?.calls(context, conversation) ?? [];
}

/** Asks the model, and runs the calls of its answer. */
async function askAndRun(context: WorkContext, connection: Connection): Promise<void> {
  const { conversation } = context;
  const asked = context.features.think.question(context.held.current());
  if (connection.executor === undefined && asked === undefined)
    return failIteration(context, connection.error);
  const known = (asked ?? { conclusion: conclusionReason(context.held.current()) }).conclusion;
  const purpose = known === undefined ? 'ask' : 'conclude';
  const connected = connection.executor ?? unreachableTools(connection.error);
  const executor = await prepareTools(context, connected, { purpose, conversation });
  const { messages, conclusion, commitCalls } =
    known === undefined && asked === undefined
      ? await context.features.beforeAsking(context, executor, conversation)
      : { messages: [], conclusion: known, commitCalls: undefined };
  if (commitCalls !== undefined) return collectCalls(context, conversation, connection, commitCalls);
  const calls = await askModel(context, [...conversation, ...messages], executor, conclusion);
  if (calls.length > 0) await runTools({ ...context, calls, executor });
}
