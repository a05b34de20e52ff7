// Records a message that can never be accepted, so that it can be acked: redelivery cannot help, and a message that is
// nacked for ever slows every other one.

import { createHash } from 'node:crypto';
import { create } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import type { Failure } from '../../schema/common.ts';
import { paths, rejectedMessageType } from '../../schema/documents.ts';
import type { RejectedMessage } from '../../schema/rejectedMessage.ts';
import { cutToCharacters, quote } from '../../text/quote.ts';
import type { StateDeps } from '../deps.ts';
import type { PubsubMessage } from './pubsubEvent.ts';

/** Of the content and of the reason: enough to recognise a message, far below what a document holds. */
const EXCERPT_CHARACTERS = 2_000;
/** A month, for someone to look into it. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_ATTRIBUTES = 20;

/**
 * Records a message as rejected by `functionName`. A second record of the same message changes nothing.
 * @param dataBytes of what was sent, when `message` holds something else in its place.
 * @throws RetryableError when the store does not answer: then the message is delivered again.
 */
export async function rejectMessage(
  functionName: string,
  message: PubsubMessage | undefined,
  failure: Failure,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'>,
  dataBytes = message?.data.length ?? 0,
): Promise<void> {
  const now = deps.clock.now();
  const data = Buffer.from(message?.data ?? []);
  const messageId = message?.messageId ?? `unreadable-${now.getTime()}`;
  const reason = { code: failure.code, message: quote(failure.message, EXCERPT_CHARACTERS) };
  deps.log.warn({ function: functionName, messageId, code: reason.code }, `rejected: ${reason.message}`);

  const rejected: RejectedMessage = {
    function: functionName,
    messageId,
    failure: reason,
    attributes: storableAttributes(message?.attributes ?? {}),
    dataBytes,
    excerpt: cutToCharacters(data.toString('utf8', 0, EXCERPT_CHARACTERS * 4), EXCERPT_CHARACTERS),
    createdAt: now,
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  // Message ids repeat when an emulator starts anew; the content distinguishes the messages.
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 8);
  const path = paths.rejectedMessage(functionName, `${messageId}-${digest}`);
  try {
    await deps.store.commit([create(path, rejectedMessageType, rejected)]);
  } catch (error) {
    // A message that cannot even be recorded must not be delivered for ever; the log has it.
    if (!(error instanceof TerminalError)) throw error;
    deps.log.error(
      { function: functionName, messageId, err: error },
      'a rejected message could not be stored',
    );
  }
}

/** Attribute names are the sender's; Firestore reserves some, and refuses empty ones. */
function storableAttributes(attributes: Record<string, string>): Record<string, string> {
  const entries = Object.entries(attributes).slice(0, MAX_ATTRIBUTES);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      cutToCharacters(name.replace(/^_+|_+$/g, ''), 100) || '_',
      cutToCharacters(value, 1_000),
    ]),
  );
}
