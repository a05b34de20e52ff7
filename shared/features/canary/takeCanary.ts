// Recognises the canary among the messages of the topic of alerts, and records its arrival in one document.

import { createHash, timingSafeEqual } from 'node:crypto';
import { TOPICS } from '../../core/contract/publisher.ts';
import { replaceDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { AlertTaker } from '../../kits/alerts/alertTaker.ts';
import { canaryType } from '../../kits/messages/canary.ts';
import { CANARY_BODY, canaryExpiry, SENT_ATTRIBUTE, TOKEN_ATTRIBUTE } from './canaryMessage.ts';

/** Takes the canary from the topic of alerts. */
export const CANARY_TAKER: AlertTaker = async (message, _config, deps) => {
  const canaryDelayMs = await takeCanary(message, deps);
  if (canaryDelayMs === undefined) return false;
  deps.log.info({ messageId: message.messageId, canaryDelayMs }, 'canary arrived');
  return true;
};

/**
 * Records the arrival of a canary. A message is one only if it has the exact body of a canary and the token
 * of this installation, which only its database and its topic contain: any other message is an alert.
 * @returns the milliseconds since it was sent; undefined if the message is no canary.
 * @throws RetryableError when the store fails.
 */
export async function takeCanary(
  { data, attributes }: PubsubMessage,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<number | undefined> {
  const { [TOKEN_ATTRIBUTE]: token, [SENT_ATTRIBUTE]: sent = '' } = attributes;
  const sentAt = new Date(sent);
  if (token === undefined || Number.isNaN(sentAt.getTime()) || !CANARY_BODY.equals(data)) return undefined;
  const path = canaryType.paths.canary(TOPICS.alerts);
  return retryLostRaces<number | undefined>('the canary', DOCUMENT_RACES, async () => {
    const stored = await store.get(path, canaryType);
    if (stored === undefined || !isSameCanary(token, stored.value.token)) return undefined;
    const now = clock.now();
    const delayMs = now.getTime() - sentAt.getTime();
    const { arrivedSentAt } = stored.value;
    // A late one, a redelivery, or a time that no sweep has written.
    if ((arrivedSentAt !== null && sentAt <= arrivedSentAt) || sentAt > stored.value.sentAt) return delayMs;
    const arrived = { arrivedSentAt: sentAt, arrivedAt: now, expireAt: canaryExpiry(now) };
    const write = replaceDocument(path, canaryType, { ...stored.value, ...arrived }, stored.version);
    return (await store.commit([write])).ok ? delayMs : RACE_LOST;
  });
}

/** Compares in constant time. */
function isSameCanary(given: string, known: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(known));
}
