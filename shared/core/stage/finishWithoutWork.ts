// Handles messages that need no work, in the same way for normal deliveries and dead letters.

import type { Stored } from '../contract/store.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { publishAgain } from '../kernel/execution/publishAgain.ts';
import type { DecisionWithoutWork } from '../kernel/state/decide.ts';
import type { Execution } from '../schema/execution.ts';
import { continueAfterEnd } from './publishOrAdvance.ts';
import { settleWaits } from './settleWaits.ts';

/** How a message without work was handled. */
export type OutcomeWithoutWork =
  | { kind: 'already_ended' }
  | { kind: 'late_copy'; republished: boolean }
  | { kind: 'waits' }
  | { kind: 'paused' }
  | { kind: 'parked' }
  /** The caller records the message as rejected. */
  | { kind: 'rejected'; reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD' };

/**
 * Completes such a decision: continues after the end of an ended execution, publishes a missing successor, or
 * settles due calls.
 * @throws RetryableError when a message was published too recently to be published again, or store or
 * publisher fail.
 */
export async function finishWithoutWork(
  stored: Stored<Execution>,
  decision: DecisionWithoutWork,
  deps: StateDeps,
): Promise<OutcomeWithoutWork> {
  switch (decision.kind) {
    case 'reject_ahead':
      return { kind: 'rejected', reason: 'ITERATION_AHEAD' };
    case 'already_ended':
      await continueAfterEnd(stored.value, deps);
      return decision;
    case 'late_copy':
      if (decision.republish) await publishAgain(stored, deps);
      return { kind: 'late_copy', republished: decision.republish };
    case 'paused':
    case 'parked':
      return decision;
    case 'waits':
      await settleWaits(stored.value, deps);
      return decision;
  }
}
