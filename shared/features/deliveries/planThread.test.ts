import { expect, it } from 'vitest';
import type { Delivery, Thread } from '../../kits/deliveries/delivery.ts';
import { openDeliveries, type PlanRules, planThread } from './planThread.ts';

const NOW = new Date('2026-11-05T10:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

type State = Pick<Delivery, 'event' | 'state'> & Partial<Delivery>;
/** Messages that are created one second after the other. */
const messages = (states: readonly State[]): Delivery[] =>
  states.map(
    (one, index) =>
      ({ destination: 'oncall', key: '', ref: null, createdAt: ago(60 - index), ...one }) as Delivery,
  );
const thread = (more: Partial<Thread> = {}): Thread =>
  ({ root: 'none', rootRef: null, editedAt: null, quietUntil: null, ...more }) as Thread;
const rules = (onDoubt: PlanRules['onDoubt'] = 'repeat', update = true, hasThread = true): PlanRules => ({
  onDoubt,
  capabilities: { update, thread: hasThread },
  isResolved: true,
  awaitsResult: false,
});
const pending = (event: Delivery['event'], more: Partial<Delivery> = {}): State => ({
  event,
  state: 'pending',
  ...more,
});
/** The action in short: `attempt root`, `skip opened`. */
function planned(states: readonly State[], at: Thread, by: PlanRules): string {
  const action = planThread(messages(states), at, by, NOW);
  if (action.kind === 'done') return 'done';
  const form = action.kind === 'attempt' ? ` as ${action.form}` : '';
  const repeated =
    action.kind === 'attempt' && 'isRepeated' in action && action.isRepeated ? ', repeated' : '';
  return `${action.kind} ${action.delivery.event}${form}${repeated}`;
}

it.each([
  ['repeat', 'ended', 'attempt ended as root, repeated'],
  ['hold', 'ended', 'skip ended'],
  ['repeat', 'failed', 'attempt failed as root, repeated'],
  ['hold', 'failed', 'skip failed'],
  ['repeat', 'progress', 'skip progress'],
  ['hold', 'progress', 'skip progress'],
  ['repeat', 'approval', 'attempt approval as message, repeated'],
  ['hold', 'approval', 'skip approval'],
  ['repeat', 'asked', 'attempt asked as message, repeated'],
  ['hold', 'asked', 'skip asked'],
  ['repeat', 'details', 'skip details'],
] as const)(
  'after a first message without a known outcome, `onDoubt: %s` sends %s so: %s',
  (onDoubt, event, action) => {
    expect(planned([pending(event)], thread({ root: 'unknown' }), rules(onDoubt))).toBe(action);
  },
);

it('progress is edited at most every 10 s, and a result at once', () => {
  const edited = thread({ root: 'sent', rootRef: 'r', editedAt: ago(9) });
  expect(planThread(messages([pending('progress')]), edited, rules(), NOW)).toMatchObject({
    kind: 'wait',
    until: new Date(NOW.getTime() + 1_000),
  });
  expect(planned([pending('progress')], { ...edited, editedAt: ago(10) }, rules())).toBe(
    'attempt progress as edit',
  );
  expect(planned([pending('ended')], edited, rules())).toBe('attempt ended as edit');
  expect(planned([pending('ended')], { ...edited, quietUntil: ago(-5) }, rules())).toBe('wait ended');
});

it('a later state covers an edit, and a result never precedes the states before it', () => {
  const sent = thread({ root: 'sent', rootRef: 'r' });
  expect(planned([pending('ended'), pending('progress')], sent, rules())).toBe('skip progress');
  expect(planned([pending('ended'), pending('opened')], thread(), rules())).toBe('attempt opened as root');
  expect(planned([{ event: 'opened', state: 'sent' }], sent, rules())).toBe('done');
});

it('without edits a result is a message of its own, and progress is not sent', () => {
  const sent = thread({ root: 'sent', rootRef: 'r' });
  expect(planned([pending('progress')], sent, rules('repeat', false))).toBe('skip progress');
  expect(planned([pending('ended')], sent, rules('repeat', false))).toBe('attempt ended as message');
});

it('a result is a reply where the first message was deleted, and nothing where there are no threads', () => {
  const gone = thread({ root: 'gone', rootRef: 'r' });
  expect(planned([pending('ended')], gone, rules())).toBe('attempt ended as reply');
  expect(planned([pending('ended')], gone, rules('repeat', true, false))).toBe('skip ended');
});

it('a decision replaces its request, and a request that was decided before it was sent is not sent', () => {
  const sent = thread({ root: 'sent', rootRef: 'r' });
  const request = { event: 'approval', state: 'sent', key: 'a', ref: 'm' } as const;
  expect(planned([request, pending('decided', { key: 'a' })], sent, rules())).toBe(
    'attempt decided as editReply',
  );
  expect(planned([request, pending('decided', { key: 'b' })], sent, rules())).toBe('skip decided');
  expect(
    planned(
      [pending('approval', { key: 'a' }), { event: 'decided', state: 'sent', key: 'a' }],
      sent,
      rules(),
    ),
  ).toBe('skip approval');
});

it.each([
  [{ state: 'sending' }, 'attempt approval as reply'],
  [{ state: 'pending', isDoubtful: true }, 'attempt approval as reply'],
  [{ state: 'pending', isDoubtful: false }, 'skip approval'],
] as const)('a decided approval that is %j is handled so: %s', (progress, action) => {
  const states: State[] = [{ event: 'approval', ...progress }, pending('decided')];
  expect(planned(states, thread({ root: 'sent', rootRef: 'r' }), rules())).toBe(action);
});

it('no edit is sent before a lost one can no longer arrive, also a result', () => {
  const until = new Date(NOW.getTime() + 60_000);
  const quiet = thread({ root: 'sent', rootRef: 'r', editedAt: ago(1), quietUntil: until });
  for (const event of ['progress', 'ended'])
    expect(planThread(messages([pending(event)]), quiet, rules(), NOW)).toMatchObject({
      kind: 'wait',
      until,
    });
});

it.each([
  ['sent', 'r', true, 'attempt decided as editReply'],
  ['unknown', 'r', true, 'skip decided'],
  ['sent', 'r', false, 'skip decided'],
  ['sent', null, true, 'skip decided'],
] as const)(
  'the decision about a request that is %s at %s, where messages can be changed: %s, is handled so: %s',
  (state, ref, update, action) => {
    const states: State[] = [{ event: 'approval', state, ref }, pending('decided')];
    expect(planned(states, thread({ root: 'sent', rootRef: 'r' }), rules('repeat', update))).toBe(action);
  },
);

it('the end of the problem is an edit at once, and covers the edits before it', () => {
  const sent = thread({ root: 'sent', rootRef: 'r', editedAt: ago(1) });
  expect(planned([pending('resolved')], sent, rules())).toBe('attempt resolved as edit');
  expect(planned([pending('progress'), pending('resolved')], sent, rules())).toBe('skip progress');
  expect(planned([pending('resolved'), pending('ended')], sent, rules())).toBe('skip resolved');
});

it.each([
  ['sent', {}, 'attempt resolved as message'],
  ['sent', { isResolved: false }, 'skip resolved'],
  ['none', {}, 'attempt resolved as root'],
  ['none', { awaitsResult: true }, 'skip resolved'],
  ['unknown', {}, 'attempt resolved as message'],
  ['unknown', { onDoubt: 'hold' }, 'skip resolved'],
  ['gone', {}, 'skip resolved'],
  ['grouped', {}, 'skip resolved'],
  ['digest', {}, 'skip resolved'],
] as const)(
  'without edits, the end of the problem after a first message that is %s, with %j, is handled so: %s',
  (root, change, action) => {
    const by = { ...rules('repeat', false, false), ...change };
    expect(planned([pending('resolved')], thread({ root, rootRef: 'r' }), by)).toBe(action);
  },
);

it('without edits, only the latest end of the problem is sent, in the thread where there is one', () => {
  const sent = thread({ root: 'sent', rootRef: 'r' });
  const by = rules('repeat', false);
  expect(planned([pending('resolved')], sent, by)).toBe('attempt resolved as reply');
  expect(planned([pending('resolved'), pending('resolved', { key: '2' })], sent, by)).toBe('skip resolved');
  // One that can have arrived is searched, also when the problem fires again.
  const lost = pending('resolved', { isDoubtful: true });
  expect(planned([lost], sent, { ...by, isResolved: false })).toBe('attempt resolved as reply');
});

/**
 * The form of each event by the state of the first message; `-` for none, `!` for one that is marked as
 * repeated, `lost` for a first message that has no reference.
 */
const FORMS: Record<string, { update: boolean; thread: boolean; forms: string }> = {
  'edits and threads': {
    update: true,
    thread: true,
    forms: `
             none      sent      lost      unknown   gone      grouped   digest
    deferred root      edit      message   -         -         -         -
    opened   root      edit      message   -         -         -         -
    progress -         edit      -         -         -         -         -
    resolved root      edit      message   message   -         -         -
    ended    root      edit      message   root!     reply     -         -
    failed   root      edit      message   root!     reply     -         -
    approval message   reply     message   message!  reply     message   message
    asked    message   reply     message   message!  reply     message   message
    decided  editReply editReply editReply editReply editReply editReply editReply
    details  -         reply     -         -         reply     -         -
    outcome  message   reply     message   message   reply     -         -
    answer   -         reply     -         -         reply     -         -`,
  },
  threads: {
    update: false,
    thread: true,
    forms: `
             none      sent      lost      unknown   gone      grouped   digest
    deferred root      message   message   -         -         -         -
    opened   root      message   message   -         -         -         -
    progress -         -         -         -         -         -         -
    resolved root      reply     message   message   -         -         -
    ended    root      message   message   root!     reply     -         -
    failed   root      message   message   root!     reply     -         -
    approval message   reply     message   message!  reply     message   message
    asked    message   reply     message   message!  reply     message   message
    decided  -         -         -         -         -         -         -
    details  -         reply     -         -         reply     -         -
    outcome  message   reply     message   message   reply     -         -
    answer   -         reply     -         -         reply     -         -`,
  },
  edits: {
    update: true,
    thread: false,
    forms: `
             none      sent      lost      unknown   gone      grouped   digest
    deferred root      edit      message   -         -         -         -
    opened   root      edit      message   -         -         -         -
    progress -         edit      -         -         -         -         -
    resolved root      edit      message   message   -         -         -
    ended    root      edit      message   root!     -         -         -
    failed   root      edit      message   root!     -         -         -
    approval message   message   message   message!  message   message   message
    asked    message   message   message   message!  message   message   message
    decided  editReply editReply editReply editReply editReply editReply editReply
    details  -         -         -         -         -         -         -
    outcome  message   message   message   message   message   -         -
    answer   -         -         -         -         -         -         -`,
  },
  neither: {
    update: false,
    thread: false,
    forms: `
             none      sent      lost      unknown   gone      grouped   digest
    deferred root      message   message   -         -         -         -
    opened   root      message   message   -         -         -         -
    progress -         -         -         -         -         -         -
    resolved root      message   message   message   -         -         -
    ended    root      message   message   root!     -         -         -
    failed   root      message   message   root!     -         -         -
    approval message   message   message   message!  message   message   message
    asked    message   message   message   message!  message   message   message
    decided  -         -         -         -         -         -         -
    details  -         -         -         -         -         -         -
    outcome  message   message   message   message   message   -         -
    answer   -         -         -         -         -         -         -`,
  },
};

it.each(Object.entries(FORMS))(
  'with %s, each event has its form',
  (_, { update, thread: hasThread, forms }) => {
    const [roots = [], ...rows] = forms
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    for (const [event = '', ...cells] of rows)
      for (const [column, cell] of cells.entries()) {
        const root = roots[column] ?? '';
        const isLost = root === 'lost';
        const at = thread({
          root: (isLost ? 'sent' : root) as Thread['root'],
          rootRef: ['sent', 'gone'].includes(root) ? 'r' : null,
        });
        const request: State[] =
          event === 'decided' ? [{ event: 'approval', state: 'sent', key: 'a', ref: 'm' }] : [];
        for (const onDoubt of ['repeat', 'hold'] as const) {
          const states = [...request, pending(event, { key: 'a', isDoubtful: false })];
          const action = planThread(messages(states), at, rules(onDoubt, update, hasThread), NOW);
          // Nothing new is sent beside a first message that can have arrived.
          const isHeld = onDoubt === 'hold' && root === 'unknown' && cell !== 'editReply';
          const expected = isHeld ? '-' : cell;
          const { delivery, ...form } = action as Extract<typeof action, { kind: 'attempt' }>;
          expect([event, root, onDoubt, delivery.event, form]).toEqual([
            event,
            root,
            onDoubt,
            event,
            {
              '-': { kind: 'skip' },
              root: { kind: 'attempt', form: 'root', isRepeated: false },
              'root!': { kind: 'attempt', form: 'root', isRepeated: true },
              message: { kind: 'attempt', form: 'message', isRepeated: false },
              'message!': { kind: 'attempt', form: 'message', isRepeated: true },
              reply: { kind: 'attempt', form: 'reply', thread: 'r' },
              edit: { kind: 'attempt', form: 'edit', ref: 'r' },
              editReply: { kind: 'attempt', form: 'editReply', ref: 'm' },
            }[expected],
          ]);
        }
      }
  },
);

it('messages are sent by the phase of the session, then by their time, then by their name', () => {
  const order = ['deferred', 'opened', 'approval', 'progress', 'ended', 'details', 'outcome'];
  const later = pending('progress', { key: '2', createdAt: ago(1) });
  const shuffled = [later, ...order.toReversed().map((event) => pending(event, { createdAt: ago(9) }))];
  const skipped = (['sent', 'failed', 'unknown', 'skipped', 'awaited'] as const).map((state) => ({
    event: 'opened',
    state,
  }));
  const found = openDeliveries(messages([...skipped, ...shuffled]));
  expect(found.map(({ event, key }) => `${event}${key}`)).toEqual([
    ...order.slice(0, 4),
    'progress2',
    ...order.slice(4),
  ]);
  expect(openDeliveries(messages([{ event: 'opened', state: 'sending' }]))).toHaveLength(1);
});

it.each([
  [null, null, null],
  [ago(1), null, 9],
  [ago(1), ago(-5), 9],
  [ago(1), ago(-20), 20],
  [null, ago(-5), 5],
  [ago(11), ago(1), null],
])('progress, edited at %o and quiet until %o, waits %s s', (editedAt, quietUntil, seconds) => {
  const at = thread({ root: 'sent', rootRef: 'r', editedAt, quietUntil });
  const action = planThread(messages([pending('progress')]), at, rules(), NOW);
  expect(action.kind === 'wait' ? action.until : null).toEqual(seconds === null ? null : ago(-seconds));
});

it('an edit that is under way is resolved before it waits', () => {
  const at = thread({ root: 'sent', rootRef: 'r', quietUntil: ago(-5) });
  expect(planned([{ event: 'ended', state: 'sending' }], at, rules())).toBe('attempt ended as edit');
});

it('only a decision about the same request at the same destination matters', () => {
  const sent = thread({ root: 'sent', rootRef: 'r' });
  const request = { event: 'approval', state: 'sent', key: 'a', ref: 'm' } as const;
  const decision = pending('decided', { key: 'a' });
  expect(planned([{ ...request, event: 'asked' }, decision], sent, rules())).toBe('skip decided');
  expect(planned([{ ...request, destination: 'other' }, decision], sent, rules())).toBe('skip decided');
  const other = { event: 'decided', state: 'sent', key: 'b' } as const;
  expect(planned([pending('approval', { key: 'a' }), other], sent, rules())).toBe(
    'attempt approval as reply',
  );
});

it.each([
  [{}, {}, [], 'skip resolved'],
  [{ state: 'sending' }, {}, [], 'attempt resolved as reply'],
  [{}, { isResolved: true }, [], 'attempt resolved as reply'],
  [{}, { isResolved: true }, [pending('ended')], 'skip resolved'],
  [{}, { isResolved: true }, [pending('details')], 'attempt resolved as reply'],
] as const)(
  'without edits, the end of a problem that is %j, with %j, before %j: %s',
  (state, by, behind, action) => {
    const sent = thread({ root: 'sent', rootRef: 'r' });
    const states = [pending('resolved', { isDoubtful: false, ...state }), ...behind];
    const rule = { ...rules('repeat', false), isResolved: false, ...by };
    expect(planned(states, sent, rule)).toBe(action);
  },
);
