// Handles a press or mention that the API stored. It is repeated until its result is stored.

import type { ChatPerson } from '../../../contract/destination.ts';
import type { Stored } from '../../../core/contract/store.ts';
import { type InboxEntry, inboxEntryType } from '../../../kits/deliveries/delivery.ts';
import type { InboxResult } from '../../../kits/deliveries/mentionTaker.ts';
import { answerMention } from './answerMention.ts';
import { decidePress } from './decideByButton.ts';
import type { InboxDeps } from './deps.ts';
import { doneWrite, pressStatement } from './storeEntry.ts';

/**
 * Handles an entry once. A process that dies after the decision handles it again, with the same result.
 * @throws RetryableError when it must be handled later.
 */
export async function handleEntry(id: string, deps: InboxDeps): Promise<void> {
  const stored = await deps.store.get(inboxEntryType.paths.inboxEntry(id), inboxEntryType);
  if (stored === undefined || stored.value.state === 'done') return;
  const { content, destinations, message, ...entry } = stored.value;
  const person = { userId: entry.userId, team: entry.team };
  const result =
    content.kind === 'press'
      ? isVerified(id, stored.value, deps)
        ? await decidePress({ ...content, person, destinations }, deps)
        : UNSIGNED
      : await answerMention({ ...content, person, destinations, message }, stored, deps);
  await finishEntry(stored, result, deps);
  await reportReason(result, person, message, deps);
}

/** Whether the API stored the press: a document in the database is no proof of a decision. */
function isVerified(id: string, entry: InboxEntry, { verify, log }: InboxDeps): boolean {
  const press = pressStatement(id, entry);
  const isValid = press !== undefined && verify?.(press, entry.signature) === true;
  if (!isValid) log.error({ inboxId: id }, 'a press without a valid signature of the API was ignored');
  return isValid;
}

const UNSIGNED: InboxResult = { outcome: 'unsigned', destination: undefined, reason: null };

async function finishEntry(
  stored: Stored<InboxEntry>,
  { outcome, destination }: InboxResult,
  { store, log }: InboxDeps,
): Promise<void> {
  // Another process has ended it, or the batch of the question has.
  await store.commit([doneWrite(stored, outcome)]);
  log.info({ destination, outcome, kind: stored.value.content.kind }, 'a press or mention was handled');
}

/** Shows the reason to the person only: a button without an effect would be pressed again. */
async function reportReason(
  { destination, reason }: InboxResult,
  person: ChatPerson,
  message: string,
  deps: InboxDeps,
): Promise<void> {
  if (reason === null || destination === undefined) return;
  const configured = await deps.destinations(destination);
  await configured?.destination.notifyPerson?.(person, message, reason);
}
