// Outages of models: another model takes over, or the execution waits until its model answers again.

import { commitCall } from '../../core/kernel/execution/commitCall.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { isForQuota } from '../../core/kernel/execution/newerDocument.ts';
import type { FailedCall, Feature } from '../../core/kernel/feature/feature.ts';
import { afterCall, interactionWrite } from '../../core/kernel/model/modelCall.ts';
import { finishIteration } from '../../core/kernel/state/nextIteration.ts';
import { noteBudget } from '../../core/kernel/tokens/tokenBudget.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { modelLabel } from '../../kits/agents/modelOutage.ts';
import { fallbackNotice, nextModel, withNextModel } from './fallback.ts';
import { noteAnswer } from './modelState.ts';
import { isOutage, waitForModel } from './waitForModel.ts';

/** Switches to the agent's next model, and pauses the execution while a model does not answer. */
export const MODEL_OUTAGES: Feature = {
  async afterFailure(context, failed) {
    const { error, failure, call } = failed;
    const next = nextModel(error, context.agent, withSilence(context.held.current()));
    if (next !== undefined) {
      await takeOver(context, failed, next);
      return 'handled';
    }
    if (!isOutage(error, call)) return undefined;
    const fatal = await waitForModel(context, error, failure, call);
    return fatal === undefined ? 'handled' : { fatal };
  },
  async afterAnswer({ agent, deps }, { outage }) {
    await noteAnswer(agent.model, outage !== null, deps);
  },
};

/** Counts an outage as a time-out: after two unanswered requests, the next model takes over. */
function withSilence(execution: Execution): Execution {
  const { outage, consecutiveTimeouts } = execution;
  return outage === null || isForQuota(outage)
    ? execution
    : { ...execution, consecutiveTimeouts: consecutiveTimeouts + 1 };
}

/**
 * Ends the iteration with `next` as the execution's model. The conversation does not change, and the next
 * iteration asks that model.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
async function takeOver(
  context: IterationContext,
  { failure, call }: FailedCall,
  next: ModelSettings,
): Promise<void> {
  const { held, agent, guidance, deps } = context;
  await commitCall(context, (current, batch) => {
    const called = { ...current, outage: null, ...afterCall(current, call, agent.model) };
    batch.writes.push(interactionWrite(current, context, call, { failure, events: [] }));
    // The next model reads the guidance, too, which can be stored; a forced conclusion is requested again.
    const unread = current.guidanceTaken < call.guidanceTaken ? guidance.messages : [];
    for (const draft of unread) batch.appendMessage(draft);
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
