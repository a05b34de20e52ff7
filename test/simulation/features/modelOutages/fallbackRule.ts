// Fallback models: those asked, and the rule that an execution goes through them in order.

import { InquestError } from '../../../../shared/core/errors.ts';
import type { ModelSettings } from '../../../../shared/core/schema/agent.ts';
import { CLAIMS_STRATEGY } from '../../../../shared/core/schema/agent.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Interaction } from '../../../../shared/core/schema/interaction.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { type AppliedCommit, executionKey } from '../../record.ts';
import type { World } from '../../world.ts';
import { strategyOfCheck } from '../claims/simulatedLedger.ts';

type Violate = (rule: string, detail: string) => void;

/** Failures that end no execution while a model is left. */
const MOVES_ON = ['MODEL_QUOTA', 'MODEL_UNAVAILABLE', 'MODEL_STREAM_CUT', 'MODEL_BLOCKED'];

/** The models of every agent: its own, and `count` that take over. */
export function simulatedModels(count: number): ModelSettings[] {
  return Array.from({ length: count + 1 }, (_, index) => ({
    provider: 'google',
    model: `model-${index}`,
    includeThoughts: true,
  }));
}

const indexOf = ({ model }: { model: string }) => Number(model.split('-')[1]);

/** Whether the model after this one takes over because of an error. */
export function hasNext(error: unknown, model: ModelSettings, { plan }: World): boolean {
  return error instanceof InquestError && MOVES_ON.includes(error.code) && indexOf(model) < plan.fallback;
}

/** A model that is asked must be the one in use. Checked while the invocation holds the execution. */
export function checkAsked(model: ModelSettings, execution: Execution, { record }: World): void {
  const { executionId, modelIndex } = execution;
  if (indexOf(model) !== modelIndex)
    record.violations.push(`fallback: ${executionId} asks ${model.model} and is at model ${modelIndex}`);
}

/** One write of an execution: it stays with its model, or the next one takes over, with all that says so. */
export function checkChange(
  was: Execution,
  is: Execution,
  { writes }: AppliedCommit,
  violate: Violate,
): void {
  const { executionId, modelIndex, iteration, status } = is;
  const below = (collection: string) =>
    writes
      .filter(({ path }) => path.split('/')[2] === collection && path.includes(`/${executionId}.`))
      .map(({ value }) => value);
  const notices = (below('timeline') as TimelineEvent[]).filter(isFallback).length;
  if (modelIndex === was.modelIndex) {
    if (notices > 0) violate('fallback', `${executionId} stays at model ${modelIndex}, and says otherwise`);
    return;
  }
  if (modelIndex !== was.modelIndex + 1)
    violate('fallback', `${executionId} goes from model ${was.modelIndex} to ${modelIndex}`);
  const failed = (below('interactions') as Interaction[]).filter(
    (one) => one.failure !== null && indexOf(one) === was.modelIndex,
  );
  if (failed.length !== 1 || notices !== 1)
    violate('fallback', `${executionId} changes models with ${failed.length} failures, ${notices} notices`);
  if (iteration !== was.iteration + 1 && !isTerminal(status))
    violate('fallback', `${executionId} changes models within iteration ${iteration}`);
  // What people said meanwhile is for every model.
  const told = below('messages').filter((message) => !JSON.stringify(message).includes('</guidance-'));
  if (told.length > 0)
    violate('fallback', `${executionId} tells its next model of a failure that was not its own`);
  if (is.lastInteractionFailed && !isTerminal(status))
    violate('fallback', `the next model of ${executionId} begins with a failure`);
}

/** The models that an execution has asked, in the order of its iterations. */
export function checkModels(
  execution: Execution,
  timeline: TimelineEvent[],
  interactions: Interaction[],
  { plan, record }: World,
  violate: Violate,
): void {
  const { executionId, modelIndex, failure, iteration, limits } = execution;
  const own = executionKey(execution);
  const notices = timeline.filter(isFallback).length;
  if (notices !== modelIndex)
    violate('fallback', `${executionId} is at model ${modelIndex}, after ${notices} notices`);
  // Who writes the executive summary or checks claims has one model in every configuration.
  const hasOne = /-summary(-m\d+)?$/.test(executionId) || strategyOfCheck(executionId) === CLAIMS_STRATEGY;
  const last = hasOne ? 0 : plan.fallback;
  if (failure !== null && MOVES_ON.includes(failure.code) && modelIndex < last)
    violate('fallback', `${executionId} ends with ${failure.code} at model ${modelIndex} of ${last}`);
  if (failure?.code === 'MAX_ITERATIONS' && iteration - modelIndex < limits.maxIterations)
    violate('fallback', `${executionId} is out of iterations by its changes of models`);
  const asked = [
    ...record.activities.flatMap((one) =>
      executionKey(one) === own && one.model !== undefined
        ? [{ iteration: one.iteration, index: indexOf({ model: one.model }) }]
        : [],
    ),
    ...interactions.map((one) => ({ iteration: one.iteration, index: indexOf(one) })),
  ].sort((a, b) => a.iteration - b.iteration);
  for (const [position, { index, ...one }] of asked.entries()) {
    const before = asked[position - 1] ?? { iteration: 0, index: 0 };
    const most = one.iteration === before.iteration ? before.index : before.index + 1;
    if (index < before.index || index > most)
      violate('fallback', `${executionId} asks model ${index} after model ${before.index}`);
  }
}

function isFallback(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.code === 'model_fallback';
}
