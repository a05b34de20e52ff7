// A thread that this process works on, and the result of each step.

import type { ConfiguredDestination } from '../../contract/destination.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import type { Session } from '../../core/schema/session.ts';
import { type Delivery, deliveryType, type Thread } from '../../kits/deliveries/delivery.ts';
import type { DeliverDeps } from './deps.ts';
import type { ThreadAction } from './planThread.ts';
import type { HeldThread } from './threadLease.ts';

/** A thread with everything that its messages need. */
export interface Work {
  held: HeldThread;
  configured: ConfiguredDestination;
  session: Session;
  deps: DeliverDeps;
}

/** A message to send. */
export type Attempt = Extract<ThreadAction, { kind: 'attempt' }>;

/** `again`: the next message can be due. `waits`: nothing is due. `lost`: another process has the thread. */
export type StepResult = 'again' | 'waits' | 'lost';

/** Stores a message together with a change of its thread. */
export async function storeMessage(
  document: Stored<Delivery>,
  delivery: Delivery,
  change: Partial<Thread>,
  { held, configured }: Work,
): Promise<StepResult> {
  const write = replaceDocument(document.path, deliveryType, delivery, document.version);
  const versions = await held.commit(change, [write], configured.destination.timeoutMs);
  return versions === undefined ? 'lost' : 'again';
}
