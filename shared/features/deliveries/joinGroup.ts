// Lets a group stand for a session instead of a message of its own.

import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { DESTINATION_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { type Delivery, deliveryType } from '../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../kits/deliveries/deliveryMessage.ts';
import type { DeliverDeps } from './deps.ts';
import { addMember, deleteMember, type GroupPlace, groupAt, groupWrite } from './messageGroups.ts';
import type { StepResult, Work } from './threadWork.ts';

const HOUR_MS = 3_600_000;

/** This hour's count for the session; undefined: own message. @param ask `hasRoot` or `takeRoot`. */
export async function stormOfSession(
  { destination, firstSentAt }: Delivery,
  { configured, deps }: Work,
  ask: (destination: string, deps: DeliverDeps) => Promise<boolean>,
): Promise<GroupPlace | undefined> {
  const { isRepeatSafe, isPerAlert = false, update } = configured.destination.capabilities;
  // Programs get every message: a count would hide events. Places of single alerts have no count.
  if (isRepeatSafe || isPerAlert) return undefined;
  if (firstSentAt !== null || (await ask(destination, deps))) return undefined;
  return groupAt({ kind: 'storm', destination, isEdited: update, periodMs: HOUR_MS }, deps.clock.now());
}

/** Adds the session to a group, and requests its message. @param group `none`: the event is not shown. */
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
  let place = group;
  const join = async (): Promise<StepResult | typeof RACE_LOST> => {
    await addMember(place.groupId, session.sessionId, deps);
    const joined = await groupWrite(place, session.sessionId, deps);
    if (joined === undefined) {
      await deps.store.commit([deleteMember(place.groupId, session.sessionId)]);
      place = groupAt(place, new Date(Math.max(place.dueAt.getTime(), deps.clock.now().getTime())));
      return RACE_LOST;
    }
    if (joined !== 'none' && !(await deps.store.commit([joined])).ok) return RACE_LOST;
    if ((await held.commit({ root }, [write], timeoutMs)) === undefined) return 'lost';
    if (joined !== 'none' && joined.op === 'create' && place.isEdited)
      await publishDelivery(deps.publisher, { groupId: place.groupId });
    return 'again';
  };
  return retryLostRaces<StepResult>(`group ${group.groupId}`, DESTINATION_RACES, join, () => 'lost');
}
