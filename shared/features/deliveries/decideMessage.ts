// Decides the next step of one message, and its state after each result. Pure.

import type { DeliveryFailure, Destination, ProbeResult, SendResult } from '../../contract/destination.ts';
import type { MessageProgress } from '../../kits/deliveries/delivery.ts';

/** Clocks of machines differ by less, in milliseconds. */
export const CLOCK_MARGIN_MS = 30_000;
/** Milliseconds after its time-out in which a request can take effect, on another machine's clock. */
const LATE_MS = 60_000 + CLOCK_MARGIN_MS;
/** Milliseconds between probes: with `LATE_MS`, longer than any destination took to show a message. */
const PROBE_GAP_MS = 65_000;
/** Probes that must not find a message before it is sent again. */
const PROBES = 2;
/** A doubt that no probe has resolved for this long stays one. */
const DOUBT_MS = 24 * 3_600_000;
/** The delays between attempts, in milliseconds. */
const RETRY_DELAYS_MS = [10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000] as const;

/** The abilities of a destination for one message. */
export interface MessageRules {
  /** The longest time of a request, in milliseconds. */
  timeoutMs: number;
  /** Whether the message can be searched. */
  hasProbe: boolean;
  /** Whether a repetition of the same request shows the message once. */
  canRepeat: boolean;
  /** Whether the message replaces an earlier one: a lost edit can arrive late, so its repetition waits. */
  isEdit: boolean;
  /** The delays between attempts, in milliseconds. */
  delaysMs: readonly number[];
}

/** The rules for a message. Edits can be repeated everywhere: they set the same contents. */
export function chooseMessageRules(
  {
    capabilities,
    timeoutMs,
    retryDelaysMs,
  }: Pick<Destination, 'capabilities' | 'timeoutMs' | 'retryDelaysMs'>,
  isEdit: boolean,
): MessageRules {
  return {
    timeoutMs,
    isEdit,
    hasProbe: capabilities.probe && !isEdit,
    canRepeat: isEdit || capabilities.key || capabilities.isRepeatSafe,
    delaysMs: retryDelaysMs ?? RETRY_DELAYS_MS,
  };
}

type MessageStep =
  | { kind: 'send' }
  | { kind: 'probe' }
  | { kind: 'wait'; until: Date }
  /** Store this state, without a request. */
  | { kind: 'store'; progress: MessageProgress }
  /** It is in a final state. */
  | { kind: 'done' };

/** Decides the next step. `sending` when found: its process died, and its request can have arrived. */
export function decideMessage<T extends MessageProgress>(
  message: T,
  rules: MessageRules,
  now: Date,
): MessageStep {
  const { state, dueAt, isDoubtful } = message;
  if (state === 'sending') return { kind: 'store', progress: inDoubt(message, rules, LOST) };
  if (state !== 'pending') return { kind: 'done' };
  if (dueAt !== null && dueAt > now) return { kind: 'wait', until: dueAt };
  if (!isDoubtful || rules.canRepeat) return { kind: 'send' };
  return rules.hasProbe ? { kind: 'probe' } : { kind: 'store', progress: markUnresolved(message) };
}

const LOST: DeliveryFailure = {
  code: 'interrupted',
  message: 'The process ended before an answer was stored.',
};

/** The state before a request, due when a dead process's request can no longer take effect. */
export function startSending<T extends MessageProgress>(message: T, rules: MessageRules, now: Date): T {
  const firstSentAt = message.firstSentAt ?? now;
  const sending = { ...message, state: 'sending' as const, attempts: message.attempts + 1, firstSentAt };
  return { ...sending, sendingAt: now, dueAt: quietAfter({ sendingAt: now }, rules, now) };
}

/** The state after the result of a request. */
export function afterSend<T extends MessageProgress>(
  message: T,
  result: SendResult,
  rules: MessageRules,
  now: Date,
): T {
  switch (result.outcome) {
    case 'sent':
      return markSent(message, result.ref, now);
    case 'retry':
      return result.retryAfterMs === null
        ? retryLater(message, result.failure, 0, rules, now)
        : afterPause(message, result.failure, limitRequestedPause(result.retryAfterMs), rules, now);
    case 'unknown':
      return { ...message, ...inDoubt(message, rules, result.failure) };
    case 'refused':
    case 'gone':
      // An earlier attempt without an answer can have been accepted.
      return message.isDoubtful && !rules.isEdit
        ? { ...markUnresolved(message), failure: result.failure }
        : { ...message, state: 'failed', dueAt: null, failure: result.failure };
  }
}

/** The state after a probe. */
export function afterProbe<T extends MessageProgress>(
  message: T,
  result: ProbeResult,
  rules: MessageRules,
  now: Date,
): T {
  if (result.outcome === 'found') return markSent(message, result.ref, now);
  const lastSentAt = message.sendingAt?.getTime() ?? 0;
  if (now.getTime() - lastSentAt > DOUBT_MS) return markUnresolved(message);
  const next = (ms: number) => new Date(now.getTime() + ms);
  if (result.outcome === 'failed')
    return {
      ...message,
      failure: result.failure,
      dueAt: next(Math.max(PROBE_GAP_MS, limitRequestedPause(result.retryAfterMs ?? 0))),
    };
  const counts = now.getTime() >= lastSentAt + rules.timeoutMs + LATE_MS;
  const probes = message.probes + (counts ? 1 : 0);
  if (probes < PROBES) return { ...message, probes, probedAt: now, dueAt: next(PROBE_GAP_MS) };
  const cleared = { ...message, probes: 0, probedAt: now, isDoubtful: false };
  return retryLater(cleared, message.failure ?? LOST, 0, rules, now);
}

function markSent<T extends MessageProgress>(message: T, ref: string | null, now: Date): T {
  return { ...message, state: 'sent', dueAt: null, isDoubtful: false, ref, failure: null, sentAt: now };
}

function markUnresolved<T extends MessageProgress>(message: T): T {
  return { ...message, state: 'unknown', isDoubtful: true, dueAt: null };
}

/** After a loss, nothing is done until the request cannot take effect, unless repeating is safe. */
function inDoubt<T extends MessageProgress>(message: T, rules: MessageRules, failure: DeliveryFailure): T {
  const doubtful = { ...message, isDoubtful: true, probes: 0, failure };
  if (!rules.canRepeat && !rules.hasProbe) return markUnresolved(doubtful);
  const since = message.sendingAt ?? new Date(0);
  const quiet = new Date(since.getTime() + rules.timeoutMs + LATE_MS);
  if (rules.isEdit || !rules.canRepeat) return { ...doubtful, state: 'pending', dueAt: quiet };
  return retryLater(doubtful, failure, rules.timeoutMs, rules, since);
}

/** The pause that a destination asks for, in milliseconds: a day at most, also for unusable times. */
export function limitRequestedPause(ms: number): number {
  return ms > DOUBT_MS || Number.isNaN(ms) ? DOUBT_MS : Math.max(0, ms);
}

/** A pause that the destination asks for uses up no attempt, for a day. */
function afterPause<T extends MessageProgress>(
  message: T,
  failure: DeliveryFailure,
  ms: number,
  rules: MessageRules,
  now: Date,
): T {
  const since = message.firstSentAt ?? now;
  if (now.getTime() - since.getTime() > DOUBT_MS) return retryLater(message, failure, ms, rules, now);
  const attempts = message.attempts - 1;
  return { ...message, attempts, state: 'pending', failure, dueAt: new Date(now.getTime() + ms) };
}

/** Plans the next attempt; after the last: failed, or unknown if an attempt can have arrived. */
function retryLater<T extends MessageProgress>(
  message: T,
  failure: DeliveryFailure,
  leastMs: number,
  { delaysMs }: MessageRules,
  now: Date,
): T {
  const delay = delaysMs[message.attempts - 1];
  if (delay === undefined) {
    const over = message.isDoubtful
      ? markUnresolved(message)
      : { ...message, state: 'failed' as const, dueAt: null };
    return { ...over, failure };
  }
  return { ...message, state: 'pending', failure, dueAt: new Date(now.getTime() + Math.max(delay, leastMs)) };
}

/** The final state of a message that is not sent any more: an attempt without an answer can have arrived. */
export function closedState({ state, isDoubtful }: MessageProgress): 'unknown' | 'failed' {
  return state === 'sending' || isDoubtful ? 'unknown' : 'failed';
}

/** When an edit whose answer was lost can no longer replace a later one. */
export function quietAfter(
  { sendingAt }: Pick<MessageProgress, 'sendingAt'>,
  { timeoutMs }: MessageRules,
  now: Date,
): Date {
  return new Date((sendingAt ?? now).getTime() + timeoutMs + LATE_MS);
}
