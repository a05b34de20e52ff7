// Checks each batch: what its function announces causes the same messages as its documents do, and no message
// that is stored.

import { type Notify, notifyPart } from '../../shared/config/notified.ts';
import type { Announce } from '../../shared/core/contract/announce.ts';
import type { CommitResult, Store, Write } from '../../shared/core/contract/store.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { planDeliveries } from '../../shared/features/deliveries/outbox/announceDeliveries.ts';
import { type Delivery, unsentProgress } from '../../shared/kits/deliveries/delivery.ts';
import { paths } from '../../shared/lists/documents.ts';
import { type Change, changeIn } from '../support/outboxStore.ts';
import type { Announcements, Invocation } from './record.ts';
import type { World } from './world.ts';

/** All events of a session. */
const EVENTS = ['opened', 'approval', 'ended', 'failed', 'deferred', 'resolved', 'outcome'];
/** Destinations of all sessions: one for every message, and one that depends on the verdict. */
const NOTIFY: Notify[] = [
  { to: 'all', when: EVENTS, digestMs: null },
  { to: 'sure', when: EVENTS, verdict: ['confirmed', 'likely'], digestMs: null },
];

/** Notes what a batch announces, and commits it: no message is written in the run. */
export function noteAnnouncement({ changes }: Announcements): Announce {
  return (before, after, batch, store) => {
    changes.set(batch, { before, after });
    return store.commit(batch);
  };
}

/** Commits a batch, and checks its announcement if it was written. */
export async function commitChecked(
  writes: Write[],
  { target }: Invocation,
  commit: () => Promise<CommitResult>,
  world: World,
): Promise<CommitResult> {
  // A migration changes the form of documents, and announces nothing.
  if (target === 'migrate') return commit();
  const { changes, stored } = world.announcements;
  const announced = await messagesOf(changes.get(writes) ?? { before: {}, after: {} }, world);
  const caused = await messagesOf(await changeIn(writes, readsOf(world)), world);
  const result = await commit();
  if (!result.ok) return result;
  const violate = (detail: string) => void world.record.violations.push(`announce: ${target}: ${detail}`);
  if (announced.join() !== caused.join())
    violate(`[${announced.join(' ')}] is announced, and the batch causes [${caused.join(' ')}]`);
  for (const path of caused) {
    if (stored.has(path)) violate(`${path} is stored already, so that its batch would be refused`);
    stored.add(path);
  }
  return result;
}

/** The paths of the messages that a change causes. */
async function messagesOf({ before, after }: Change, world: World): Promise<string[]> {
  const { session } = after;
  const notifying = { ...after, ...(session && { session: withDestinations(session) }) };
  const now = new Date(world.time.now());
  const { writes } = await planDeliveries(before, notifying, readsOf(world), now);
  return writes.map(({ path }) => path).sort();
}

const withDestinations = (session: Session): Session => withPart(notifyPart, session, { notify: NOTIFY });

/**
 * Reads of the stored documents, with destinations in each session, and the messages so far. Every question
 * awaits an answer.
 */
function readsOf({ reader, announcements }: World): Pick<Store, 'get'> {
  return {
    async get(path, type) {
      const [, sessionId = '', collection, id = ''] = path.split('/');
      if (collection !== 'deliveries') {
        const found = await reader.get(path, type);
        const isSession = found !== undefined && path === paths.session(sessionId);
        return isSession
          ? { ...found, value: withDestinations(found.value as Session) as typeof found.value }
          : found;
      }
      const isAnswer = id.split('.')[1] === 'answer';
      if (announcements.stored.has(path) === isAnswer) return undefined;
      return {
        path,
        id,
        value: awaited(sessionId, id) as never,
        version: '' as never,
        updatedAt: new Date(0),
      };
    },
  };
}

/** A message that waits for the end of its question. */
function awaited(sessionId: string, id: string): Delivery {
  const [destination = '', event = '', key = ''] = id.split('.');
  const at = new Date(0);
  const own = { sessionId, destination, event, key, isRepeated: false, expireAt: at, createdAt: at };
  return { ...own, ...unsentProgress(at), state: 'awaited' };
}
