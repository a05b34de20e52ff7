// Does the work of a claimed iteration, then publishes the next message or advances the stage.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolExecutor } from '../../contract/tools.ts';
import { isCollecting } from '../../schema/execution.ts';
import { withAskAgent } from '../features/children/withAskAgent.ts';
import { planCollect } from '../features/collect/collectCalls.ts';
import { commitCollect } from '../features/collect/commitCollect.ts';
import { withBuiltInTools } from '../features/knowledge/builtInTools.ts';
import { recordResources } from '../features/knowledge/recordResources.ts';
import { withReadResult } from '../features/results/readResult.ts';
import type { IterationContext } from '../kernel/execution/context.ts';
import { conclusionReason, type Work } from '../kernel/state/decide.ts';
import { describedTools } from '../kernel/tools/describedTools.ts';
import { type PinnedExecutor, pinTools } from '../features/pins/pinTools.ts';
import { releaseAndContinue } from '../stage/endExecution.ts';
import { failIteration } from './answer/failIteration.ts';
import { askModel } from './ask/askModel.ts';
import { runTools, storedCalls } from './calls/runTools.ts';
import { startNextCalls } from './calls/startNextCalls.ts';
import { cleanTools } from './prepare/cleanTools.ts';
import { type Connection, type OpeningTools, unreachableTools } from './prepare/connectTools.ts';
import { recordInstructions } from '../features/pins/recordInstructions.ts';
import { recordOutages } from '../features/serverOutages/recordOutages.ts';
import { recordToolChanges } from '../features/pins/recordToolChanges.ts';

/** What was read or begun before the claim. */
export interface LoadedWork {
  conversation: ConversationMessage[];
  /** Indexes of calls that a dead holder left running and that change something. */
  cutOff: number[];
  /** The agent's tools. The caller closes them. */
  tools: OpeningTools;
}

/**
 * Does the work, releases the execution, then publishes its next message or advances its stage.
 * @throws LeaseLostError when another writer changed the execution; RetryableError when store or publisher failed, or when
 *   the iteration pauses because no tool can be reached.
 */
export async function performIteration(
  context: IterationContext,
  work: Work,
  loaded: LoadedWork,
): Promise<void> {
  const { held, budget, deps } = context;
  await askOrRunTools(context, work, loaded, await loaded.tools.connected(budget.signal));
  await releaseAndContinue(held, deps);
}

async function askOrRunTools(
  context: IterationContext,
  work: Work,
  { conversation, cutOff }: LoadedWork,
  connection: Connection,
): Promise<void> {
  if (work.kind === 'run_tools') {
    const executor = await prepare(connection.executor ?? unreachableTools(connection.error), context);
    // Nothing but the calls of `collect` is pending before the first answer, and they follow from the snapshot.
    const calls = isCollecting(context.held.current())
      ? planCollect(context).calls
      : storedCalls(conversation);
    const tools = withResults(withBuiltInTools(executor, context), conversation, context);
    return runTools({ ...context, calls, executor: tools }, cutOff);
  }
  if (work.kind === 'collect') return collect(context, connection, conversation);
  if (connection.executor === undefined) return failIteration(context, connection.error);
  const known = conclusionReason(context.held.current());
  const prepared = await prepare(connection.executor, context);
  const executor =
    known === undefined ? withAskAgent(withBuiltInTools(prepared, context), context.agent) : prepared;
  const { told, mustConclude } =
    known === undefined ? await recordOutages(context, executor) : { told: [], mustConclude: false };
  const conclusion = mustConclude ? 'no_tools' : known;
  const news =
    conclusion === undefined
      ? [
          ...(await recordResources(context)),
          ...(await recordToolChanges(context, executor.changes)),
          ...(await recordInstructions(context, executor)),
        ]
      : [];
  const tools = withResults(executor, conversation, context);
  const calls = await askModel(context, [...conversation, ...told, ...news], tools, conclusion);
  if (calls.length > 0) await runTools({ ...context, calls, executor: tools });
}

/** Makes the calls of `collect`. What goes wrong with them is their result: no call fails the execution. */
async function collect(
  context: IterationContext,
  connection: Connection,
  conversation: ConversationMessage[],
): Promise<void> {
  const connected = await prepare(connection.executor ?? unreachableTools(connection.error), context);
  const executor = withResults(connected, conversation, context);
  const plan = planCollect(context);
  const isConnected = connection.executor !== undefined;
  await commitCollect(context, plan, { ...executor, isConnected, startCalls: startNextCalls });
  await runTools({ ...context, calls: plan.calls, executor });
}

/** The tools, and the one that reads what the conversation shows only in part. */
function withResults(
  executor: PinnedExecutor,
  conversation: readonly ConversationMessage[],
  { held, deps }: IterationContext,
): PinnedExecutor {
  return withReadResult(executor, conversation, held.current(), deps.store);
}

/**
 * The tools that are as the session pinned them, in the form that models and people are shown: what was approved is
 * compared with what runs in this form.
 */
async function prepare(executor: ToolExecutor, context: IterationContext): Promise<PinnedExecutor> {
  const pinned = await pinTools(context, executor);
  const tools = describedTools(await cleanTools(pinned.list(), context.masker), context.agent);
  return { ...pinned, list: () => tools };
}
