// Records a message that can never be accepted, so that it can be acked: redelivery cannot help, and a
// message that is nacked forever slows all others. All messages of an hour with the same reason share a
// document, so that a flood of them does not create a flood of documents.

import { TerminalError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { Failure } from '../../core/schema/common.ts';
import { cutText, quoteText } from '../../text/cut.ts';
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

/**
 * Records a message as rejected by `functionName`: counts it, and keeps it if it is among the first of its
 * hour. A process that dies in between leaves a count without a sample; the log has every message.
 * @param dataBytes size of the original data, when `message` holds a replacement.
 * @throws RetryableError when the store fails: the message is delivered again then, and can be counted twice.
 */
export async function rejectMessage(
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

/** Attributes by which `erase` finds the samples of a tenant and of a session: they are never cut off. */
const OWNERS = ['tenant', 'sessionId'];

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
