// Sends the messages of a session that are due at a destination, one after the other.

import { listNotified } from '../../config/notified.ts';
import type { ConfiguredDestination, DeliveryFailure } from '../../contract/destination.ts';
import { replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { type Delivery, deliveryType, threadType } from '../../kits/deliveries/delivery.ts';
import { readProblem } from './composeMessage.ts';
import { chooseMessageRules, closedState, quietAfter } from './decideMessage.ts';
import type { DeliverDeps } from './deps.ts';
import { isShownByRoot, openDeliveries, planThread, type ThreadAction } from './planThread.ts';
import { attemptMessage } from './sendMessage.ts';
import { holdThread } from './threadLease.ts';
import { type StepResult, storeMessage, type Work } from './threadWork.ts';

/** Steps of one call; the sweep requests the rest. */
const MAX_STEPS = 40;

/**
 * Sends the messages that are due. Returns when nothing is due, or another process holds the thread: its
 * holder looks again after it has released it.
 * @throws RetryableError when the store fails; each message that was sent is stored, or its state is
 * `sending`.
 */
export async function deliverThread(
  due: { sessionId: string; destination: string },
  deps: DeliverDeps,
): Promise<void> {
  const session = (await deps.store.get(paths.session(due.sessionId), sessionType))?.value;
  if (session === undefined) return;
  const configured = await deps.destinations(due.destination);
  const refusal = findDestinationFailure(configured, session, due.destination);
  if (configured === undefined || refusal !== undefined)
    return failAll(due, refusal ?? UNKNOWN_DESTINATION, deps);
  for (let round = 0; round < 3; round++) {
    const held = await holdThread(due, deps.newId(), configured.destination, deps);
    if (held === undefined) return;
    let isOver: boolean;
    try {
      isOver = await sendDue({ held, configured, session, deps });
    } finally {
      await held.release();
    }
    // A message that was added after the last look found the thread held.
    if (isOver || !(await isAnyDue(due, deps))) return;
  }
}

/** The failure of a message whose destination was removed. */
export const UNKNOWN_DESTINATION: DeliveryFailure = {
  code: 'destination_unknown',
  message: 'destinations.yaml does not have it.',
};

function findDestinationFailure(
  configured: ConfiguredDestination | undefined,
  { tenantId }: Session,
  name: string,
): DeliveryFailure | undefined {
  if (configured === undefined)
    return {
      code: 'destination_unknown',
      message: `destinations.yaml has no destination "${name}"; add it, or remove it from notify.`,
    };
  if (configured.tenants.includes(tenantId)) return undefined;
  return tenantDenied(tenantId);
}

/** The failure of a message about a tenant that its destination does not show. */
export function tenantDenied(tenantId: string): DeliveryFailure {
  return {
    code: 'tenant_denied',
    message: `The destination does not show sessions of tenant ${tenantId}; add it to its tenants in destinations.yaml.`,
  };
}

/** Sends until nothing is due. @returns whether to stop: the thread was lost, or steps are used up. */
async function sendDue(work: Work): Promise<boolean> {
  const { held, configured, session, deps } = work;
  const { capabilities } = configured.destination;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const thread = held.current();
    let stored = await listDeliveries(thread, deps);
    const asksProblem = openDeliveries(stored.map(({ value }) => value)).some(
      ({ event }) => event === 'resolved',
    );
    const isResolved = asksProblem && (await readProblem(session, deps.store))?.status === 'resolved';
    // A further report of the problem that was read has its message in this list.
    if (isResolved) stored = await listDeliveries(thread, deps);
    const now = deps.clock.now();
    const awaitsResult = isResultAwaited(session, thread.destination);
    const plan = { capabilities, onDoubt: configured.onDoubt, isResolved, awaitsResult };
    const action = planThread(
      stored.map(({ value }) => value),
      thread,
      plan,
      now,
    );
    if (action.kind === 'done') return false;
    const document = stored.find(({ value }) => value === action.delivery);
    if (document === undefined) return true;
    const result = await performAction(action, document, work, now);
    if (result !== 'again') return result === 'lost';
  }
  return true;
}

/** Whether a session that runs ends with a message to a destination. */
function isResultAwaited(session: Session, destination: string): boolean {
  const when = listNotified(session).find(({ to }) => to === destination)?.when ?? [];
  return !isTerminal(session.status) && when.some((event) => event === 'ended' || event === 'failed');
}

async function listDeliveries(
  { sessionId, destination }: { sessionId: string; destination: string },
  { store }: DeliverDeps,
): Promise<Stored<Delivery>[]> {
  return store.list(
    { collection: deliveryType.paths.deliveries(sessionId), idPrefix: `${destination}.` },
    deliveryType,
  );
}

async function isAnyDue(
  due: { sessionId: string; destination: string },
  deps: DeliverDeps,
): Promise<boolean> {
  const [first] = openDeliveries((await listDeliveries(due, deps)).map(({ value }) => value));
  return first !== undefined && (first.dueAt === null || first.dueAt <= deps.clock.now());
}

async function performAction(
  action: ThreadAction,
  document: Stored<Delivery>,
  work: Work,
  now: Date,
): Promise<StepResult> {
  switch (action.kind) {
    case 'done':
      return 'waits';
    case 'skip': {
      const { delivery } = action;
      const rules = chooseMessageRules(work.configured.destination, true);
      const isLost = delivery.state === 'sending' || delivery.isDoubtful;
      const quiet = isLost ? { quietUntil: quietAfter(delivery, rules, now) } : {};
      return storeMessage(document, { ...delivery, state: 'skipped', dueAt: null }, quiet, work);
    }
    case 'wait': {
      const { delivery } = action;
      if (delivery.dueAt?.getTime() === action.until.getTime()) return 'waits';
      const result = await storeMessage(document, { ...delivery, dueAt: action.until }, {}, work);
      return result === 'lost' ? 'lost' : 'waits';
    }
    case 'attempt':
      return attemptMessage(action, document, work, now);
  }
}

/** Marks open messages as failed, without request. A first message that can have arrived stays. */
async function failAll(
  due: { sessionId: string; destination: string },
  failure: DeliveryFailure,
  deps: DeliverDeps,
): Promise<void> {
  for (const { path, value, version } of await listDeliveries(due, deps)) {
    if (value.state !== 'pending' && value.state !== 'sending') continue;
    const state = closedState(value);
    const failed: Delivery = { ...value, state, dueAt: null, failure };
    const writes: Write[] = [replaceDocument(path, deliveryType, failed, version)];
    const thread = await deps.store.get(threadType.paths.thread(due.sessionId, due.destination), threadType);
    if (state === 'unknown' && thread?.value.root === 'none' && isShownByRoot(value))
      writes.push(
        replaceDocument(thread.path, threadType, { ...thread.value, root: 'unknown' }, thread.version),
      );
    await deps.store.commit(writes);
  }
  deps.log.warn({ ...due, code: failure.code }, `messages were not sent: ${failure.message}`);
}
