// The outbox: adds the messages that a batch causes to the batch itself, and requests their delivery after the commit. Every
// process that writes sessions or approvals has this store, so that no cause can be forgotten.

import type { Publisher } from '../../../contract/publisher.ts';
import { createDocument, replaceDocument, type Store, type Write } from '../../../contract/store.ts';
import { errorMessage } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { deliveryType, paths, sessionType } from '../../../schema/documents.ts';
import { rawDocumentType } from '../../../schema/documentType.ts';
import { type Delivery, type Notify, unsentProgress } from '../../../schema/features/delivery.ts';
import type { Session } from '../../../schema/session.ts';
import {
  type Cause,
  causesOfApproval,
  causesOfEnd,
  causesOfOutcome,
  causesOfQuestion,
  causesOfStart,
  causingDocuments,
  isOfEnd,
  wantedCauses,
} from './causes.ts';
import { publishDelivery } from './deliveryMessage.ts';
import { findProblemChange } from './problemCauses.ts';

/** The services of the outbox. */
interface OutboxDeps {
  publisher: Publisher;
  clock: { now(): Date };
  log: Logger;
}

/** A store whose batches carry their messages. Everything else is the given store's. */
export function outboxStore(store: Store, deps: OutboxDeps): Store {
  return {
    ...store,
    async commit(writes) {
      const now = deps.clock.now();
      const added = await deliveriesOf(writes, store, now);
      const answers = await answersOf(writes, store, now);
      const all = [...writes, ...added.map(writeOf), ...answers.map(({ write }) => write)];
      const result = await store.commit(all);
      if (!result.ok || all.length === writes.length) return result;
      await requestDeliveries([...added, ...answers.map(({ delivery }) => delivery)], deps);
      return { ok: true, versions: result.versions.slice(0, writes.length) };
    },
  };
}

async function deliveriesOf(writes: readonly Write[], store: Store, now: Date): Promise<Delivery[]> {
  const found = causingDocuments(writes);
  const { session: written, approvals, asked, outcome } = found;
  const change = await findProblemChange(writes, store);
  const about = approvals[0] ?? asked[0] ?? outcome ?? change;
  if (written === undefined && about === undefined) return [];
  const session = written ?? (await sessionOf(about?.sessionId, store));
  if (session === undefined || session.notify.length === 0) return [];
  const causes = [
    ...causesOfStart(found),
    ...approvals.flatMap(causesOfApproval),
    ...asked.flatMap(causesOfQuestion),
    ...(outcome === undefined ? [] : causesOfOutcome(outcome)),
    ...(change?.sessionId === session.sessionId ? [change.cause] : []),
    ...(written === undefined ? [] : causesOfEnd(session)),
  ];
  const isShown = ({ event }: Cause): boolean => session.check === null || event !== 'progress';
  let deliveries = session.notify.flatMap((notify) =>
    newDeliveries(session, notify, causes.filter(isShown), now),
  );
  // Another batch cannot add them in between: it would change the session or the outcome, and this batch would fail.
  for (const isOf of [isOfEnd, isOfOutcome]) {
    const first = deliveries.find(isOf);
    if (first !== undefined && (await isStored(first, store)))
      deliveries = deliveries.filter((one) => !isOf(one));
  }
  return deliveries;
}

const isOfOutcome = ({ event }: Delivery): boolean => event === 'outcome';

/** The awaited answers of the questions that a batch ends, which are due now. */
async function answersOf(
  writes: readonly Write[],
  store: Store,
  now: Date,
): Promise<{ delivery: Delivery; write: Write }[]> {
  const { session, endedQuestions } = causingDocuments(writes);
  const found = endedQuestions.flatMap(({ sessionId, stageId }) =>
    (session?.notify ?? []).map(({ to }) => paths.delivery(sessionId, to, 'answer', stageId)),
  );
  const stored = await Promise.all(found.map((path) => store.get(path, deliveryType)));
  return stored.flatMap((one) => {
    if (one?.value.state !== 'awaited') return [];
    const delivery: Delivery = { ...one.value, state: 'pending', dueAt: now };
    return [{ delivery, write: replaceDocument(one.path, deliveryType, delivery, one.version) }];
  });
}

async function sessionOf(sessionId: string | undefined, store: Store): Promise<Session | undefined> {
  if (sessionId === undefined) return undefined;
  return (await store.get(paths.session(sessionId), sessionType))?.value;
}

async function isStored(delivery: Delivery, store: Store): Promise<boolean> {
  return (await store.get(pathOf(delivery), rawDocumentType)) !== undefined;
}

function newDeliveries(
  { sessionId, expireAt, verdict }: Session,
  notify: Notify,
  causes: readonly Cause[],
  now: Date,
): Delivery[] {
  return wantedCauses(notify, causes, { verdict }).map(({ event, key }) => ({
    sessionId,
    destination: notify.to,
    event,
    key,
    isRepeated: false,
    ...unsentProgress(now),
    expireAt,
    createdAt: now,
  }));
}

const pathOf = ({ sessionId, destination, event, key }: Delivery): string =>
  paths.delivery(sessionId, destination, event, key);

const writeOf = (delivery: Delivery): Write => createDocument(pathOf(delivery), deliveryType, delivery);

/** Requests the delivery at each destination. The sweep does it later for those that fail. */
async function requestDeliveries(added: readonly Delivery[], { publisher, log }: OutboxDeps): Promise<void> {
  const threads = new Map(added.map((one) => [`${one.sessionId}/${one.destination}`, one]));
  for (const { sessionId, destination } of threads.values()) {
    await publishDelivery(publisher, { sessionId, destination }).catch((error: unknown) => {
      log.warn({ err: error, sessionId, destination }, `the sweep sends a message: ${errorMessage(error)}`);
    });
  }
}
