// Outages of tool servers: the agent learns which of its servers are unreachable.

import { isDeepStrictEqual } from 'node:util';
import { boundNativeTools } from '../../core/contract/modelFacts.ts';
import type { ToolExecutor } from '../../core/contract/tools.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { returnClaim } from '../../core/kernel/execution/lease.ts';
import type { Feature, Introduction } from '../../core/kernel/feature/feature.ts';
import { restingServers } from '../../core/kernel/state/hungServers.ts';
import { PAUSE_MS, retryLaterError } from '../../core/kernel/state/retryLater.ts';
import { decideOutages } from './decideOutages.ts';

/** Adds messages about outages to the conversation. An agent without any tool waits or concludes. */
export const SERVER_OUTAGES: Feature = {
  beforeAsking: recordOutages,
};

/**
 * Stores outages that started or ended, with their events and the message for the model. Does nothing if
 * nothing changed.
 * @returns the stored messages; with a conclusion if no tool is left.
 * @throws RetryableError `EXECUTION_WAITING` when no tool is left and one could come back: the same iteration
 *   is delivered again after a pause. LeaseLostError when another writer changed the execution.
 */
async function recordOutages(context: IterationContext, executor: ToolExecutor): Promise<Introduction> {
  const { held, masker, deps } = context;
  const { missingServers, executionId } = held.current();
  const found = [...executor.missing, ...restingServers(held.current())];
  const outages = decideOutages(held.current(), found, hasTools(context, executor));
  const { next, missing, events, messages } = outages;
  const until = next === 'try_again' ? new Date(deps.clock.now().getTime() + PAUSE_MS) : null;
  if (!isDeepStrictEqual(missing, missingServers)) {
    await commitBatch(held, deps, (current, batch) => {
      // A server's own secrets are already masked; this process also knows those of others.
      for (const event of events) batch.appendEvent({ ...event, content: masker.mask(event.content).text });
      for (const message of messages) batch.appendMessage(message);
      const recorded = { ...current, ...batch.counters(), missingServers: missing };
      return until === null ? recorded : { ...returnClaim(recorded), notBefore: until };
    });
  }
  if (until !== null) throw retryLaterError(executionId, { kind: 'wait', until }, deps.clock.now());
  return { messages, ...(next === 'conclude' && { conclusion: 'no_tools' as const }) };
}

/** Whether the agent has tools: of a server, or native ones. */
function hasTools({ agent, controller }: IterationContext, executor: ToolExecutor): boolean {
  const tools = executor.list();
  return tools.length > 0 || (controller.abilities.nativeTools && boundNativeTools(agent, tools).length > 0);
}
