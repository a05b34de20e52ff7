// Stores an alert's fate. The id is equal for each delivery, so a redelivery adds no other.

import { type AlertFate, alertFateType } from '../../../alerts/schema/alertFate.ts';
import { createDocument, type Write } from '../../../core/contract/store.ts';
import { errorMessage, TerminalError } from '../../../core/errors.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import {
  DESTINATION_RACES,
  RACE_LOST,
  retryLostRaces,
} from '../../../core/kernel/documents/retryConflict.ts';
import { documentTitle } from '../../../core/schema/documentTitle.ts';
import { rawDocumentType } from '../../../core/schema/documentType.ts';
import { quoteText } from '../../../text/cut.ts';
import { makeVisible } from '../../../text/hiddenCharacters.ts';
import { fateId } from './fateId.ts';

/** A month, as long as the records of messages that were rejected. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_REASON = 1_000;
const MAX_WORD = 200;

/** A fate to store. Its texts are masked; they are made visible and cut here. */
export type NewFate = Omit<AlertFate, 'expireAt'> & {
  /** Identifies the message: hexadecimal digits. */
  key: string;
};

/** A fate with its id, as it is stored. */
export function fitFate({ key, ...fate }: NewFate, now: Date): { id: string; value: AlertFate } {
  const word = (text: string | null) => text && quoteText(makeVisible(text), MAX_WORD);
  const value: AlertFate = {
    ...fate,
    title: documentTitle(makeVisible(fate.title) || '(no text)'),
    messageId: quoteText(fate.messageId, MAX_WORD),
    source: word(fate.source),
    severity: word(fate.severity),
    subject: word(fate.subject),
    reason: quoteText(makeVisible(fate.reason), MAX_REASON) || '(no reason)',
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  return { id: fateId(fate.tenantId, fate.at, key), value };
}

/** The write that creates a fate. It fails if the message has one. */
export function fateWrite(fate: NewFate, now: Date): Write {
  const { id, value } = fitFate(fate, now);
  return createDocument(alertFateType.paths.alertFate(id), alertFateType, value);
}

/**
 * Stores a fate, unless the message has one.
 * @param also gives further writes for the same batch. When others keep changing them, the fate is stored
 * without them.
 * @returns whether this call stored it, with the further writes.
 * @throws RetryableError when the store fails.
 */
export async function storeFate(
  fate: NewFate,
  { store, clock, log }: Pick<StateDeps, 'store' | 'clock' | 'log'>,
  also: () => Promise<Write[]> = async () => [],
): Promise<boolean> {
  const created = fateWrite(fate, clock.now());
  try {
    const storeAll = async (): Promise<boolean | typeof RACE_LOST> => {
      const writes = await also();
      if ((await store.commit([created, ...writes])).ok) return true;
      const isThere = writes.length === 0 || (await store.get(created.path, rawDocumentType)) !== undefined;
      return isThere ? false : RACE_LOST;
    };
    return await retryLostRaces<boolean>('a fate', DESTINATION_RACES, storeAll, async () => {
      await store.commit([created]);
      const { messageId } = fate;
      log.warn({ messageId }, 'a rejected alert is not counted in messages: others are counted');
      return false;
    });
  } catch (error) {
    // The alert itself is handled; a document that cannot be encoded must not have it delivered forever.
    if (!(error instanceof TerminalError)) throw error;
    log.error({ err: error }, `the fate of an alert could not be stored: ${errorMessage(error)}`);
    return false;
  }
}
