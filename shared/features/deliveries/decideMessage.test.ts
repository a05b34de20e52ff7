import { expect, it } from 'vitest';
import type { MessageProgress } from '../../kits/deliveries/delivery.ts';
import { afterProbe, afterSend, decideMessage, type MessageRules, startSending } from './decideMessage.ts';

const SENT_AT = Date.parse('2026-11-26T09:00:00Z');
const at = (seconds: number) => new Date(SENT_AT + seconds * 1_000);
const RULES: MessageRules = {
  timeoutMs: 20_000,
  hasProbe: true,
  canRepeat: false,
  isEdit: false,
  delaysMs: [10_000],
};
const NEW: MessageProgress = {
  state: 'pending',
  dueAt: null,
  attempts: 0,
  isDoubtful: false,
  probes: 0,
  probedAt: null,
  sendingAt: null,
  firstSentAt: null,
  sentAt: null,
  ref: null,
  failure: null,
};

it.each([
  ['before the request can no longer take effect', [109], 0, true],
  ['once after that', [110], 1, true],
  ['once before and once after', [109, 174], 1, true],
  ['twice after', [110, 175], 0, false],
])(
  'a message that searches did not find %s is sent again only after two that count',
  (_, searches, probes, isDoubtful) => {
    let message: MessageProgress = { ...startSending(NEW, RULES, at(0)), state: 'pending', isDoubtful: true };
    for (const second of searches) message = afterProbe(message, { outcome: 'absent' }, RULES, at(second));
    expect(message).toMatchObject({ state: 'pending', probes, isDoubtful });
    const next = decideMessage({ ...message, dueAt: null }, RULES, at(1_000));
    expect(next.kind).toBe(isDoubtful ? 'probe' : 'send');
  },
);

it.each([
  ['a search', { hasProbe: true, canRepeat: false }, 'pending', 110],
  ['a key', { hasProbe: false, canRepeat: true }, 'pending', 20],
  ['neither', { hasProbe: false, canRepeat: false }, 'unknown', null],
  // A lost edit could still take effect after the next one, and bring back an older text.
  ['a key, for an edit', { hasProbe: false, canRepeat: true, isEdit: true }, 'pending', 110],
])(
  'a process that died in a request leaves the message, with %s, so: %s',
  (_, abilities, state, dueAfter) => {
    const rules = { ...RULES, ...abilities };
    const step = decideMessage(startSending(NEW, rules, at(0)), rules, at(1_000));
    const dueAt = dueAfter === null ? null : at(dueAfter);
    expect(step).toMatchObject({ kind: 'store', progress: { state, isDoubtful: true, dueAt } });
  },
);

it.each([
  ['refused', false, { state: 'failed', dueAt: null, attempts: 1 }],
  ['refused', true, { state: 'unknown', dueAt: null, attempts: 1 }],
  ['retry', false, { state: 'pending', dueAt: at(7), attempts: 0 }],
] as const)(
  'an attempt that is %s, in doubt before: %s, leaves the message so: %j',
  (outcome, isDoubtful, after) => {
    const sending = { ...startSending(NEW, RULES, at(0)), isDoubtful };
    // The sweep finds a message whose process died.
    expect(sending).toMatchObject({ state: 'sending', dueAt: at(110) });
    const result = { outcome, failure: { code: 'x', message: 'x' }, retryAfterMs: 7_000 };
    expect(afterSend(sending, result, RULES, at(0))).toMatchObject(after);
  },
);

it.each([
  [3_600_000, 3_600],
  [40 * 86_400_000, 86_400],
  [Number.POSITIVE_INFINITY, 86_400],
  [Number.NaN, 86_400],
  [-5_000, 0],
])(
  'a destination that asks for %d ms gets the message after %d s: a pause is a day at most',
  (asked, after) => {
    const failure = { code: 'x', message: 'x' };
    const result = { outcome: 'retry' as const, failure, retryAfterMs: asked };
    const sending = startSending(NEW, RULES, at(0));
    expect(afterSend(sending, result, RULES, at(0))).toMatchObject({ attempts: 0, dueAt: at(after) });
    const probed = afterProbe(sending, { ...result, outcome: 'failed' }, RULES, at(0));
    expect(probed.dueAt).toEqual(at(Math.max(after, 65)));
  },
);
