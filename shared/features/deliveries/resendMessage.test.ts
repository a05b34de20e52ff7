// A person repeats a message: which ones can be, and what the repetition changes.

import { expect, it } from 'vitest';
import { createDocument } from '../../core/contract/store.ts';
import { type Delivery, type Thread, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { deliveryType, paths, threadType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { resendMessage } from './resendMessage.ts';

const NOW = new Date('2026-11-26T09:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const kept = { expireAt: NOW, createdAt: ago(9) };
const ENDED: Delivery = {
  ...{ sessionId: 's', destination: 'team', event: 'ended', key: '1', isRepeated: false },
  ...unsentProgress(ago(9)),
  ...{ state: 'failed', dueAt: null, attempts: 3, probes: 1, probedAt: ago(5), firstSentAt: ago(8) },
  ...kept,
};
const THREAD: Thread = {
  ...{ sessionId: 's', destination: 'team', holder: null, heldUntil: null, place: null, root: 'none' },
  ...{ rootRef: null, editedAt: null, quietUntil: null, ...kept },
};

/** Sends the message of an end again, beside other messages. */
async function resend(
  ended: Partial<Delivery>,
  thread?: Partial<Thread>,
  others: Partial<Delivery>[] = [],
  id = 'team.ended.1',
) {
  const store = createMemoryStore(() => NOW);
  const publisher = createMemoryPublisher();
  const deliveries = [{ ...ENDED, ...ended }, ...others.map((one) => ({ ...ENDED, ...one }))];
  await store.commit([
    ...deliveries.map((one) =>
      createDocument(paths.delivery('s', one.destination, one.event, one.key), deliveryType, one),
    ),
    ...(thread === undefined
      ? []
      : [createDocument(paths.thread('s', 'team'), threadType, { ...THREAD, ...thread })]),
  ]);
  const clock = { now: () => NOW, every: () => () => {}, after: () => () => {} };
  const deps = { store, publisher, clock, log: createLogger({ LOG_LEVEL: 'silent' }) };
  const outcome = await resendMessage('s', id, deps);
  const states = (await store.list({ collection: paths.deliveries('s') }, deliveryType)).map(
    ({ value }) => `${value.destination}.${value.event} ${value.state}`,
  );
  const root = (await store.get(paths.thread('s', 'team'), threadType))?.value.root;
  const requests = publisher.published.map(({ data }) => JSON.parse(data.toString()));
  return { outcome, states, root, requests };
}

it.each([
  ['failed', false, false],
  ['failed', true, true],
  ['unknown', false, true],
] as const)(
  'one that is %s, repeated before: %s, is due now with all attempts',
  async (state, before, isRepeated) => {
    const { outcome, states, requests } = await resend({
      state,
      isDoubtful: true,
      isRepeated: before,
    });
    expect(states).toEqual(['team.ended pending']);
    const due = { state: 'pending', dueAt: NOW, attempts: 0, isDoubtful: false, probes: 0, probedAt: null };
    expect(outcome).toEqual({ kind: 'requested', delivery: { ...ENDED, ...due, isRepeated } });
    expect(requests).toEqual([{ schemaVersion: 1, sessionId: 's', destination: 'team', isAsked: true }]);
  },
);

it.each(['pending', 'sending', 'sent', 'skipped', 'awaited'] as const)(
  'one that is %s is not',
  async (state) => {
    const { outcome, requests } = await resend({ state });
    expect(outcome).toEqual({ kind: 'refused', delivery: { ...ENDED, state } });
    expect(requests).toEqual([]);
  },
);

it('one that is not stored, and one whose thread is held, is not', async () => {
  expect(await resend({}, undefined, [], 'team.ended.2')).toMatchObject({
    outcome: { kind: 'unknown' },
    requests: [],
  });
  const held = { holder: 'p', heldUntil: new Date(NOW.getTime() + 1) };
  expect(await resend({}, held)).toMatchObject({
    outcome: { kind: 'busy' },
    requests: [],
    states: ['team.ended failed'],
  });
  expect(await resend({}, { holder: 'p', heldUntil: NOW })).toMatchObject({ outcome: { kind: 'requested' } });
});

const HELD: Partial<Delivery>[] = [
  { event: 'details', state: 'skipped' },
  { event: 'approval', key: 'a', state: 'skipped' },
  { event: 'progress', key: 'b', state: 'skipped' },
  { event: 'asked', key: 'c', state: 'failed' },
  { event: 'details', destination: 'other', state: 'skipped' },
];
it.each([
  ['an unknown first message', {}, 'unknown', 'none', true],
  ['a reply to an unknown one', { event: 'asked', key: 'x' }, 'unknown', 'unknown', false],
  ['a first message that failed', {}, 'none', 'none', false],
] as const)('%s brings back what it held, or not', async (_, ended, before, root, brings) => {
  const id = `team.${'event' in ended ? 'asked.x' : 'ended.1'}`;
  const result = await resend({ state: 'unknown', ...ended }, { root: before }, HELD, id);
  expect(result.root).toBe(root);
  const held = brings ? 'pending' : 'skipped';
  expect(result.states).toEqual(
    expect.arrayContaining([
      `team.details ${held}`,
      `team.approval ${held}`,
      'team.progress skipped',
      'team.asked failed',
      'other.details skipped',
    ]),
  );
});
