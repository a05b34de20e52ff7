// The functions' bodies: read the event, do the work, record what can never be accepted.
// Returning acks the message; throwing has it delivered again.

import type { Config } from '../../config/config.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import type { Execution } from '../../schema/execution.ts';
import {
  ITERATION_MESSAGE_VERSION,
  type IterationMessage,
  iterationMessageSchema,
} from '../../schema/iterationMessage.ts';
import { parseJson } from '../../text/json.ts';
import type { RuntimeDeps, StateDeps } from '../deps.ts';
import { runIteration } from '../iteration/runIteration.ts';
import { buryIteration } from '../rescue/buryIteration.ts';
import { type SweepReport, sweep } from '../rescue/sweep.ts';
import { ingestAlert } from '../session/ingestAlert.ts';
import { type PubsubMessage, readPubsubEvent } from './pubsubEvent.ts';
import { rejectMessage } from './rejectMessage.ts';

/** `alerts` -> a session and its first iterations. */
export async function handleAlert(event: unknown, config: Config, deps: RuntimeDeps): Promise<void> {
  await handle('ingestAlert', event, deps, async (message) => {
    const { sessionId, outcome } = await ingestAlert(message, config, deps);
    deps.log.info({ sessionId, messageId: message.messageId, outcome }, 'alert accepted');
  });
}

/** `iterations` -> one iteration of one execution. */
export async function handleIteration(event: unknown, deps: RuntimeDeps): Promise<void> {
  await handle('runIteration', event, deps, async (message) => {
    const parsed = parseIterationMessage(message);
    const outcome = await runIteration(parsed, deps);
    if (outcome.kind === 'rejected') throw rejection(outcome.reason, parsed);
    deps.log.info({ ...describe(parsed, message), ...describeOutcome(outcome) }, 'iteration handled');
  });
}

/** `iterations-dead` -> the end of an execution whose message could not be handled. */
export async function handleDeadLetter(event: unknown, deps: StateDeps): Promise<void> {
  await handle('buryIteration', event, deps, async (message) => {
    const parsed = parseIterationMessage(message);
    const outcome = await buryIteration(parsed, deliveriesOf(message), deps);
    if (outcome.kind === 'rejected') throw rejection(outcome.reason, parsed);
    deps.log.warn({ ...describe(parsed, message), ...describeOutcome(outcome) }, 'dead letter handled');
  });
}

/** A tick of the schedule -> every open session is looked at. Not Pub/Sub: the schedule calls it by HTTP. */
export async function handleTick(deps: StateDeps): Promise<SweepReport> {
  const report = await sweep(deps);
  deps.log.info(report, 'swept');
  return report;
}

function describe({ sessionId, executionId, iteration }: IterationMessage, { traceparent }: PubsubMessage) {
  return { sessionId, executionId, iteration, traceparent };
}

function describeOutcome(outcome: { kind: string; execution?: Execution }) {
  return { outcome: outcome.kind, status: outcome.execution?.status };
}

function rejection(
  reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD',
  { sessionId, executionId, iteration }: IterationMessage,
): TerminalError {
  const what =
    reason === 'EXECUTION_UNKNOWN'
      ? `there is no execution ${executionId} in session ${sessionId}`
      : `iteration ${iteration} of execution ${executionId} was never scheduled`;
  return new TerminalError(reason, what);
}

/** Pub/Sub tells in an attribute of the dead letter how often it had tried. */
function deliveriesOf({ attributes }: PubsubMessage): number | undefined {
  const count = Number(attributes.CloudPubSubDeadLetterSourceDeliveryCount);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}

/** Terminal errors are recorded and the message is acked; everything else has it delivered again. */
async function handle(
  functionName: string,
  event: unknown,
  deps: StateDeps,
  work: (message: PubsubMessage) => Promise<void>,
): Promise<void> {
  const reading = readPubsubEvent(event);
  if (!reading.ok) return rejectMessage(functionName, undefined, reading.failure, deps);
  const { message } = reading;
  try {
    await work(message);
  } catch (error) {
    if (error instanceof TerminalError) {
      return rejectMessage(functionName, message, { code: error.code, message: error.message }, deps);
    }
    // The framework prints what is thrown: of what is to be expected one line is enough.
    if (error instanceof RetryableError) error.stack = `${error.code}: ${error.message}`;
    throw error;
  }
}

function parseIterationMessage(message: PubsubMessage): IterationMessage {
  const json = parseJson(Buffer.from(message.data).toString('utf8'));
  if (json === undefined) throw new TerminalError('MESSAGE_MALFORMED', 'data: not JSON');
  const parsed = iterationMessageSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  if (parsed.error.issues.some(({ path }) => path[0] === 'schemaVersion')) {
    const known = `this code knows schemaVersion ${ITERATION_MESSAGE_VERSION}`;
    throw new TerminalError('MESSAGE_SCHEMA_UNKNOWN', `${known}, the message has another or none`);
  }
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'data'}: ${issue.message}`);
  throw new TerminalError('MESSAGE_MALFORMED', `not an iteration message: ${faults.join('; ')}`);
}
