// What every function does with a Pub/Sub event: read it, do its work, record what can never be accepted.
// Returning acks the message; throwing has it delivered again.

import { type ErrorCode, RetryableError, TerminalError } from '../../errors.ts';
import { type Logger, withLogContext } from '../../log.ts';
import { failureOf } from '../../schema/common.ts';
import type { StateDeps } from '../deps.ts';
import { type PubsubMessage, readPubsubEvent } from './pubsubEvent.ts';
import { rejectMessage } from './rejectMessage.ts';

/**
 * Gives the message of an event to `work`. A terminal error of it is recorded as a rejected message of `functionName`,
 * and so is an event that is no Pub/Sub message.
 * @throws whatever else `work` throws; RetryableError when a rejection cannot be stored.
 */
export async function receiveMessage(
  functionName: string,
  event: unknown,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'>,
  work: (message: PubsubMessage) => Promise<void>,
): Promise<void> {
  const reading = readPubsubEvent(event);
  const traceparent = reading.ok ? reading.message.traceparent : null;
  const handle = async () => {
    if (!reading.ok) return rejectMessage(functionName, undefined, reading.failure, deps);
    try {
      await work(reading.message);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      await rejectMessage(functionName, reading.message, failureOf(error), deps);
    }
  };
  return withLogContext({ traceparent }, () =>
    handle().catch((error: unknown) => {
      throw withLogLine(error, deps.log);
    }),
  );
}

/** Codes that many deliveries have while everything is well. */
const EXPECTED_CODES: readonly string[] = ['EXECUTION_BUSY', 'EXECUTION_WAITING'] satisfies ErrorCode[];

/** The framework prints the stack of what is thrown. It becomes a line of log, with the trace and a severity of its own. */
function withLogLine(thrown: unknown, log: Logger): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (!(error instanceof RetryableError)) {
    const fields = { err: error, stack_trace: error.stack };
    error.stack = log.format('error', fields, `unexpected: ${error.message}`);
  } else {
    const { code, retryAfterMs } = error;
    const level = EXPECTED_CODES.includes(code) ? 'debug' : 'warn';
    error.stack = log.format(level, { err: error, retryAfterMs }, `${code}: ${error.message}`);
  }
  return error;
}
