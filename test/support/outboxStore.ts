// What a batch announces, derived from its documents alone: the oracle of what functions announce, and a
// store for tests that write documents themselves.

import type { Announced } from '../../shared/core/contract/announce.ts';
import type { Store, Stored, Write } from '../../shared/core/contract/store.ts';
import { captureFailure } from '../../shared/core/kernel/documents/reading.ts';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';
import { announceDeliveries } from '../../shared/features/deliveries/outbox/announceDeliveries.ts';
import {
  approvalType,
  incidentType,
  outcomeType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../shared/lists/documents.ts';

/** The documents of a change, before and after it. */
export interface Change {
  before: Announced;
  after: Announced;
}

/** The change that a batch stores, before its commit. Of several sessions, the first one is announced. */
export async function changeIn(writes: readonly Write[], store: Pick<Store, 'get'>): Promise<Change> {
  const ofType = <T>(type: DocumentType<T>) =>
    writes.flatMap(({ op, path, value, type: { name } }) =>
      op !== 'delete' && name === type.name ? [{ op, path, value: value as T }] : [],
    );
  const storedOf = async <T>(type: DocumentType<T>): Promise<Stored<T>[]> => {
    const reading = ofType(type).map(({ path }) => captureFailure(store.get(path, type)));
    return (await Promise.all(reading)).flatMap(({ value }) => value ?? []);
  };
  const [session] = ofType(sessionType);
  const stages = ofType(stageType);
  const [incident] = ofType(incidentType);
  const known = (await storedOf(incidentType)).find(({ path }) => path === incident?.path);
  const [outcome] = ofType(outcomeType);
  return {
    before: {
      ...(session && session.op !== 'create' && { session: session.value }),
      stages: stages.filter(({ op }) => op !== 'create').map(({ value }) => value),
      approvals: (await storedOf(approvalType)).map(({ value }) => value),
      ...(known && { incident: known }),
    },
    after: {
      ...(session && { session: session.value }),
      stages: stages.map(({ value }) => value),
      approvals: ofType(approvalType).map(({ value }) => value),
      outcome: outcome?.value,
      ...(known && incident && { incident: { ...known, value: incident.value } }),
      events: ofType(timelineEventType).map(({ value }) => value),
    },
  };
}

/** A store that announces the deliveries of every batch. */
export function outboxStore(store: Store, deps: Parameters<typeof announceDeliveries>[0]): Store {
  const announce = announceDeliveries(deps);
  return {
    ...store,
    async commit(writes) {
      const { before, after } = await changeIn(writes, store);
      return announce(before, after, writes, store);
    },
  };
}
