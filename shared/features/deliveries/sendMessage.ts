// One step of a message: stores `sending`, sends, and stores the result; or resolves a doubt.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { findChatThread } from '../../alerts/schema/sessionAsk.ts';
import { listNotified } from '../../config/notified.ts';
import type { SendResult } from '../../contract/destination.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { type Delivery, deliveryType, type Thread } from '../../kits/deliveries/delivery.ts';
import { composeOutgoing } from './composeMessage.ts';
import {
  afterProbe,
  afterSend,
  CLOCK_MARGIN_MS,
  chooseMessageRules,
  closedState,
  decideMessage,
  startSending,
} from './decideMessage.ts';
import { DELIVERY_CRASH_POINTS } from './deps.ts';
import { enterCircuit, recordResult, refusalUntil } from './destinationCircuit.ts';
import { joinGroup, stormOfSession } from './joinGroup.ts';
import { type GroupPlace, groupAt, hasRoot, takeRoot } from './messageGroups.ts';
import { type Attempt, type StepResult, storeMessage, type Work } from './threadWork.ts';

/** Performs the next step of a message: a request, a search, or a change of its state. */
export async function attemptMessage(
  action: Attempt,
  document: Stored<Delivery>,
  work: Work,
  now: Date,
): Promise<StepResult> {
  const { held, configured, deps } = work;
  const { destination } = configured;
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const rules = chooseMessageRules(destination, isEdit);
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
      const outgoing = await composeOutgoing(action, delivery, held.current().place, work);
      const found = await destination.probe?.(outgoing);
      const probed = afterProbe(delivery, found ?? NO_PROBE, rules, deps.clock.now());
      return storeMessage(document, probed, rootChange(action, probed, deps.clock.now()), work);
    }
    case 'send': {
      // The answer to a person is no message of the channel.
      const isAnswer = findChatThread(work.session, delivery.destination) !== null;
      const isRoot = action.form === 'root' && !isAnswer;
      const digest = isRoot ? digestOfSession(delivery, work) : undefined;
      if (digest !== undefined) return joinGroup(digest, document, delivery, work);
      // Who joins the count of a full hour sends nothing: it takes no trial of the circuit.
      const full = isRoot ? await stormOfSession(delivery, work, hasRoot) : undefined;
      if (full !== undefined) return joinGroup(full, document, delivery, work);
      const closedUntil = await enterCircuit(delivery.destination, deps);
      if (closedUntil !== null) {
        const failure = refusalUntil(closedUntil);
        if (failure === undefined) return waitUntil(closedUntil, document, delivery, work);
        const failed = { ...delivery, state: closedState(delivery), dueAt: null, failure };
        return storeMessage(document, failed, rootChange(action, failed, now), work);
      }
      // After the wait for the circuit, which repeats, and before the pace, which is for those that send.
      const storm = isRoot ? await stormOfSession(delivery, work, takeRoot) : undefined;
      if (storm !== undefined) return joinGroup(storm, document, delivery, work);
      const place = `${delivery.destination} ${chooseThreadPlace(work)}`;
      const turn = isEdit ? null : await deps.pace?.(place, destination.paceMs ?? 0);
      return turn ? waitUntil(turn, document, delivery, work) : sendMessage(action, document, delivery, work);
    }
  }
}

/** Lets a message wait in the store. */
async function waitUntil(
  dueAt: Date,
  document: Stored<Delivery>,
  delivery: Delivery,
  work: Work,
): Promise<StepResult> {
  const result = await storeMessage(document, { ...delivery, dueAt }, {}, work);
  return result === 'lost' ? 'lost' : 'waits';
}

/** The place of the thread: the first message chooses it. */
function chooseThreadPlace({ held, configured, session }: Work): string | null {
  return (
    held.current().place ?? configured.destination.placeOf?.(readSessionAlert(session)?.labels ?? {}) ?? null
  );
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
  const { held, configured, deps } = work;
  const { destination } = configured;
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const rules = chooseMessageRules(destination, isEdit);
  const place = chooseThreadPlace(work);
  const first = { ...delivery, firstSentAt: delivery.firstSentAt ?? deps.clock.now() };
  // Before `sending` is stored: a store that fails here leaves no doubt about a message that was not sent.
  const outgoing = await composeOutgoing(action, first, place, work);
  const startedAt = deps.clock.now();
  const sending = startSending(first, rules, startedAt);
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.beforeSending);
  const versions = await held.commit(
    { place },
    [replaceDocument(document.path, deliveryType, sending, document.version)],
    destination.timeoutMs,
  );
  const [version] = versions ?? [];
  if (version === undefined) return 'lost';
  const stored = { ...document, version };
  // A slow commit leaves too little lease: the request could end after another took the thread.
  if (deps.clock.now().getTime() - startedAt.getTime() >= CLOCK_MARGIN_MS) {
    const result = await storeMessage(stored, delivery, {}, work);
    return result === 'lost' ? 'lost' : 'waits';
  }
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.afterSending);
  const result =
    isEdit && destination.update !== undefined
      ? await destination.update(action.ref, outgoing)
      : await destination.send(outgoing);
  await deps.failpoint?.(DELIVERY_CRASH_POINTS.afterRequest);
  const stepResult = await storeResult(action, stored, sending, result, work);
  // After the result is stored: a count that fails must not put an answer in doubt.
  await recordResult(delivery.destination, result, deps);
  return stepResult;
}

async function storeResult(
  action: Attempt,
  stored: Stored<Delivery>,
  sending: Delivery,
  result: SendResult,
  work: Work,
): Promise<StepResult> {
  const { configured, deps } = work;
  const sentAt = deps.clock.now();
  const isEdit = action.form === 'edit' || action.form === 'editReply';
  const after = afterSend(sending, result, chooseMessageRules(configured.destination, isEdit), sentAt);
  const { state, ref, failure, attempts } = after;
  deps.log.debug({ event: sending.event, state, ref, code: failure?.code, attempts }, 'message handled');
  if (action.form === 'edit' && result.outcome === 'gone') {
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

/** The digest for the session; `none` for an event that it does not show; undefined without digest. */
function digestOfSession(
  { destination, event }: Delivery,
  { session, deps }: Work,
): GroupPlace | 'none' | undefined {
  const periodMs = listNotified(session).find(({ to }) => to === destination)?.digestMs ?? null;
  if (periodMs === null) return undefined;
  if (event === 'opened') return 'none';
  return groupAt({ kind: 'digest', destination, isEdited: false, periodMs }, deps.clock.now());
}
