// What may be wrong with the messages that an instance keeps: they are gone, some of them are missing because
// other instances worked in between, or they are of another life of the database.

import { type NumberedMessages, readMessages } from '../../shared/core/kernel/conversation/conversation.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import { paths } from '../../shared/lists/documents.ts';
import { executionKey, type Invocation } from './record.ts';
import type { World } from './world.ts';

/** No execution of a run has so many messages. */
const BEYOND = 1_000;

/** Injects the faults of what a process keeps of an execution, right before it works on it. */
export async function disturbCache(by: Invocation, world: World): Promise<void> {
  const execution = world.record.executions.get(executionKey(by))?.value;
  if (execution === undefined) return;
  const { conversations } = by.process;
  if (world.drawFault('cache_lost')) {
    conversations.drop(execution);
    by.process.featureCaches.clear();
  }
  if (world.drawFault('cache_stale')) {
    const stored = await storedMessages(execution, by, world);
    conversations.drop(execution);
    conversations.keep(execution, new Map([...stored].filter(() => world.random.chance(0.7))));
  }
  if (world.drawFault('cache_foreign')) {
    const createdAt = new Date(execution.createdAt.getTime() - 1);
    conversations.drop(execution);
    conversations.keep({ ...execution, createdAt }, corruptMessages(execution));
  }
  if (world.drawFault('cache_ahead')) {
    const [[, wrong] = []] = corruptMessages(execution);
    conversations.drop(execution);
    if (wrong === undefined) return;
    conversations.keep(execution, new Map([...corruptMessages(execution), [BEYOND, wrong]]));
  }
}

/** The messages that the process could have read. */
async function storedMessages(
  { sessionId, executionId }: Execution,
  { process }: Invocation,
  { reader, record }: World,
): Promise<NumberedMessages> {
  const { value } = await readMessages(reader, sessionId, executionId);
  const isReadable = (number: number) =>
    process.isNewer || !record.newerPaths.has(paths.message(sessionId, executionId, number));
  return new Map([...(value ?? [])].filter(([number]) => isReadable(number)));
}

/** As many messages as the execution has, each with a text that no message of the run has. */
function corruptMessages({ lastMessage }: Execution): NumberedMessages {
  return new Map(
    Array.from({ length: lastMessage }, (_, index) => [
      index + 1,
      { role: 'user', blocks: [{ blockType: 'text', textContent: 'of another execution #0#' }] },
    ]),
  );
}
