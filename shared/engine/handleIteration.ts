// The body of `runIteration`: a message of the topic `iterations` is one iteration of one execution.

import type { Logger } from '../core/contract/logger.ts';
import { type IterationOutcome, runIteration } from '../core/iteration/runIteration.ts';
import { receiveMessage } from '../kits/messages/receiveMessage.ts';
import type { Engine } from './createEngine.ts';
import { parseIterationMessage, unknownIteration } from './iterationMessage.ts';

/** Outcomes that are logged; a rejected message is recorded. */
type Handled = Exclude<IterationOutcome, { kind: 'rejected' }>;

/** Outcomes of the only process that worked on a message. */
const WORKED: readonly Handled['kind'][] = ['ran', 'ended', 'spare_copy'];

/**
 * Handles one event of the topic `iterations`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleIteration(event: unknown, engine: Engine): Promise<void> {
  const { clock, log, telemetry, features } = engine;
  await receiveMessage('runIteration', event, engine, async (message) => {
    const parsed = parseIterationMessage(message);
    const startedAt = clock.now().getTime();
    const outcome = await runIteration(parsed, message.messageId, engine, features);
    if (outcome.kind === 'rejected') throw unknownIteration(outcome.reason, parsed);
    // The process that worked on it possibly died before it exported its last spans.
    if (!WORKED.includes(outcome.kind)) telemetry?.suspect(parsed.sessionId);
    const durationMs = clock.now().getTime() - startedAt;
    logOutcome(outcome, { durationMs, deliveryAttempt: message.deliveryAttempt ?? undefined }, log);
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
