// Announces changes at the destinations of their session: adds the messages that a change causes to its
// batch, and requests their delivery after the commit.

import { checkPart } from '../../../alerts/schema/sessionCheck.ts';
import { listNotified, type Notify } from '../../../config/notified.ts';
import type { Announce } from '../../../core/contract/announce.ts';
import type { Logger } from '../../../core/contract/logger.ts';
import type { Publisher } from '../../../core/contract/publisher.ts';
import { createDocument, replaceDocument, type Store, type Write } from '../../../core/contract/store.ts';
import { errorMessage } from '../../../core/errors.ts';
import { isTerminal } from '../../../core/schema/common.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../../core/schema/documentType.ts';
import { readPart } from '../../../core/schema/parts.ts';
import type { Session } from '../../../core/schema/session.ts';
import type { Stage } from '../../../core/schema/stage.ts';
import type { AnnouncedByFeatures } from '../../../kits/alerts/announced.ts';
import { type Delivery, deliveryType, unsentProgress } from '../../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../../kits/deliveries/deliveryMessage.ts';
import { type Cause, causesOf, isOfEnd, wantedCauses } from './causes.ts';

interface OutboxDeps {
  publisher: Publisher;
  clock: { now(): Date };
  log: Logger;
}

/** Adds the messages that a change causes to its batch, and requests their delivery after the commit. */
export function announceDeliveries(deps: OutboxDeps): Announce {
  return async (before, after, batch, store) => {
    const { deliveries, writes } = await planDeliveries(before, after, store, deps.clock.now());
    const result = await store.commit([...batch, ...writes]);
    if (result.ok) await requestDeliveries(deliveries, deps);
    return result;
  };
}

/** The messages that a change causes, and their writes: new ones, and awaited answers that are due now. */
export async function planDeliveries(
  before: AnnouncedByFeatures,
  after: AnnouncedByFeatures,
  store: Pick<Store, 'get'>,
  now: Date,
): Promise<{ deliveries: Delivery[]; writes: Write[] }> {
  const added = await newDeliveries(before, after, store, now);
  const answers = await dueAnswers(after, store, now);
  return {
    deliveries: [...added, ...answers.map(({ delivery }) => delivery)],
    writes: [
      ...added.map((one) => createDocument(pathOf(one), deliveryType, one)),
      ...answers.map(({ write }) => write),
    ],
  };
}

async function newDeliveries(
  before: AnnouncedByFeatures,
  after: AnnouncedByFeatures,
  store: Pick<Store, 'get'>,
  now: Date,
): Promise<Delivery[]> {
  const causes = causesOf(before, after);
  if (causes.length === 0) return [];
  const session = after.session ?? (await sessionOf(after, store));
  if (session === undefined) return [];
  const isCheck = readPart(checkPart, session) !== undefined;
  const isShown = ({ event }: Cause): boolean => !isCheck || event !== 'progress';
  let deliveries = listNotified(session).flatMap((notify) =>
    unsentDeliveries(session, notify, causes.filter(isShown), now),
  );
  // No other batch can add them: it would change the session or outcome, and this one would fail.
  for (const isOf of [isOfEnd, isOfOutcome]) {
    const first = deliveries.find(isOf);
    if (first !== undefined && (await isStored(first, store)))
      deliveries = deliveries.filter((one) => !isOf(one));
  }
  return deliveries;
}

const isOfOutcome = ({ event }: Delivery): boolean => event === 'outcome';

/** The awaited answers of the questions that a change ends, which are due now. */
async function dueAnswers(
  after: AnnouncedByFeatures,
  store: Pick<Store, 'get'>,
  now: Date,
): Promise<{ delivery: Delivery; write: Write }[]> {
  const found = endedQuestions(after).flatMap(({ sessionId, stageId }) =>
    (after.session ? listNotified(after.session) : []).map(({ to }) =>
      deliveryType.paths.delivery(sessionId, to, 'answer', stageId),
    ),
  );
  const stored = await Promise.all(found.map((path) => store.get(path, deliveryType)));
  return stored.flatMap((one) => {
    if (one?.value.state !== 'awaited') return [];
    const delivery: Delivery = { ...one.value, state: 'pending', dueAt: now };
    return [{ delivery, write: replaceDocument(one.path, deliveryType, delivery, one.version) }];
  });
}

/** The session of a change that does not write it. */
async function sessionOf(
  { approvals, events, outcome, incident }: AnnouncedByFeatures,
  store: Pick<Store, 'get'>,
): Promise<Session | undefined> {
  const about = approvals?.[0] ?? events?.[0] ?? outcome ?? incident?.value;
  if (about?.sessionId == null) return undefined;
  return (await store.get(paths.session(about.sessionId), sessionType))?.value;
}

async function isStored(delivery: Delivery, store: Pick<Store, 'get'>): Promise<boolean> {
  return (await store.get(pathOf(delivery), rawDocumentType)) !== undefined;
}

function unsentDeliveries(session: Session, notify: Notify, causes: readonly Cause[], now: Date): Delivery[] {
  const { sessionId, expireAt } = session;
  return wantedCauses(notify, causes, session).map(({ event, key }) => ({
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
  deliveryType.paths.delivery(sessionId, destination, event, key);

/** Requests the delivery at each destination. The sweep does it later for those that fail. */
async function requestDeliveries(added: readonly Delivery[], { publisher, log }: OutboxDeps): Promise<void> {
  const threads = new Map(added.map((one) => [`${one.sessionId}/${one.destination}`, one]));
  for (const { sessionId, destination } of threads.values()) {
    await publishDelivery(publisher, { sessionId, destination }).catch((error: unknown) => {
      log.warn({ err: error, sessionId, destination }, `the sweep sends a message: ${errorMessage(error)}`);
    });
  }
}

/** The stages of questions that a change ends. */
function endedQuestions({ stages = [] }: AnnouncedByFeatures): Stage[] {
  return stages.filter(({ kind, status }) => kind === 'chat' && isTerminal(status));
}
