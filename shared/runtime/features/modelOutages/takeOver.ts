// The commit that switches the agent to another model.

import type { ModelSettings } from '../../../schema/agent.ts';
import { commitCall } from '../../kernel/execution/commitCall.ts';
import type { IterationContext } from '../../kernel/execution/context.ts';
import type { FailedCall } from '../../kernel/feature/feature.ts';
import { afterCall, interactionWrite } from '../../kernel/model/modelCall.ts';
import { finishIteration } from '../../kernel/state/nextIteration.ts';
import { noteBudget } from '../../kernel/tokens/tokenBudget.ts';
import { fallbackNotice, modelLabel, withNextModel } from './fallback.ts';

/**
 * Ends the iteration with `next` as the execution's model. The conversation does not change, and the next iteration asks
 * that model.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
export async function takeOver(
  context: IterationContext,
  { failure, call }: FailedCall,
  next: ModelSettings,
): Promise<void> {
  const { held, agent, guidance, deps } = context;
  await commitCall(context, (current, batch) => {
    const called = { ...current, outage: null, ...afterCall(current, call, agent.model) };
    batch.writes.push(interactionWrite(current, context, call, { failure, events: [] }));
    // The next model reads the guidance, too; a forced conclusion is requested again.
    for (const draft of guidance.messages) batch.appendMessage(draft);
    batch.appendEvent(fallbackNotice(agent.model, next, failure));
    noteBudget(current, called, batch);
    return finishIteration(withNextModel(called), batch);
  });
  const { sessionId, executionId, iteration } = held.current();
  const models = { from: modelLabel(agent.model), to: modelLabel(next) };
  deps.log.warn(
    { sessionId, executionId, iteration, ...models, code: failure.code },
    'another model takes over',
  );
}
