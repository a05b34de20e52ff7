// Handles a model that did not answer at all: the execution pauses and asks again. This costs no iteration
// and adds nothing to the conversation.

import { type ErrorCode, RetryableError } from '../../core/errors.ts';
import { commitCall } from '../../core/kernel/execution/commitCall.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { returnClaim } from '../../core/kernel/execution/lease.ts';
import { isForModel } from '../../core/kernel/execution/newerDocument.ts';
import { afterCall, interactionWrite, type ModelCall } from '../../core/kernel/model/modelCall.ts';
import { PARKED_FROM_MS, retryLaterError } from '../../core/kernel/state/retryLater.ts';
import { noteBudget } from '../../core/kernel/tokens/tokenBudget.ts';
import type { Failure } from '../../core/schema/common.ts';
import type { Outage } from '../../core/schema/execution.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import {
  allowanceMs,
  extendDeadlines,
  MAX_WAITED_MS,
  readSession,
} from '../../kits/agents/extendDeadlines.ts';
import { modelLabel } from '../../kits/agents/modelOutage.ts';
import { outagePauseMs } from '../../text/backOff.ts';
import { noteOutage } from './modelState.ts';

/** Errors of calls that got no answer: the model is down, out of quota, unreachable or silent. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'MODEL_UNAVAILABLE',
  'MODEL_QUOTA',
  'MODEL_STREAM_CUT',
  'MODEL_TIMEOUT',
  'ITERATION_TIMEOUT',
]);

/** Of a wait that the circuit of this process requests, the part that counts, in milliseconds. */
const LONGEST_REFUSAL_MS = 45_000;
/** Refusals repeat while the circuit is open: redeliveries would come later each time. */
const PARKED_REFUSAL_MS = 20_000;

/** Whether a call failed before the model started its answer, with an error that can be temporary. */
export function isOutage(error: unknown, { report }: Pick<ModelCall, 'report'>): error is RetryableError {
  return error instanceof RetryableError && OUTAGES.has(error.code) && report.answerStarted !== true;
}

/**
 * Pauses the execution until the next request to the model, and extends its deadline by that time. Stores one
 * notice for each outage.
 * @returns the failure that ends the execution; undefined if it pauses. It ends if the provider asks for more
 *   time than is left, or after `modelOutage`, if the model was asked since the start of the wait.
 * @throws RetryableError `EXECUTION_WAITING` after a pause below a minute was stored: the message is
 *   delivered again. LeaseLostError when another writer changed the execution.
 */
export async function waitForModel(
  context: IterationContext,
  error: RetryableError,
  failure: Failure,
  call: ModelCall,
): Promise<Failure | undefined> {
  const { held, deps, agent } = context;
  const before = held.current();
  const now = deps.clock.now();
  const earlier = isForModel(before.outage) ? before.outage : null;
  const since = earlier?.since ?? call.startedAt;
  const wasSent = call.report.attempts > 0;
  const random = deps.random ?? Math.random;
  const calls = before.outage?.calls ?? 0;
  const maxMs = before.limits.modelOutageMs ?? MAX_WAITED_MS;
  const outageLeftMs = since.getTime() + maxMs - now.getTime();
  const wasSentSince = wasSent || (earlier?.calls ?? 0) > 0;
  if (wasSentSince && outageLeftMs <= 0) return outageOver(failure, since, maxMs);
  const session = await readSession(before, deps);
  const deadlineLeftMs =
    before.deadline.getTime() - now.getTime() + (session ? allowanceMs(session, maxMs) : 0);
  if (wasSent && (error.retryAfterMs ?? 0) >= Math.min(outageLeftMs, deadlineLeftMs)) return failure;
  const nextPauseMs = wasSent
    ? outagePauseMs(calls, random, error.retryAfterMs)
    : refusalPauseMs(random, error.retryAfterMs);
  // The model is asked again at the end of its outage.
  const pauseMs = outageLeftMs > 0 ? Math.min(nextPauseMs, outageLeftMs) : nextPauseMs;
  const until = new Date(now.getTime() + pauseMs);
  const extended = session && (await extendDeadlines(before, { from: since, to: until }, deps, maxMs));
  const outage: Outage = {
    code: failure.code as ErrorCode,
    since,
    pauses: (earlier?.pauses ?? 0) + 1,
    calls: calls + (wasSent ? 1 : 0),
    parked: pauseMs >= (wasSent ? PARKED_FROM_MS : PARKED_REFUSAL_MS),
  };

  await commitCall(context, (current, batch) => {
    if (wasSent) {
      const kind = `outage${outage.calls}`;
      batch.writes.push(interactionWrite(current, context, call, { failure, events: [], kind }));
    }
    if (earlier === null) batch.appendEvent(outageNotice(modelLabel(agent.model), failure, maxMs));
    // The model did not read the guidance.
    const { guidanceTaken, signaturesRefusedUpTo } = current;
    const called = {
      ...current,
      ...afterCall(current, call, agent.model),
      guidanceTaken,
      signaturesRefusedUpTo,
    };
    noteBudget(current, called, batch);
    return {
      ...returnClaim(called),
      ...extended,
      ...batch.counters(),
      outage,
      waitingSince: { kind: 'model', at: batch.now },
      notBefore: until,
    };
  });
  const { sessionId, executionId, iteration } = before;
  deps.log.warn(
    { sessionId, executionId, iteration, code: failure.code, until },
    'the model does not answer; the execution waits',
  );
  if (outage.parked) await noteOutage(agent.model, deps);
  else throw retryLaterError(executionId, { kind: 'wait', until }, now);
  return undefined;
}

/**
 * The pause after the circuit of this process refused a call, in milliseconds: below a minute, because
 * another process can find out meanwhile that the model answers again.
 */
function refusalPauseMs(random: () => number, askedMs = 0): number {
  return Math.round(Math.min(askedMs, LONGEST_REFUSAL_MS) * (1 + random() / 4));
}

/** The failure after a wait of `modelOutage`. */
function outageOver({ code, message }: Failure, since: Date, maxMs: number): Failure {
  const waited = `The model has not answered since ${since.toISOString()}, longer than modelOutage (${minutesText(maxMs)}).`;
  return { code, message: `${waited} Last: ${sentence(message)}` };
}

const sentence = (text: string): string => `${text}${/[.!?]$/.test(text) ? '' : '.'}`;
const minutesText = (ms: number): string => `${Math.round(ms / 6_000) / 10} min`;

function outageNotice(model: string, failure: Failure, maxMs: number): EventDraft {
  return {
    eventType: 'notice',
    content: `${model} does not answer (${failure.code}): ${sentence(failure.message)} The agent waits and asks again, after 10 s at first and after 5 min at most. Waiting uses no iteration and extends the deadline, by ${minutesText(maxMs)} at most.`,
    metadata: { code: 'model_outage', subject: model, reason: failure.code as ErrorCode },
  };
}
