// Stores a press or a mention before its request is answered, and requests that `deliver` handles it.

import type { Statement } from '../../../core/contract/signatures.ts';
import { createDocument, replaceDocument, type Stored, type Write } from '../../../core/contract/store.ts';
import { errorMessage } from '../../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../../core/kernel/deps.ts';
import { type InboxEntry, inboxEntryType } from '../../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../../kits/deliveries/deliveryMessage.ts';

/** How long an entry is kept: longer than a signed request can be repeated, and than an approval waits. */
const KEEP_MS = 24 * 3_600_000;
/** When the sweep requests an entry whose request was lost. */
const LOST_AFTER_MS = 30_000;

/** A press or a mention, as the request names it. */
export type Received = Pick<InboxEntry, 'destinations' | 'content' | 'userId' | 'team' | 'message'>;

/**
 * Stores an entry. A copy of it is stored once.
 * @param id digest of the request.
 * @throws RetryableError when the store fails: nothing is stored, or it is unknown. A request that is not
 *   published is found by the sweep.
 */
export async function storeEntry(
  id: string,
  received: Received,
  {
    store,
    clock,
    publisher,
    log,
    sign,
  }: Pick<StateDeps, 'store' | 'clock' | 'publisher' | 'log'> & Pick<AlertDeps, 'sign'>,
): Promise<void> {
  const now = clock.now();
  const press = pressStatement(id, received);
  const entry: InboxEntry = {
    ...received,
    signature: (press && (await sign?.(press))) ?? null,
    state: 'pending',
    outcome: null,
    dueAt: new Date(now.getTime() + LOST_AFTER_MS),
    expireAt: new Date(now.getTime() + KEEP_MS),
    createdAt: now,
  };
  const { ok } = await store.commit([
    createDocument(inboxEntryType.paths.inboxEntry(id), inboxEntryType, entry),
  ]);
  if (!ok) return;
  await publishDelivery(publisher, { inboxId: id }).catch((error: unknown) => {
    log.warn({ err: error }, `the sweep handles a press or mention: ${errorMessage(error)}`);
  });
}

/** The statement about a press that the API verified; undefined for a mention. @param id of its entry. */
export function pressStatement(
  id: string,
  { content, destinations, userId, team, message }: Received,
): Statement | undefined {
  if (content.kind !== 'press') return undefined;
  const { verdict, value } = content;
  return { kind: 'press', fields: [id, verdict, value, userId, team, message, ...destinations] };
}

/** The write that ends an entry, without its text: the session keeps guidance and questions, masked. */
export function doneWrite({ path, value, version }: Stored<InboxEntry>, outcome: string): Write {
  const { content } = value;
  const done: InboxEntry = {
    ...value,
    content: content.kind === 'mention' ? { ...content, text: '' } : content,
    state: 'done',
    outcome,
    dueAt: null,
  };
  return replaceDocument(path, inboxEntryType, done, version);
}
