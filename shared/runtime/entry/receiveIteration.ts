// Handles a message of the topic `iterations`, which is one iteration of one execution, with given features.

import type { Logger } from '../../core/contract/logger.ts';
import { type IterationOutcome, runIteration } from '../../core/iteration/runIteration.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { parseIterationMessage, unknownIteration } from './iterationMessage.ts';
import { receiveMessage } from './receiveMessage.ts';

/** Outcomes that are logged; a rejected message is recorded. */
type Handled = Exclude<IterationOutcome, { kind: 'rejected' }>;

/** Outcomes of the only process that worked on a message. */
const WORKED: readonly Handled['kind'][] = ['ran', 'ended', 'spare_copy'];

/**
 * Handles one event of the topic `iterations`.
 * @param features the features of the iteration, in the order of their hooks.
 * @throws RetryableError when it must be delivered again.
 */
export async function receiveIteration(
  event: unknown,
  deps: RuntimeDeps,
  features: readonly Feature[],
): Promise<void> {
  await receiveMessage('runIteration', event, deps, async (message) => {
    const parsed = parseIterationMessage(message);
    const startedAt = deps.clock.now().getTime();
    const outcome = await runIteration(parsed, message.messageId, deps, features);
    if (outcome.kind === 'rejected') throw unknownIteration(outcome.reason, parsed);
    // The process that worked on it possibly died before it exported its last spans.
    if (!WORKED.includes(outcome.kind)) deps.telemetry?.suspect(parsed.sessionId);
    const durationMs = deps.clock.now().getTime() - startedAt;
    logOutcome(outcome, { durationMs, deliveryAttempt: message.deliveryAttempt ?? undefined }, deps.log);
  });
}

/** Logs one line for each iteration that ran or ended. Duplicates and waits are logged at debug level. */
function logOutcome(outcome: Handled, fields: object, log: Logger): void {
  switch (outcome.kind) {
    case 'ran': {
      const { model, tokens, claims } = outcome;
      const { status } = outcome.execution;
      log.info({ ...fields, outcome: outcome.kind, status, model, tokens, claims }, 'iteration handled');
      return;
    }
    case 'ended': {
      const { status, failure } = outcome.execution;
      log.info({ ...fields, outcome: outcome.kind, status, code: failure?.code }, 'iteration handled');
      return;
    }
    default:
      log.debug({ ...fields, outcome: outcome.kind }, 'nothing to do for a message');
  }
}
