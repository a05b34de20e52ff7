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
import { cutText, quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { utcHour } from '../../text/utcPeriod.ts';
import { MAX_REJECTED_SAMPLES, type RejectedSample, rejectedMessageType } from './rejectedMessage.ts';

/**
 * Excerpt length of the content and of the reason: enough to recognise a message, far below the limit of a
 * document.
 */
const EXCERPT_CHARACTERS = 2_000;
/** 30 days, the time for an operator to look into it. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_ATTRIBUTES = 20;
/** UTF-8 bytes of all attributes of a message. All samples together fit a document. */
const ATTRIBUTES_BYTES = 10_000;
/** Attributes by which `erase` finds the samples of a tenant and of a session: they are never cut off. */
const OWNERS = ['tenant', 'sessionId'];

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

// Records a message that can never be accepted, so that it can be acked: redelivery cannot help, and a
// message that is nacked forever slows all others. All messages of an hour with the same reason share a
// document, so that a flood of them does not create a flood of documents.

/**
 * Records a message as rejected by `functionName`: counts it, and keeps it if it is among the first of its
 * hour. A process that dies in between leaves a count without a sample; the log has every message.
 * @param dataBytes size of the original data, when `message` holds a replacement.
 * @throws RetryableError when the store fails: the message is delivered again then, and can be counted twice.
 */
async function rejectMessage(
  functionName: string,
  message: PubsubMessage | undefined,
  { code, message: why }: Failure,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'>,
  dataBytes = message?.data.length ?? 0,
): Promise<void> {
  const now = deps.clock.now();
  const data = Buffer.from(message?.data ?? []);
  const messageId = message?.messageId ?? `unreadable-${now.getTime()}`;
  const reason = quoteText(why, EXCERPT_CHARACTERS);
  deps.log.warn({ function: functionName, messageId, code }, `rejected: ${reason}`);

  const sample: RejectedSample = {
    messageId: cutText(messageId, 200),
    reason,
    attributes: storableAttributes(message?.attributes ?? {}),
    dataBytes,
    excerpt: cutText(data.toString('utf8', 0, EXCERPT_CHARACTERS * 4), EXCERPT_CHARACTERS),
    at: now,
  };
  const hour = utcHour(now);
  const add = (count: number, samples: RejectedSample[]): Promise<number> => {
    const expireAt = new Date(now.getTime() + KEEP_MS);
    const rejected = { function: functionName, hour, code, count, samples, expireAt };
    const path = rejectedMessageType.paths.rejectedMessage(functionName, hour, code);
    return deps.store.increment(path, rejectedMessageType, rejected, 'count');
  };
  try {
    if ((await add(1, [])) <= MAX_REJECTED_SAMPLES) await add(0, [sample]);
  } catch (error) {
    // A message that cannot be recorded must not be redelivered forever; the log has it.
    if (!(error instanceof TerminalError)) throw error;
    deps.log.error(
      { function: functionName, messageId, err: error },
      'a rejected message could not be stored',
    );
  }
}

/** Senders choose attribute names; Firestore reserves some and refuses empty ones. */
function storableAttributes(attributes: Record<string, string>): Record<string, string> {
  const entries = Object.entries(attributes)
    .sort(([a], [b]) => Number(OWNERS.includes(b)) - Number(OWNERS.includes(a)))
    .slice(0, MAX_ATTRIBUTES)
    .map(([name, value]): [string, string] => [
      cutText(name.replace(/^_+|_+$/g, ''), 100) || '_',
      cutText(value, 1_000),
    ]);
  let left = ATTRIBUTES_BYTES;
  return Object.fromEntries(
    entries.filter(([name, value]) => {
      left -= Buffer.byteLength(name) + Buffer.byteLength(value);
      return left >= 0;
    }),
  );
}
