// A person repeats a message that was refused or is unknown. Programs never repeat an unknown one.

import { isHeld, leaseIn } from '../../core/contract/lease.ts';
import { replaceDocument, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { type Delivery, deliveryType, threadType } from '../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../kits/deliveries/deliveryMessage.ts';
import { isShownByRoot } from './planThread.ts';

/** The outcome of a request. `busy`: a process sends messages of the session now, or changed one. */
type SendAgainOutcome =
  | { kind: 'requested'; delivery: Delivery }
  | { kind: 'unknown' | 'busy' }
  /** Its state is neither `failed` nor `unknown`. */
  | { kind: 'refused'; delivery: Delivery };

/**
 * Makes a failed or unknown message due now, with all its attempts. An unknown one is marked "possibly
 * repeated". A destination whose circuit is closed gets it at once.
 * @param deliveryId id of its document.
 * @throws RetryableError when the store fails. A request that is not published is found by the sweep.
 */
export async function resendMessage(
  sessionId: string,
  deliveryId: string,
  { store, clock, publisher, log }: Pick<StateDeps, 'store' | 'clock' | 'publisher' | 'log'>,
): Promise<SendAgainOutcome> {
  const stored = await store.get(`${deliveryType.paths.deliveries(sessionId)}/${deliveryId}`, deliveryType);
  if (stored === undefined) return { kind: 'unknown' };
  const { destination, state } = stored.value;
  if (state !== 'failed' && state !== 'unknown') return { kind: 'refused', delivery: stored.value };
  const thread = await store.get(threadType.paths.thread(sessionId, destination), threadType);
  const now = clock.now();
  if (thread !== undefined && isHeld(leaseIn(thread.value), now)) return { kind: 'busy' };
  const delivery: Delivery = {
    ...stored.value,
    state: 'pending',
    dueAt: now,
    attempts: 0,
    isDoubtful: false,
    probes: 0,
    probedAt: null,
    isRepeated: stored.value.isRepeated || state === 'unknown',
  };
  const writes: Write[] = [replaceDocument(stored.path, deliveryType, delivery, stored.version)];
  // An unknown first message keeps others back; this one replaces it, and has them below it again.
  if (thread?.value.root === 'unknown' && isShownByRoot(delivery)) {
    writes.push(replaceDocument(thread.path, threadType, { ...thread.value, root: 'none' }, thread.version));
    const query = { collection: deliveryType.paths.deliveries(sessionId), idPrefix: `${destination}.` };
    for (const { path, value, version } of await store.list(query, deliveryType)) {
      if (value.state !== 'skipped' || (value.event !== 'details' && value.event !== 'approval')) continue;
      const due: Delivery = { ...value, state: 'pending', dueAt: now };
      writes.push(replaceDocument(path, deliveryType, due, version));
    }
  }
  const { ok } = await store.commit(writes);
  if (!ok) return { kind: 'busy' };
  await publishDelivery(publisher, { sessionId, destination, isAsked: true }).catch((error: unknown) => {
    log.warn({ err: error, sessionId, destination }, 'the sweep sends the message');
  });
  return { kind: 'requested', delivery };
}
