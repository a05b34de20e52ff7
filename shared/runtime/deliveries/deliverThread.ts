// Sends the messages of a session that are due at a destination, one after the other.

import type { ConfiguredDestination, DeliveryFailure, OutgoingMessage } from '../../contract/destination.ts';
import { replaceDocument, type Stored } from '../../contract/store.ts';
import type { Delivery, Thread } from '../../schema/delivery.ts';
import { approvalType, deliveryType, paths, sessionType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import { readCircuit, recordResult } from './circuit.ts';
import { afterProbe, afterSend, decideMessage, quietAfter, rulesOf, startSending } from './decideMessage.ts';
import { DELIVERY_CRASH_POINTS, type DeliverDeps } from './deps.ts';
import { type HeldThread, holdThread } from './heldThread.ts';
import { messageOf } from './messages.ts';
import { openDeliveries, planThread, type ThreadAction } from './planThread.ts';

/** Steps of one call; the sweep requests the rest. */
const MAX_STEPS = 40;

/** A thread with everything that its messages need. */
interface Work {
  held: HeldThread;
  configured: ConfiguredDestination;
  session: Session;
  deps: DeliverDeps;
}

type Attempt = Extract<ThreadAction, { kind: 'attempt' }>;

/**
 * Sends the messages that are due. Returns when nothing is due, or another process holds the thread: its holder looks again
 * after it has released it.
 * @throws RetryableError when the store fails; what was sent is stored, or its state is `sending`.
 */
export async function deliverThread(
  due: { sessionId: string; destination: string },
  deps: DeliverDeps,
): Promise<void> {
  const session = (await deps.store.get(paths.session(due.sessionId), sessionType))?.value;
  if (session === undefined) return;
  const configured = await deps.destinations(due.destination);
  const refusal = refusalOf(configured, session, due.destination);
  if (configured === undefined || refusal !== undefined) return failAll(due, refusal ?? UNKNOWN, deps);
  const { timeoutMs } = configured.destination;
  for (let round = 0; round < 3; round++) {
    const held = await holdThread(due, deps.newId(), timeoutMs, deps);
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

const UNKNOWN: DeliveryFailure = {
  code: 'destination_unknown',
  message: 'destinations.yaml does not have it.',
};

function refusalOf(
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
  return {
    code: 'tenant_denied',
    message: `The destination does not show sessions of tenant ${tenantId}; add it to its tenants in destinations.yaml.`,
  };
}

/** Sends until nothing is due. @returns whether the caller can stop: the thread was lost, or its steps are used up. */
async function sendDue(work: Work): Promise<boolean> {
  const { held, configured, deps } = work;
  const { capabilities } = configured.destination;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const thread = held.current();
    const stored = await listDeliveries(thread, deps);
    const now = deps.clock.now();
    const plan = { capabilities, onDoubt: configured.onDoubt };
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

async function listDeliveries(
  { sessionId, destination }: { sessionId: string; destination: string },
  { store }: DeliverDeps,
): Promise<Stored<Delivery>[]> {
  return store.list({ collection: paths.deliveries(sessionId), idPrefix: `${destination}.` }, deliveryType);
}

async function isAnyDue(
  due: { sessionId: string; destination: string },
  deps: DeliverDeps,
): Promise<boolean> {
  const [first] = openDeliveries((await listDeliveries(due, deps)).map(({ value }) => value));
  return first !== undefined && (first.dueAt === null || first.dueAt <= deps.clock.now());
}

type StepResult = 'again' | 'waits' | 'lost';

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
      const rules = rulesOf(work.configured.destination, true);
      const isLost = delivery.state === 'sending' || delivery.isDoubtful;
      const quiet = isLost ? { quietUntil: quietAfter(delivery, rules, now) } : {};
      return store(document, { ...delivery, state: 'skipped', dueAt: null }, quiet, work);
    }
    case 'wait': {
      const { delivery } = action;
      if (delivery.dueAt?.getTime() === action.until.getTime()) return 'waits';
      const result = await store(document, { ...delivery, dueAt: action.until }, {}, work);
      return result === 'lost' ? 'lost' : 'waits';
    }
    case 'attempt':
      return attempt(action, document, work, now);
  }
}

async function attempt(
  action: Attempt,
  document: Stored<Delivery>,
  work: Work,
  now: Date,
): Promise<StepResult> {
  const { configured, deps } = work;
  const { destination } = configured;
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const rules = rulesOf(destination, isEdit);
  const delivery = { ...action.delivery, isRepeated: 'isRepeated' in action && action.isRepeated };
  const step = decideMessage(delivery, rules, now);
  switch (step.kind) {
    case 'done':
      return 'lost';
    case 'wait':
      return 'waits';
    case 'store': {
      const { state } = step.progress;
      return store(
        document,
        { ...delivery, ...step.progress },
        rootChange(action, { ...delivery, state }, now),
        work,
      );
    }
    case 'probe': {
      const outgoing = await outgoingOf(action, delivery, work);
      const found = await destination.probe?.(outgoing);
      const probed = afterProbe(delivery, found ?? NO_PROBE, rules, deps.clock.now());
      return store(document, probed, rootChange(action, probed, deps.clock.now()), work);
    }
    case 'send':
      return send(action, document, delivery, work);
  }
}

const NO_PROBE = {
  outcome: 'failed',
  failure: { code: 'no_probe', message: 'It cannot be searched.' },
  retryAfterMs: null,
} as const;

/** Stores `sending`, sends, and stores the result. */
async function send(
  action: Attempt,
  document: Stored<Delivery>,
  delivery: Delivery,
  work: Work,
): Promise<StepResult> {
  const { held, configured, session, deps } = work;
  const { destination } = configured;
  const now = deps.clock.now();
  const closedUntil = await readCircuit(delivery.destination, now, deps);
  if (closedUntil !== null) {
    const result = await store(document, { ...delivery, dueAt: closedUntil }, {}, work);
    return result === 'lost' ? 'lost' : 'waits';
  }
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const sending = startSending(delivery, rulesOf(destination, isEdit), now);
  const place = held.current().place ?? destination.placeOf?.(session.alert?.labels ?? {}) ?? null;
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.beforeSending);
  const versions = await held.commit(
    { place },
    [replaceDocument(document.path, deliveryType, sending, document.version)],
    destination.timeoutMs,
  );
  const [version] = versions ?? [];
  if (version === undefined) return 'lost';
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.afterSending);
  const outgoing = await outgoingOf(action, sending, work);
  const result =
    isEdit && destination.update !== undefined
      ? await destination.update(action.ref, outgoing)
      : await destination.send(outgoing);
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.afterRequest);
  const sentAt = deps.clock.now();
  await recordResult(delivery.destination, result, deps);
  const isDeleted = action.form === 'edit' && (result.outcome === 'gone' || result.outcome === 'refused');
  const after = afterSend(sending, result, rulesOf(destination, isEdit), sentAt);
  const { state, ref, failure, attempts } = after;
  deps.log.debug({ event: delivery.event, state, ref, code: failure?.code, attempts }, 'message handled');
  const stored = { ...document, version };
  if (isDeleted) {
    const again = {
      ...sending,
      state: 'pending' as const,
      dueAt: sentAt,
      attempts: 0,
      isDoubtful: false,
      failure,
    };
    return store(stored, again, { root: 'gone' }, work);
  }
  const isRef = action.form === 'edit' && ref === null;
  return store(
    stored,
    isRef ? { ...after, ref: action.ref } : after,
    rootChange(action, after, sentAt),
    work,
  );
}

/** The change of the thread that follows from the state of a message. */
function rootChange(
  action: Attempt,
  { state, ref }: Pick<Delivery, 'state' | 'ref'>,
  now: Date,
): Partial<Thread> {
  if (action.form === 'root' && state === 'sent') return { root: 'sent', rootRef: ref, editedAt: now };
  if (action.form === 'root' && state === 'unknown') return { root: 'unknown' };
  if (action.form === 'edit' && state === 'sent') return { editedAt: now };
  return {};
}

async function store(
  document: Stored<Delivery>,
  delivery: Delivery,
  change: Partial<Thread>,
  { held, configured }: Work,
): Promise<StepResult> {
  const write = replaceDocument(document.path, deliveryType, delivery, document.version);
  const versions = await held.commit(change, [write], configured.destination.timeoutMs);
  return versions === undefined ? 'lost' : 'again';
}

/** The message as the session is now: an edit always shows the latest state. */
async function outgoingOf(
  action: Attempt,
  delivery: Delivery,
  { held, deps }: Work,
): Promise<OutgoingMessage> {
  const { sessionId, destination, event, key, firstSentAt } = delivery;
  const { store: documents, clock, publicUrl } = deps;
  const session = (await documents.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) throw new Error(`session ${sessionId} no longer exists`);
  const isApproval = event === 'approval' || event === 'decided';
  const approval = isApproval ? (await documents.get(paths.approval(key), approvalType))?.value : undefined;
  const now = clock.now();
  const { tenantId, chain, status, alert, createdAt, endedAt } = session;
  return {
    id: `${sessionId}.${destination}.${event}.${key}`,
    event: event as OutgoingMessage['event'],
    thread: action.form === 'reply' ? action.thread : null,
    place: held.current().place,
    session: {
      ...{ sessionId, tenantId, chain: chain.name, status, createdAt, endedAt },
      severity: alert?.severity ?? null,
      source: alert?.source ?? null,
    },
    message: messageOf({ session, delivery, approval, publicUrl, isRepeated: delivery.isRepeated, now }),
    firstSentAt: firstSentAt ?? now,
  };
}

/** Marks all open messages as failed, without a request. */
async function failAll(
  due: { sessionId: string; destination: string },
  failure: DeliveryFailure,
  deps: DeliverDeps,
): Promise<void> {
  for (const { path, value, version } of await listDeliveries(due, deps)) {
    if (value.state !== 'pending' && value.state !== 'sending') continue;
    const state = value.state === 'sending' || value.isDoubtful ? 'unknown' : 'failed';
    const failed: Delivery = { ...value, state, dueAt: null, failure };
    await deps.store.commit([replaceDocument(path, deliveryType, failed, version)]);
  }
  deps.log.warn({ ...due, code: failure.code }, `messages were not sent: ${failure.message}`);
}
