// Outages of models: another model takes over, or the execution waits until its model answers again.

import type { Execution } from '../../../schema/execution.ts';
import type { Feature } from '../../kernel/feature/feature.ts';
import { nextModel } from './fallback.ts';
import { takeOver } from './takeOver.ts';
import { isOutage, waitForModel } from './waitForModel.ts';

/** Asks the agent's next model after some failures, and pauses the execution when a model does not answer. */
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

/** The execution with an outage counted as a time-out: a model that does not answer twice is given up for the next one. */
function withSilence(execution: Execution): Execution {
  const { outage, consecutiveTimeouts } = execution;
  return outage === null ? execution : { ...execution, consecutiveTimeouts: consecutiveTimeouts + 1 };
}
