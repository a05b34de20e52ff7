import { expect, it } from 'vitest';
import type { MessageProgress } from '../../kits/deliveries/delivery.ts';
import {
  afterProbe,
  afterSend,
  chooseMessageRules,
  closedState,
  decideMessage,
  type MessageRules,
  quietAfter,
  startSending,
} from './decideMessage.ts';

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

const NOTHING = {
  update: false,
  thread: false,
  buttons: false,
  probe: false,
  key: false,
  isRepeatSafe: false,
};
it.each([
  ['nothing', {}, false, { hasProbe: false, canRepeat: false }],
  ['a search', { probe: true }, false, { hasProbe: true, canRepeat: false }],
  ['a key', { key: true }, false, { hasProbe: false, canRepeat: true }],
  [
    'receivers that recognise repetitions',
    { isRepeatSafe: true },
    false,
    { hasProbe: false, canRepeat: true },
  ],
  ['a search, for an edit', { probe: true }, true, { hasProbe: false, canRepeat: true }],
  ['nothing, for an edit', {}, true, { hasProbe: false, canRepeat: true }],
])('a destination with %s has its rules', (_, abilities, isEdit, rules) => {
  const destination = { capabilities: { ...NOTHING, ...abilities }, timeoutMs: 7 };
  expect(chooseMessageRules({ ...destination, retryDelaysMs: [1] }, isEdit)).toEqual({
    ...rules,
    isEdit,
    timeoutMs: 7,
    delaysMs: [1],
  });
  const { delaysMs } = chooseMessageRules(destination, isEdit);
  expect(delaysMs.length).toBeGreaterThan(3);
  expect(delaysMs).toEqual(delaysMs.toSorted((a, b) => a - b));
});

it.each([
  [{}, {}, { kind: 'send' }],
  [{ dueAt: at(100) }, {}, { kind: 'send' }],
  [{ dueAt: at(101) }, {}, { kind: 'wait', until: at(101) }],
  [{ isDoubtful: true }, { canRepeat: true }, { kind: 'send' }],
  [{ isDoubtful: true }, { canRepeat: true, hasProbe: false }, { kind: 'send' }],
  [{ isDoubtful: true }, {}, { kind: 'probe' }],
  [{ isDoubtful: true, dueAt: at(101) }, {}, { kind: 'wait', until: at(101) }],
  ...(['sent', 'unknown', 'failed', 'skipped', 'awaited'] as const).map(
    (state) => [{ state }, {}, { kind: 'done' }] as const,
  ),
] as const)('of a message that is %j, with %j, the next step is %j', (message, rules, step) => {
  expect(decideMessage({ ...NEW, ...message }, { ...RULES, ...rules }, at(100))).toEqual(step);
});

it('a doubt that nothing resolves is stored as one', () => {
  const doubtful = { ...NEW, isDoubtful: true, dueAt: at(1) };
  expect(decideMessage(doubtful, { ...RULES, hasProbe: false }, at(100))).toEqual({
    kind: 'store',
    progress: { ...doubtful, state: 'unknown', dueAt: null },
  });
});

const FAILURE = { code: 'x', message: 'x' };
const DAY_S = 86_400;

it('a message that is started keeps the time of its first attempt', () => {
  const first = startSending(NEW, RULES, at(0));
  expect(first).toEqual({
    ...NEW,
    state: 'sending',
    attempts: 1,
    firstSentAt: at(0),
    sendingAt: at(0),
    dueAt: at(110),
  });
  expect(startSending(first, RULES, at(500))).toEqual({
    ...first,
    attempts: 2,
    sendingAt: at(500),
    dueAt: at(610),
  });
});

it('a message that was sent has its reference, and no doubt', () => {
  const sending = { ...startSending(NEW, RULES, at(0)), isDoubtful: true, failure: FAILURE };
  const sent = { state: 'sent', dueAt: null, isDoubtful: false, ref: 'r', failure: null, sentAt: at(3) };
  expect(afterSend(sending, { outcome: 'sent', ref: 'r' }, RULES, at(3))).toEqual({ ...sending, ...sent });
  expect(afterProbe(sending, { outcome: 'found', ref: 'r' }, RULES, at(3))).toEqual({ ...sending, ...sent });
});

it.each([
  ['the next delay', {}, {}, null, { state: 'pending', dueAt: at(12), attempts: 1 }],
  ['no further delay', { attempts: 2 }, {}, null, { state: 'failed', dueAt: null, attempts: 2 }],
  [
    'no further delay, in doubt',
    { attempts: 2, isDoubtful: true },
    {},
    null,
    { state: 'unknown', dueAt: null },
  ],
  ['a pause', { attempts: 2 }, {}, 7_000, { state: 'pending', dueAt: at(9), attempts: 1 }],
  ['a pause of nothing', {}, {}, 0, { state: 'pending', dueAt: at(2), attempts: 0 }],
  ['a pause after a day', { firstSentAt: at(1 - DAY_S) }, {}, 7_000, { dueAt: at(12), attempts: 1 }],
  ['a pause within a day', { firstSentAt: at(2 - DAY_S) }, {}, 7_000, { dueAt: at(9), attempts: 0 }],
  ['a longer pause after a day', { firstSentAt: at(1 - DAY_S) }, {}, 70_000, { dueAt: at(72), attempts: 1 }],
])('an attempt to repeat is planned with %s', (_, message, rules, retryAfterMs, after) => {
  const sending = { ...startSending(NEW, RULES, at(0)), ...message };
  const result = { outcome: 'retry' as const, failure: FAILURE, retryAfterMs };
  expect(afterSend(sending, result, { ...RULES, ...rules }, at(2))).toEqual({
    ...sending,
    state: 'pending',
    failure: FAILURE,
    ...after,
  });
});

it.each([
  ['a search', {}, { state: 'pending', dueAt: at(110) }],
  ['a key', { hasProbe: false, canRepeat: true }, { state: 'pending', dueAt: at(20) }],
  ['neither', { hasProbe: false }, { state: 'unknown', dueAt: null }],
])('a lost answer leaves, with %s, a doubt', (_, rules, after) => {
  const sending = { ...startSending(NEW, RULES, at(0)), probes: 1 };
  const result = { outcome: 'unknown' as const, failure: FAILURE };
  expect(afterSend(sending, result, { ...RULES, ...rules }, at(5))).toEqual({
    ...sending,
    isDoubtful: true,
    probes: 0,
    failure: FAILURE,
    ...after,
  });
});

it('a repetition after a lost answer waits for its delay where that is longer than the request', () => {
  const rules = { ...RULES, canRepeat: true, delaysMs: [300_000] };
  const sending = startSending(NEW, rules, at(0));
  expect(afterSend(sending, { outcome: 'unknown', failure: FAILURE }, rules, at(5)).dueAt).toEqual(at(300));
});

it.each([
  ['gone', false, false, 'failed'],
  ['gone', true, false, 'unknown'],
  ['gone', true, true, 'failed'],
  ['refused', true, true, 'failed'],
] as const)(
  'an attempt that is %s, in doubt: %s, as an edit: %s, is %s',
  (outcome, isDoubtful, isEdit, state) => {
    const sending = { ...startSending(NEW, RULES, at(0)), isDoubtful };
    expect(afterSend(sending, { outcome, failure: FAILURE }, { ...RULES, isEdit }, at(1))).toEqual({
      ...sending,
      state,
      dueAt: null,
      failure: FAILURE,
    });
  },
);

it('a doubt stays one after a day of searches', () => {
  const pending = { ...startSending(NEW, RULES, at(0)), state: 'pending' as const, isDoubtful: true };
  for (const result of [
    { outcome: 'absent' as const },
    { outcome: 'failed' as const, failure: FAILURE, retryAfterMs: null },
  ]) {
    expect(afterProbe(pending, result, RULES, at(DAY_S)).state).toBe('pending');
    expect(afterProbe(pending, result, RULES, at(DAY_S + 1))).toEqual({
      ...pending,
      state: 'unknown',
      dueAt: null,
    });
  }
});

it('a search that failed is repeated, and one that found nothing clears the doubt the second time', () => {
  const pending = { ...startSending(NEW, RULES, at(0)), state: 'pending' as const, isDoubtful: true };
  const failed = { outcome: 'failed' as const, failure: FAILURE, retryAfterMs: null };
  expect(afterProbe(pending, failed, RULES, at(10))).toEqual({ ...pending, failure: FAILURE, dueAt: at(75) });
  const once = afterProbe(pending, { outcome: 'absent' }, RULES, at(110));
  expect(once).toEqual({ ...pending, probes: 1, probedAt: at(110), dueAt: at(175) });
  expect(afterProbe(once, { outcome: 'absent' }, RULES, at(175))).toEqual({
    ...once,
    state: 'pending',
    isDoubtful: false,
    probes: 0,
    probedAt: at(175),
    dueAt: at(185),
    failure: expect.objectContaining({ code: 'interrupted' }),
  });
  const known = { ...once, failure: FAILURE };
  expect(afterProbe(known, { outcome: 'absent' }, RULES, at(175)).failure).toEqual(FAILURE);
});

it.each([
  ['sending', false, 'unknown'],
  ['pending', true, 'unknown'],
  ['pending', false, 'failed'],
] as const)('a message that is %s, in doubt: %s, is closed as %s', (state, isDoubtful, closed) => {
  expect(closedState({ ...NEW, state, isDoubtful })).toBe(closed);
});

it('an edit without a start is quiet after one that starts now', () => {
  expect(quietAfter({ sendingAt: at(5) }, RULES, at(50))).toEqual(at(115));
  expect(quietAfter({ sendingAt: null }, RULES, at(50))).toEqual(at(160));
});
