// Decides which message of a session is next at a destination, and how: as a message of its own, an edit of
// the first one, or a reply in its thread. Pure.

import type { DestinationCapabilities } from '../../contract/destination.ts';
import type { Delivery, Thread } from '../../kits/deliveries/delivery.ts';

/** How a message is shown. */
type Form =
  /** A message of its own, whose thread takes later ones. */
  | { form: 'root'; isRepeated: boolean }
  /** A message of its own that leaves the thread as it is. */
  | { form: 'message'; isRepeated: boolean }
  /** Below the first message. */
  | { form: 'reply'; thread: string }
  /** Replaces the first message. */
  | { form: 'edit'; ref: string }
  /** Replaces a reply. */
  | { form: 'editReply'; ref: string };

/** The next action of a thread. */
export type ThreadAction =
  | { kind: 'skip'; delivery: Delivery }
  | ({ kind: 'attempt'; delivery: Delivery } & Form)
  /** Nothing can be sent before this time. */
  | { kind: 'wait'; delivery: Delivery; until: Date }
  | { kind: 'done' };

/** The facts about a destination that the plan depends on. */
export interface PlanRules {
  capabilities: Pick<DestinationCapabilities, 'update' | 'thread'>;
  onDoubt: 'repeat' | 'hold';
  /** Whether the problem is over at its source. */
  isResolved: boolean;
  /** Whether a message about the result is still to come, which will show the state of the problem. */
  awaitsResult: boolean;
}

/** The least time between two edits that show progress, in milliseconds. */
const EDIT_GAP_MS = 10_000;

const SHOWN_BY_ROOT: ReadonlySet<string> = new Set([
  'deferred',
  'opened',
  'progress',
  'resolved',
  'ended',
  'failed',
]);
/** Whether the first message of a session shows an event. */
export const isShownByRoot = ({ event }: Pick<Delivery, 'event'>): boolean => SHOWN_BY_ROOT.has(event);
const RESULTS: ReadonlySet<string> = new Set(['ended', 'failed']);
/** Clocks differ: a result never precedes messages of the running session, and details follow it. */
const PHASES: Readonly<Record<string, number>> = {
  deferred: 0,
  opened: 1,
  ended: 3,
  failed: 3,
  details: 4,
  outcome: 5,
};

/** Open messages in the order in which they are sent. */
export function openDeliveries(deliveries: readonly Delivery[]): Delivery[] {
  const phase = ({ event }: Delivery) => PHASES[event] ?? 2;
  return deliveries
    .filter(({ state }) => state === 'pending' || state === 'sending')
    .sort(
      (a, b) =>
        phase(a) - phase(b) ||
        a.createdAt.getTime() - b.createdAt.getTime() ||
        `${a.event}.${a.key}`.localeCompare(`${b.event}.${b.key}`),
    );
}

/** Plans the next action. A message that is due later holds those behind it, so that none overtakes it. */
export function planThread(
  deliveries: readonly Delivery[],
  thread: Thread,
  rules: PlanRules,
  now: Date,
): ThreadAction {
  const open = openDeliveries(deliveries);
  const [delivery, ...behind] = open;
  if (delivery === undefined) return { kind: 'done' };
  const form = chooseMessageForm(delivery, { deliveries, behind, thread, rules });
  if (form === undefined) return { kind: 'skip', delivery };
  const until = form.form === 'edit' ? editableFrom(delivery, thread) : null;
  if (until !== null && until > now && delivery.state === 'pending') return { kind: 'wait', delivery, until };
  return { kind: 'attempt', delivery, ...form };
}

interface Around {
  deliveries: readonly Delivery[];
  behind: readonly Delivery[];
  thread: Thread;
  rules: PlanRules;
}

/** How a message is shown; undefined if it is not. */
function chooseMessageForm(delivery: Delivery, around: Around): Form | undefined {
  const { event } = delivery;
  if (SHOWN_BY_ROOT.has(event)) return formOfState(delivery, around);
  if (event === 'approval' || event === 'asked') return formOfApproval(delivery, around);
  if (event === 'decided') return formOfDecision(delivery, around);
  const { thread, rules } = around;
  const isBelow = (thread.root === 'sent' || thread.root === 'gone') && thread.rootRef !== null;
  if (isBelow && rules.capabilities.thread) return { form: 'reply', thread: thread.rootRef ?? '' };
  // An outcome comes a day later; in doubt its own message, as at destinations without threads.
  const isApart =
    event === 'outcome' &&
    (['sent', 'gone', 'none'].includes(thread.root) ||
      (thread.root === 'unknown' && rules.onDoubt === 'repeat'));
  return isApart ? { form: 'message', isRepeated: false } : undefined;
}

/** A message about the state of the session. A later one covers an edit. */
function formOfState(delivery: Delivery, around: Around): Form | undefined {
  const { behind, thread, rules } = around;
  const { event } = delivery;
  const isResult = RESULTS.has(event);
  const { root, rootRef } = thread;
  const { update, thread: hasThread } = rules.capabilities;
  // A first message without a reference cannot be changed.
  const isEditable = update && root === 'sent' && rootRef !== null;
  if (event === 'resolved' && !isEditable) return formOfResolution(delivery, around);
  switch (root) {
    case 'none':
      return event === 'progress' ? undefined : { form: 'root', isRepeated: false };
    case 'sent': {
      if (!isEditable) return event === 'progress' ? undefined : { form: 'message', isRepeated: false };
      const isCovered = behind.some((one) => SHOWN_BY_ROOT.has(one.event));
      return isCovered ? undefined : { form: 'edit', ref: rootRef };
    }
    case 'unknown':
      return isResult && rules.onDoubt === 'repeat' ? { form: 'root', isRepeated: true } : undefined;
    case 'gone':
      return isResult && hasThread && rootRef !== null ? { form: 'reply', thread: rootRef } : undefined;
    case 'grouped':
    case 'digest':
      return undefined;
  }
}

/** The end of the problem where it is no edit: not shown if it fires again, or a later message shows it. */
function formOfResolution(
  { state, isDoubtful }: Delivery,
  { behind, thread: { root, rootRef }, rules }: Around,
): Form | undefined {
  const isCovered = behind.some(({ event }) => event === 'resolved' || RESULTS.has(event));
  // One that can have arrived is searched first.
  const isLost = state === 'sending' || isDoubtful;
  if (!isLost && (isCovered || !rules.isResolved)) return undefined;
  if (root === 'sent' && rules.capabilities.thread && rootRef !== null)
    return { form: 'reply', thread: rootRef };
  if (root === 'sent' || (root === 'unknown' && rules.onDoubt === 'repeat'))
    return { form: 'message', isRepeated: false };
  return root === 'none' && !rules.awaitsResult ? { form: 'root', isRepeated: false } : undefined;
}

/** A request for approval, or a question. One that was decided before it was sent is not shown. */
function formOfApproval(
  { key, state, isDoubtful }: Delivery,
  { deliveries, thread, rules }: Around,
): Form | undefined {
  // One that can have arrived is searched first: the decision replaces it then.
  const isLost = state === 'sending' || isDoubtful;
  if (!isLost && deliveries.some((one) => one.event === 'decided' && one.key === key)) return undefined;
  const { root, rootRef } = thread;
  if ((root === 'sent' || root === 'gone') && rules.capabilities.thread && rootRef !== null)
    return { form: 'reply', thread: rootRef };
  if (root === 'unknown')
    return rules.onDoubt === 'repeat' ? { form: 'message', isRepeated: true } : undefined;
  return { form: 'message', isRepeated: false };
}

/** The decision about an approval replaces its request. */
function formOfDecision({ destination, key }: Delivery, { deliveries, rules }: Around): Form | undefined {
  const request = deliveries.find(
    (one) => one.destination === destination && one.event === 'approval' && one.key === key,
  );
  if (request?.state !== 'sent' || request.ref === null || !rules.capabilities.update) return undefined;
  return { form: 'editReply', ref: request.ref };
}

/** When the first message can be replaced; null for now. Only progress waits for the gap between edits. */
function editableFrom({ event }: Delivery, { editedAt, quietUntil }: Thread): Date | null {
  const gap =
    editedAt === null || RESULTS.has(event) || event === 'resolved'
      ? null
      : new Date(editedAt.getTime() + EDIT_GAP_MS);
  if (gap === null || quietUntil === null) return gap ?? quietUntil;
  return gap > quietUntil ? gap : quietUntil;
}
