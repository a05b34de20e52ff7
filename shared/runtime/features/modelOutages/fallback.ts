// Fallback models: which failure of a model has the next one of its agent take over, and what the timeline says of it. Pure.

import { type ErrorCode, InquestError } from '../../../errors.ts';
import type { Agent, ModelSettings } from '../../../schema/agent.ts';
import type { Failure } from '../../../schema/common.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { EventDraft } from '../../../schema/timelineEvent.ts';
import { isTimeout } from '../../kernel/execution/budget.ts';
import { MAX_CONSECUTIVE_TIMEOUTS } from '../../kernel/state/decide.ts';

/**
 * Failures of a model, after the attempts of its client, that another model may not have: no quota, an outage, a refusal,
 * or a model, key, setting or request that its provider does not take. What a model answered and cannot be used (nothing,
 * a broken call, too much) is not among them: the same model is told, and tries again.
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
 * Whether the next model takes over after this failure of a model call. A time-out counts when it would end the execution:
 * one alone may be a long thought.
 * @param consecutiveTimeouts time-outs in a row before this failure.
 */
export function movesOn(error: InquestError, consecutiveTimeouts: number): boolean {
  if (isTimeout(error)) return consecutiveTimeouts + 1 >= MAX_CONSECUTIVE_TIMEOUTS;
  return MOVES_ON.has(error.code);
}

/** The model that takes over after a failure of the one in use; undefined when none does, or none is left. */
export function nextModel(
  error: unknown,
  { fallback }: Pick<Agent, 'fallback'>,
  { modelIndex, consecutiveTimeouts }: Pick<Execution, 'modelIndex' | 'consecutiveTimeouts'>,
): ModelSettings | undefined {
  if (!(error instanceof InquestError) || !movesOn(error, consecutiveTimeouts)) return undefined;
  return fallback[modelIndex];
}

/** The execution with its next model, which starts without failures. Each answer keeps the signatures of its own model. */
export function withNextModel(execution: Execution): Execution {
  return {
    ...execution,
    modelIndex: execution.modelIndex + 1,
    lastInteractionFailed: false,
    lastErrorMessage: null,
  };
}

/** A model as people read it: `google/gemini-3.8-flash`. */
export function modelLabel({ provider, model }: Pick<ModelSettings, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}

/** The event that says which model takes over, from which, and why. */
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
