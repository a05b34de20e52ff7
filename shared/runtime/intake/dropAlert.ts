// Counts an alert that a rule drops. All of a day for the same rule share a document, so that a storm of them does not
// become a storm of documents.

import { droppedAlertsType, paths } from '../../schema/documents.ts';
import { type DroppedAlert, MAX_DROPPED_EXAMPLES } from '../../schema/droppedAlerts.ts';
import type { Alert } from '../../schema/session.ts';
import { cutToCharacters, quote } from '../../text/quote.ts';
import { dayOf } from '../../text/utcPeriod.ts';
import type { StateDeps } from '../kernel/deps.ts';
import type { MessageTriage } from './message/triageMessage.ts';

/** A month, as long as messages that were rejected. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_TITLE = 300;

/**
 * Counts an alert as dropped, and keeps its title if it is among the first of its day.
 * @returns the path of the document that counts.
 * @throws RetryableError when the store does not answer: then the message is delivered again, and may count twice.
 */
export async function dropAlert(
  messageId: string,
  alert: Pick<Alert, 'source' | 'title'>,
  { rule, text }: Pick<MessageTriage, 'rule' | 'text'>,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<string> {
  const at = clock.now();
  const day = dayOf(at);
  const path = paths.droppedAlertsOf(day, rule);
  const last: DroppedAlert = {
    messageId: cutToCharacters(messageId, 200),
    source: alert.source,
    title: quote(alert.title, MAX_TITLE),
    at,
  };
  const expireAt = new Date(at.getTime() + KEEP_MS);
  const add = (count: number, examples: DroppedAlert[]): Promise<number> =>
    store.increment(path, droppedAlertsType, { rule, day, count, text, examples, last, expireAt }, 'count');
  if ((await add(1, [])) <= MAX_DROPPED_EXAMPLES) await add(0, [last]);
  return path;
}
