// The functions' bodies: read the event, do the work, record what can never be accepted.
// Returning acks the message; throwing has it delivered again.

import type { Config } from '../config/config.ts';
import { TerminalError } from '../errors.ts';
import type { Failure } from '../schema/common.ts';
import { ITERATION_MESSAGE_VERSION, iterationMessageSchema } from '../schema/iterationMessage.ts';
import type { RuntimeDeps } from './deps.ts';
import { ingestAlert } from './ingestAlert.ts';
import { type PubsubMessage, readPubsubEvent } from './pubsubEvent.ts';
import { rejectMessage } from './rejectMessage.ts';
import { runIteration } from './runIteration.ts';

/** `alerts` -> a session and its first iterations. */
export async function handleAlert(event: unknown, config: Config, deps: RuntimeDeps): Promise<void> {
  const reading = readPubsubEvent(event);
  if (!reading.ok) return rejectMessage('ingestAlert', undefined, reading.failure, deps);
  const { message } = reading;
  const outcome = await ingestAlert(message, config, deps).catch((error: unknown) => refusal(error));
  if (outcome.kind === 'refused') return rejectMessage('ingestAlert', message, outcome.failure, deps);
  const { kind, sessionId } = outcome;
  deps.log.info({ sessionId, messageId: message.messageId, outcome: kind }, 'alert accepted');
}

/** `iterations` -> one iteration of one execution. */
export async function handleIteration(event: unknown, deps: RuntimeDeps): Promise<void> {
  const reading = readPubsubEvent(event);
  if (!reading.ok) return rejectMessage('runIteration', undefined, reading.failure, deps);
  const { message } = reading;
  const parsed = parseIterationMessage(message);
  if (!parsed.ok) return rejectMessage('runIteration', message, parsed.failure, deps);

  const { sessionId, executionId, iteration } = parsed.message;
  const fields = { sessionId, executionId, iteration, traceparent: message.traceparent };
  try {
    const outcome = await runIteration(parsed.message, deps);
    if (outcome.kind === 'rejected') {
      const failure = {
        code: outcome.reason,
        message:
          outcome.reason === 'EXECUTION_UNKNOWN'
            ? `there is no execution ${executionId} in session ${sessionId}`
            : `iteration ${iteration} of execution ${executionId} was never scheduled`,
      };
      return await rejectMessage('runIteration', message, failure, deps);
    }
    const ended = outcome.kind === 'ran' ? { status: outcome.execution.status } : {};
    deps.log.info({ ...fields, ...ended, outcome: outcome.kind }, 'iteration handled');
  } catch (error) {
    const { failure } = refusal(error);
    await rejectMessage('runIteration', message, failure, deps);
  }
}

/** Terminal errors are recorded; everything else has the message delivered again. */
function refusal(error: unknown): { kind: 'refused'; failure: Failure } {
  // A document of a newer version: wait for the newer code, and write nothing meanwhile.
  if (error instanceof TerminalError && error.code !== 'SCHEMA_TOO_NEW') {
    return { kind: 'refused', failure: { code: error.code, message: error.message } };
  }
  throw error;
}

function parseIterationMessage(
  message: PubsubMessage,
): { ok: true; message: ReturnType<typeof iterationMessageSchema.parse> } | { ok: false; failure: Failure } {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(message.data).toString('utf8'));
  } catch {
    return failed('MESSAGE_MALFORMED', 'data: not JSON');
  }
  const parsed = iterationMessageSchema.safeParse(json);
  if (parsed.success) return { ok: true, message: parsed.data };
  const version =
    json !== null && typeof json === 'object' && 'schemaVersion' in json ? json.schemaVersion : undefined;
  if (version !== ITERATION_MESSAGE_VERSION) {
    return failed(
      'MESSAGE_SCHEMA_UNKNOWN',
      `schemaVersion is ${JSON.stringify(version)}, this code knows ${ITERATION_MESSAGE_VERSION}`,
    );
  }
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'data'}: ${issue.message}`);
  return failed('MESSAGE_MALFORMED', `not an iteration message: ${faults.join('; ')}`);
}

function failed(code: string, message: string): { ok: false; failure: Failure } {
  return { ok: false, failure: { code, message } };
}
