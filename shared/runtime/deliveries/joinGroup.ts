// Lets a group stand for a session instead of a message of its own.

import { replaceDocument, type Stored } from '../../contract/store.ts';
import { deliveryType } from '../../schema/documents.ts';
import type { Delivery } from '../../schema/features/delivery.ts';
import { publishDelivery } from '../features/outbox/deliveryMessage.ts';
import { digestOf, type GroupPlace, groupWrite, stormOf, takeRoot } from './groups.ts';
import type { StepResult, Work } from './work.ts';

/** The group that stands for the session: its digest, or the storm of this hour; undefined for a message of its own. */
export async function groupOf(
  { destination, event, firstSentAt }: Delivery,
  { session, configured, deps }: Work,
): Promise<GroupPlace | 'none' | undefined> {
  const now = deps.clock.now();
  const digestMs = session.notify.find(({ to }) => to === destination)?.digestMs ?? null;
  if (digestMs !== null) return event === 'opened' ? 'none' : digestOf(destination, digestMs, now);
  // Programs get every message: a count would hide events from them.
  if (configured.destination.capabilities.isRepeatSafe) return undefined;
  if (firstSentAt !== null || (await takeRoot(destination, deps))) return undefined;
  return stormOf(destination, now);
}

/** Attempts to add a session to a group that others change. */
const GROUP_RACES = 8;

/** Lets a group stand for the session, and requests its message. @param group `none` if nothing is shown of the event. */
export async function joinGroup(
  group: GroupPlace | 'none',
  document: Stored<Delivery>,
  delivery: Delivery,
  { held, session, configured, deps }: Work,
): Promise<StepResult> {
  const skipped: Delivery = { ...delivery, state: 'skipped', dueAt: null };
  const write = replaceDocument(document.path, deliveryType, skipped, document.version);
  const { timeoutMs } = configured.destination;
  if (group === 'none') return (await held.commit({}, [write], timeoutMs)) === undefined ? 'lost' : 'again';
  const root = group.kind === 'storm' ? 'grouped' : 'digest';
  for (let race = 0; race < GROUP_RACES; race++) {
    const joined = await groupWrite(group, session.sessionId, deps);
    if ((await held.commit({ root }, [write, joined], timeoutMs)) === undefined) continue;
    if (joined.op === 'create' && group.kind === 'storm')
      await publishDelivery(deps.publisher, { groupId: group.groupId });
    return 'again';
  }
  return 'lost';
}
