// One step of a message: stores `sending`, sends, and stores the result; or resolves a doubt.

import { replaceDocument, type Stored } from '../../contract/store.ts';
import { deliveryType } from '../../schema/documents.ts';
import type { Delivery, Thread } from '../../schema/features/delivery.ts';
import { enterCircuit, recordResult, refusalUntil } from './circuit.ts';
import { afterProbe, afterSend, closedState, decideMessage, rulesOf, startSending } from './decideMessage.ts';
import { DELIVERY_CRASH_POINTS } from './deps.ts';
import { groupOf, joinGroup } from './joinGroup.ts';
import { outgoingOf } from './outgoing.ts';
import { type Attempt, type StepResult, storeMessage, type Work } from './work.ts';

/** Performs the next step of a message: a request, a search, or a change of its state. */
export async function attemptMessage(
  action: Attempt,
  document: Stored<Delivery>,
  work: Work,
  now: Date,
): Promise<StepResult> {
  const { configured, deps } = work;
  const { destination } = configured;
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const rules = rulesOf(destination, isEdit);
  const isRepeated = action.delivery.isRepeated || ('isRepeated' in action && action.isRepeated);
  const delivery = { ...action.delivery, isRepeated };
  const step = decideMessage(delivery, rules, now);
  switch (step.kind) {
    case 'done':
      return 'lost';
    case 'wait':
      return 'waits';
    case 'store': {
      const { state } = step.progress;
      return storeMessage(
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
      return storeMessage(document, probed, rootChange(action, probed, deps.clock.now()), work);
    }
    case 'send': {
      const group = action.form === 'root' ? await groupOf(delivery, work) : undefined;
      return group === undefined
        ? sendMessage(action, document, delivery, work)
        : joinGroup(group, document, delivery, work);
    }
  }
}

const NO_PROBE = {
  outcome: 'failed',
  failure: { code: 'no_probe', message: 'It cannot be searched.' },
  retryAfterMs: null,
} as const;

/** Stores `sending`, sends, and stores the result. */
async function sendMessage(
  action: Attempt,
  document: Stored<Delivery>,
  delivery: Delivery,
  work: Work,
): Promise<StepResult> {
  const { held, configured, session, deps } = work;
  const { destination } = configured;
  const closedUntil = await enterCircuit(delivery.destination, deps);
  if (closedUntil !== null) {
    const failure = refusalUntil(closedUntil);
    if (failure !== undefined) {
      const failed = { ...delivery, state: closedState(delivery), dueAt: null, failure };
      return storeMessage(document, failed, rootChange(action, failed, deps.clock.now()), work);
    }
    const result = await storeMessage(document, { ...delivery, dueAt: closedUntil }, {}, work);
    return result === 'lost' ? 'lost' : 'waits';
  }
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const place = held.current().place ?? destination.placeOf?.(session.alert?.labels ?? {}) ?? null;
  const turn = isEdit ? null : await deps.pace?.(`${delivery.destination} ${place}`, destination.paceMs ?? 0);
  if (turn) {
    const result = await storeMessage(document, { ...delivery, dueAt: turn }, {}, work);
    return result === 'lost' ? 'lost' : 'waits';
  }
  const sending = startSending(delivery, rulesOf(destination, isEdit), deps.clock.now());
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
  const isDeleted = action.form === 'edit' && result.outcome === 'gone';
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
    return storeMessage(stored, again, { root: 'gone' }, work);
  }
  const isRef = action.form === 'edit' && ref === null;
  return storeMessage(
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
