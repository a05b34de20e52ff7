// Runs the calls that are collected before the model is asked.

import type { ConversationMessage } from '../../contract/llm.ts';
import { commitBatch } from '../../kernel/execution/commitBatch.ts';
import type { CommitCalls } from '../../kernel/feature/feature.ts';
import type { RunContext } from '../context/features.ts';
import { type Connection, unreachableTools } from '../prepare/connectTools.ts';
import { prepareTools } from '../prepare/prepareTools.ts';
import { runTools } from './runTools.ts';
import { startNextCalls } from './startNextCalls.ts';

/**
 * Stores and runs calls that no model asked for, by default the collected ones. A failed call does not fail
 * the execution. Without the feature, nothing is collected and the iteration ends.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function collectCalls(
  context: RunContext,
  conversation: ConversationMessage[],
  connection: Connection,
  commitCalls: CommitCalls | undefined = context.features.collect?.commit,
): Promise<void> {
  const { held, deps } = context;
  if (commitCalls === undefined) {
    const { sessionId, executionId } = held.current();
    deps.log.warn({ sessionId, executionId }, 'nothing is collected: the feature is missing');
    return commitBatch(held, deps, (current, batch) => startNextCalls(current, [], batch));
  }
  const connected = connection.executor ?? unreachableTools(connection.error);
  const executor = await prepareTools(context, connected, { purpose: 'collect', conversation });
  const isConnected = connection.executor !== undefined;
  const calls = await commitCalls(context, { ...executor, isConnected }, startNextCalls);
  await runTools({ ...context, calls, executor });
}
