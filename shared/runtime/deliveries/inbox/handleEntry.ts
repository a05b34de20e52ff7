// Handles a press or a mention that the API stored. It is done when its result is stored; until then it is requested again.

import type { ChatPerson } from '../../../contract/destination.ts';
import type { Stored } from '../../../contract/store.ts';
import { inboxEntryType, paths } from '../../../schema/documents.ts';
import type { InboxEntry } from '../../../schema/features/delivery.ts';
import { answerMention } from './answerMention.ts';
import { decidePress, type PressResult } from './decidePress.ts';
import type { InboxDeps } from './deps.ts';
import { doneWrite } from './storeEntry.ts';

/**
 * Handles an entry once. A process that dies after the decision handles it again, with the same result.
 * @throws RetryableError when it must be handled later.
 */
export async function handleEntry(id: string, deps: InboxDeps): Promise<void> {
  const stored = await deps.store.get(paths.inboxEntry(id), inboxEntryType);
  if (stored === undefined || stored.value.state === 'done') return;
  const { content, destinations, message, ...entry } = stored.value;
  const person = { userId: entry.userId, team: entry.team };
  const result =
    content.kind === 'press'
      ? await decidePress({ ...content, person, destinations }, deps)
      : await answerMention({ ...content, person, destinations }, stored, deps);
  await finishEntry(stored, result, deps);
  await reportReason(result, person, message, deps);
}

async function finishEntry(
  stored: Stored<InboxEntry>,
  { outcome, destination }: PressResult,
  { store, log }: InboxDeps,
): Promise<void> {
  // Another process has ended it, or the batch of the question has.
  await store.commit([doneWrite(stored, outcome)]);
  log.info({ destination, outcome, kind: stored.value.content.kind }, 'a press or mention was handled');
}

/** Shows the reason to the person only: a button without an effect would be pressed again. */
async function reportReason(
  { destination, reason }: PressResult,
  person: ChatPerson,
  message: string,
  deps: InboxDeps,
): Promise<void> {
  if (reason === null || destination === undefined) return;
  const configured = await deps.destinations(destination);
  await configured?.destination.notifyPerson?.(person, message, reason);
}
