// Stores the fate of an alert. The id is the same for each delivery of a message, so that a redelivery adds no second one.

import { createDocument } from '../../../contract/store.ts';
import { errorMessage, TerminalError } from '../../../errors.ts';
import { alertFateType, paths } from '../../../schema/documents.ts';
import { documentTitle } from '../../../schema/documentTitle.ts';
import type { AlertFate } from '../../../schema/features/alertFate.ts';
import { quoteText } from '../../../text/quote.ts';
import { makeVisible } from '../../../text/visible.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { fateId } from '../../views/alerts/fateId.ts';

/** A month, as long as the records of messages that were rejected. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_REASON = 1_000;
const MAX_WORD = 200;

/** A fate to store. Its texts are masked; they are made visible and cut here. */
export type NewFate = Omit<AlertFate, 'expireAt'> & {
  /** Identifies the message: hexadecimal digits. */
  key: string;
};

/**
 * Stores a fate, unless the message has one.
 * @throws RetryableError when the store fails.
 */
export async function storeFate(
  { key, ...fate }: NewFate,
  { store, clock, log }: Pick<StateDeps, 'store' | 'clock' | 'log'>,
): Promise<void> {
  const word = (text: string | null) => text && quoteText(makeVisible(text), MAX_WORD);
  const value: AlertFate = {
    ...fate,
    title: documentTitle(makeVisible(fate.title) || '(no text)'),
    messageId: quoteText(fate.messageId, MAX_WORD),
    source: word(fate.source),
    severity: word(fate.severity),
    subject: word(fate.subject),
    reason: quoteText(makeVisible(fate.reason), MAX_REASON) || '(no reason)',
    expireAt: new Date(clock.now().getTime() + KEEP_MS),
  };
  const path = paths.alertFate(fateId(fate.tenantId, fate.at, key));
  try {
    await store.commit([createDocument(path, alertFateType, value)]);
  } catch (error) {
    // The alert itself is handled; a document that cannot be encoded must not have it delivered forever.
    if (!(error instanceof TerminalError)) throw error;
    log.error({ err: error }, `the fate of an alert could not be stored: ${errorMessage(error)}`);
  }
}
