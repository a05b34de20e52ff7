// The handling of a Pub/Sub event in every function: reads it, runs the work, and records messages that can
// never be accepted. Returning acks the message; throwing causes its redelivery.

import { randomBytes } from 'node:crypto';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { MaskerFor } from '../../core/contract/guard.ts';
import type { Logger } from '../../core/contract/logger.ts';
import { type ErrorCode, RetryableError, TerminalError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { withLogContext } from '../../core/kernel/logContext.ts';
import { type PubsubMessage, readPubsubEvent } from '../../core/kernel/pubsubEvent.ts';
import { type Failure, toStoredFailure } from '../../core/schema/common.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { rejectMessage } from './rejectMessage.ts';

/** Gets a rejected message without secrets, the message as it came, and the reason. */
export type OnRejected = (message: PubsubMessage, original: PubsubMessage, failure: Failure) => Promise<void>;

/**
 * Passes the message of an event to `work`. Records a terminal error of `work`, or an event that is not a
 * Pub/Sub message, as a rejected message of `functionName`.
 * @param rejected called for a rejected message before it is recorded.
 * @throws all other errors of `work`; RetryableError when a rejection cannot be stored.
 */
export async function receiveMessage(
  functionName: string,
  event: unknown,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'> &
    Partial<Pick<AlertDeps, 'maskerFor'>> &
    Pick<FeatureDeps, 'finishTelemetry'>,
  work: (message: PubsubMessage) => Promise<void>,
  rejected?: OnRejected,
): Promise<void> {
  const reading = readPubsubEvent(event);
  const traceparent = reading.ok ? reading.message.traceparent : null;
  const handle = async () => {
    if (!reading.ok) return rejectMessage(functionName, undefined, reading.failure, deps);
    try {
      await work(reading.message);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      const { message, failure } = await withoutSecrets(reading.message, error, deps.maskerFor);
      await rejected?.(message, reading.message, failure);
      await rejectMessage(functionName, message, failure, deps, reading.message.data.length);
    }
  };
  return withLogContext({ traceparent }, () =>
    handle()
      .catch((error: unknown) => {
        throw withLogLine(error, deps.log);
      })
      // A function is frozen after its response.
      .finally(() => deps.finishTelemetry?.()),
  );
}

/**
 * The message and the reason without secrets, for the record. Without a masker they are unchanged: only the
 * system itself writes such messages, never an alert or a tool.
 */
async function withoutSecrets(
  message: PubsubMessage,
  error: TerminalError,
  maskerFor: MaskerFor | undefined,
): Promise<{ message: PubsubMessage; failure: Failure }> {
  if (maskerFor === undefined) return { message, failure: toStoredFailure(error) };
  // No session has this key: the marks of a record can be compared only with each other.
  const masker = maskerFor(randomBytes(16).toString('hex'));
  const maskText = (text: string) => masker.mask(text).text;
  const mask = (text: string) => makeVisible(maskText(text));
  const attributes = Object.entries(message.attributes).map(([name, value]) => [mask(name), mask(value)]);
  const { text } = await masker.maskGradually(Buffer.from(message.data).toString('utf8'));
  const data = Buffer.from(makeVisible(text));
  return {
    message: { ...message, data, attributes: Object.fromEntries(attributes) },
    failure: toStoredFailure(error, maskText),
  };
}

/** Codes that many deliveries have in normal operation. */
const EXPECTED_CODES: readonly string[] = ['EXECUTION_BUSY', 'EXECUTION_WAITING'] satisfies ErrorCode[];

/** Turns a thrown error's stack, which the framework prints, into a log line with trace and severity. */
function withLogLine(thrown: unknown, log: Logger): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (!(error instanceof RetryableError)) {
    const fields = { err: error, stack_trace: error.stack };
    error.stack = log.format?.('error', fields, `unexpected: ${error.message}`) ?? error.message;
  } else {
    const { code, retryAfterMs } = error;
    const level = EXPECTED_CODES.includes(code) ? 'debug' : 'warn';
    error.stack =
      log.format?.(level, { err: error, retryAfterMs }, `${code}: ${error.message}`) ?? error.message;
  }
  return error;
}
