// Fallback models: failures that switch an agent to its next model, and the timeline's event. Pure.

import { type ErrorCode, InquestError } from '../../core/errors.ts';
import { isTimeout } from '../../core/kernel/execution/budget.ts';
import { MAX_CONSECUTIVE_TIMEOUTS } from '../../core/kernel/state/decide.ts';
import type { Agent, ModelSettings } from '../../core/schema/agent.ts';
import type { Failure } from '../../core/schema/common.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { modelLabel } from '../../kits/agents/modelOutage.ts';

/**
 * Failures, after the retries of the client, that another model might not have: quota, outage, refusal, or a
 * model, key, setting or request that the provider rejects. Unusable answers (empty, a malformed call, too
 * long) are not included: the same model gets feedback and tries again.
 */
const MOVES_ON: ReadonlySet<ErrorCode> = new Set([
  'MODEL_QUOTA',
  'MODEL_UNAVAILABLE',
  'MODEL_STREAM_CUT',
  'MODEL_BLOCKED',
  'MODEL_UNKNOWN',
  'MODEL_BAD_REQUEST',
  'MODEL_CREDENTIALS',
  'CONFIG_INVALID',
]);

/**
 * Whether the next model takes over after this failure of a model call. A time-out counts only if it would
 * end the execution: a single one can be a long thought.
 * @param consecutiveTimeouts number of consecutive time-outs before this failure.
 */
export function movesOn(error: InquestError, consecutiveTimeouts: number): boolean {
  if (isTimeout(error)) return consecutiveTimeouts + 1 >= MAX_CONSECUTIVE_TIMEOUTS;
  return MOVES_ON.has(error.code);
}

/** The model after a failure of the current one; undefined if it does not count or none is left. */
export function nextModel(
  error: unknown,
  { fallback }: Pick<Agent, 'fallback'>,
  { modelIndex, consecutiveTimeouts }: Pick<Execution, 'modelIndex' | 'consecutiveTimeouts'>,
): ModelSettings | undefined {
  if (!(error instanceof InquestError) || !movesOn(error, consecutiveTimeouts)) return undefined;
  return fallback[modelIndex];
}

/** The execution with its next model and no failures. Answers keep their own model's signatures. */
export function withNextModel(execution: Execution): Execution {
  return {
    ...execution,
    modelIndex: execution.modelIndex + 1,
    lastInteractionFailed: false,
    lastErrorMessage: null,
  };
}

/** The event that names the model that takes over, the failed one, and the reason. */
export function fallbackNotice(from: ModelSettings, to: ModelSettings, failure: Failure): EventDraft {
  const why = `${failure.message}${/[.!?]$/.test(failure.message) ? '' : '.'}`;
  return {
    eventType: 'notice',
    content: `${modelLabel(from)} cannot go on (${failure.code}): ${why} The agent goes on with ${modelLabel(to)}.`,
    metadata: {
      code: 'model_fallback',
      subject: modelLabel(to),
      from: modelLabel(from),
      reason: failure.code,
    },
  };
}
