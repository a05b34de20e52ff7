// What every function does with a Pub/Sub event: read it, do its work, record what can never be accepted.
// Returning acks the message; throwing has it delivered again.

import { RetryableError, TerminalError } from '../../errors.ts';
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
  if (!reading.ok) return rejectMessage(functionName, undefined, reading.failure, deps);
  const { message } = reading;
  try {
    await work(message);
  } catch (error) {
    if (error instanceof TerminalError) {
      return rejectMessage(functionName, message, failureOf(error), deps);
    }
    // The framework prints what is thrown, and for an error that is expected one line is enough.
    if (error instanceof RetryableError) error.stack = `${error.code}: ${error.message}`;
    throw error;
  }
}
