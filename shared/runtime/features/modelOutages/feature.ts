// Outages of models: another model takes over, or the execution waits until its model answers again.

import type { Execution } from '../../../schema/execution.ts';
import { isForQuota } from '../../kernel/execution/newerDocument.ts';
import type { Feature } from '../../kernel/feature/feature.ts';
import { nextModel } from './fallback.ts';
import { takeOver } from './takeOver.ts';
import { isOutage, waitForModel } from './waitForModel.ts';

/** Switches to the agent's next model after certain failures, and pauses the execution while a model does not answer. */
export const MODEL_OUTAGES: Feature = {
  async afterFailure(context, failed) {
    const { error, failure, call } = failed;
    const next = nextModel(error, context.agent, withSilence(context.held.current()));
    if (next !== undefined) {
      await takeOver(context, failed, next);
      return 'handled';
    }
    if (!isOutage(error, call)) return undefined;
    return (await waitForModel(context, error, failure, call)) ? 'handled' : 'fatal';
  },
};

/** Counts an outage as a time-out: after two unanswered requests, the next model takes over. */
function withSilence(execution: Execution): Execution {
  const { outage, consecutiveTimeouts } = execution;
  return outage === null || isForQuota(outage)
    ? execution
    : { ...execution, consecutiveTimeouts: consecutiveTimeouts + 1 };
}
