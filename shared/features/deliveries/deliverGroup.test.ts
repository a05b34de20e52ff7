import { describe, expect, it } from 'vitest';
import {
  type Destination,
  NO_PARTS,
  type OutgoingMessage,
  type SendResult,
} from '../../contract/destination.ts';
import { createDocument, replaceDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { type DeliveryGroup, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { deliveryGroupType, destinationStateType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { deliverGroup } from './deliverGroup.ts';
import { changeState } from './destinationCircuit.ts';
import { addMember, takeRoot } from './messageGroups.ts';

const START = Date.parse('2026-11-26T09:10:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);
const GROUP: DeliveryGroup = {
  destination: 'team',
  kind: 'storm',
  sessionIds: ['s'],
  count: 1,
  shown: 0,
  holder: null,
  heldUntil: null,
  ...unsentProgress(at(0)),
  expireAt: at(86_400),
  createdAt: at(-60),
};
const ID = 'team.storm.1';
const CAPABILITIES = {
  update: true,
  thread: false,
  buttons: false,
  probe: false,
  key: true,
  isRepeatSafe: false,
};

type Sending = (outgoing: OutgoingMessage) => SendResult | Promise<SendResult>;

/** A stored group, and a destination whose messages are those of `sent` and `edited`. */
async function open(
  changes: Partial<DeliveryGroup>,
  {
    send = () => ({ outcome: 'sent', ref: 'r' }),
    update,
    probe,
    capabilities = {},
    publicUrl = null,
    isKnown = true,
  }: {
    send?: Sending;
    update?: SendResult;
    probe?: NonNullable<Destination['probe']>;
    capabilities?: Partial<Destination['capabilities']>;
    publicUrl?: string | null;
    isKnown?: boolean;
  } = {},
) {
  let now = START;
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const path = paths.deliveryGroup(ID);
  const group = { ...GROUP, ...changes };
  await store.commit([createDocument(path, deliveryGroupType, group)]);
  const memberIds = (count: number) =>
    Array.from({ length: count }, (_, n) => group.sessionIds[n] ?? `m${n}`);
  const addMembers = async (count: number) => {
    for (const id of memberIds(count)) await addMember(ID, id, { store, clock });
  };
  await addMembers(group.count);
  const sent: OutgoingMessage[] = [];
  const edited: [string, OutgoingMessage][] = [];
  const destination: Destination = {
    kind: 'googleChat',
    capabilities: { ...CAPABILITIES, ...capabilities },
    timeoutMs: 15_000,
    async send(outgoing) {
      sent.push(outgoing);
      return send(outgoing);
    },
    ...(probe !== undefined && { probe }),
    ...(update !== undefined && {
      async update(ref: string, outgoing: OutgoingMessage) {
        edited.push([ref, outgoing]);
        return update;
      },
    }),
  };
  let holders = 0;
  const deps = composeState({
    clock,
    store,
    publisher: createMemoryPublisher(),
    log: createLogger({ LOG_LEVEL: 'silent' }),
    publicUrl,
    newId: () => `process-${++holders}`,
    destinations: async () =>
      isKnown ? { destination, tenants: ['default'], onDoubt: 'repeat' as const } : undefined,
  });
  const read = async () => {
    const stored = await store.get(path, deliveryGroupType);
    if (stored === undefined) throw new Error('the group is not stored');
    return stored;
  };
  return {
    deps,
    store: store as Store,
    sent,
    edited,
    read,
    deliver: () => deliverGroup(ID, deps),
    advance: (seconds: number) => {
      now += seconds * 1_000;
    },
    /** Adds a session, as another process does. */
    async join() {
      const { value, version } = await read();
      const joined = { ...value, count: value.count + 1 };
      await addMembers(group.count + 1);
      await store.commit([replaceDocument(path, deliveryGroupType, joined, version)]);
    },
    circuit: async () => (await store.get(paths.destination('team'), destinationStateType))?.value,
  };
}

it('a late answer does not replace the document of a process that claimed the group in between', async () => {
  const bench = await open(
    {},
    {
      async send() {
        if (bench.sent.length > 1) return { outcome: 'sent', ref: 'second' };
        // The request hangs until its lease has ended, and a second process repeats it.
        for (let wait = 0; wait < 10; wait++) {
          bench.advance(60);
          await bench.deliver();
        }
        return { outcome: 'refused', failure: { code: 'late', message: 'late' } };
      },
    },
  );
  await bench.deliver();
  expect((await bench.read()).value).toMatchObject({ state: 'sent', ref: 'second', failure: null });
});

const SENT = {
  state: 'sent',
  ref: 'r',
  shown: 1,
  sentAt: at(-30),
  firstSentAt: at(-30),
  sendingAt: at(-30),
} as const;
const FAILURE = { code: 'x', message: 'x' };

describe('the first message', () => {
  it('is sent once, and stored with the count that it shows', async () => {
    const { deliver, sent, read } = await open({});
    await deliver();
    const title = 'Many alerts: 1 session more in this hour';
    expect(sent).toEqual([
      {
        ...{ id: ID, event: 'notice', thread: null, place: null, session: null },
        message: { ...NO_PARTS, status: 'notice', title, text: title, link: null },
        occurredAt: at(-60),
        firstSentAt: at(0),
      },
    ]);
    expect((await read()).value).toEqual({
      ...GROUP,
      ...{ state: 'sent', ref: 'r', dueAt: null, attempts: 1, shown: 1 },
      ...{ firstSentAt: at(0), sendingAt: at(0), sentAt: at(0) },
    });
    await deliver();
    expect(sent).toHaveLength(1);
  });

  it('of a digest links the pages of at most ten sessions', async () => {
    const sessionIds = Array.from({ length: 12 }, (_, index) => `s?${index}`);
    const digest = { kind: 'digest', sessionIds, count: 12, firstSentAt: at(-9) } as const;
    const { deliver, sent } = await open(digest, { publicUrl: 'https://a.example' });
    await deliver();
    expect(sent[0]?.firstSentAt).toEqual(at(-9));
    expect(sent[0]?.message).toEqual({
      ...NO_PARTS,
      ...{ status: 'notice', title: 'Digest: 12 sessions', text: 'Digest: 12 sessions' },
      link: 'https://a.example',
      evidence: sessionIds
        .slice(0, 10)
        .map((id, index) => ({ title: id, url: `https://a.example/s/s%3F${index}` })),
    });
  });

  it.each([
    ['is due later', { dueAt: at(1) }],
    ['is not due', { dueAt: null }],
    ['is held by another process', { holder: 'other', heldUntil: at(30) }],
    ['has failed', { state: 'failed' }],
  ] as const)('of a group that %s is not sent', async (_, changes) => {
    const { deliver, sent, read } = await open(changes);
    await deliver();
    expect(sent).toEqual([]);
    expect((await read()).value).toEqual({ ...GROUP, ...changes });
  });

  it('of a group that is not stored is not sent', async () => {
    const { deps, sent } = await open({});
    await deliverGroup('team.storm.2', deps);
    expect(sent).toEqual([]);
  });

  it('is held while it is sent, for the request and 30 s', async () => {
    const held: unknown[] = [];
    const bench = await open(
      {},
      {
        async send() {
          const { holder, heldUntil, state } = (await bench.read()).value;
          held.push([holder, heldUntil, state]);
          return { outcome: 'sent', ref: 'r' };
        },
      },
    );
    await bench.deliver();
    expect(held).toEqual([['process-1', at(45), 'sending']]);
  });

  it.each([
    ['storm', {}, at(60)],
    ['digest', { kind: 'digest' }, null],
  ] as const)(
    'of a %s is edited a minute later for sessions that joined meanwhile, if at all',
    async (_, kind, dueAt) => {
      const bench = await open(kind, {
        async send() {
          await bench.join();
          return { outcome: 'sent', ref: 'r' };
        },
      });
      await bench.deliver();
      expect((await bench.read()).value).toMatchObject({ count: 2, shown: 1, dueAt, state: 'sent' });
    },
  );

  it('waits until the store counts its sessions, and is in no doubt', async () => {
    const { deliver, deps, sent, read, advance } = await open({ kind: 'digest' });
    const { count } = deps.store;
    deps.store.count = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'away'));
    await deliver();
    expect(sent).toEqual([]);
    expect((await read()).value).toMatchObject({ state: 'pending', attempts: 0, dueAt: at(10) });
    deps.store.count = count;
    advance(10);
    await deliver();
    expect(sent.map(({ message }) => message.title)).toEqual(['Digest: 1 session']);
  });

  it('of a second attempt can show an earlier count', async () => {
    const { deliver, read } = await open({ attempts: 1, failure: FAILURE });
    await deliver();
    expect((await read()).value).toMatchObject({ shown: 0, dueAt: at(60), failure: null });
  });

  it('that is refused counts against its destination', async () => {
    const { deliver, read, circuit } = await open(
      {},
      { send: () => ({ outcome: 'refused', failure: FAILURE }) },
    );
    await deliver();
    expect((await read()).value).toMatchObject({ state: 'failed', dueAt: null, shown: 0, failure: FAILURE });
    expect(await circuit()).toMatchObject({ refusals: 1, failure: FAILURE });
  });

  it.each([
    ['found', { outcome: 'found', ref: 'p' }, { state: 'sent', ref: 'p', shown: 0, dueAt: at(60) }],
    ['absent', { outcome: 'absent' }, { state: 'pending', probes: 1, dueAt: at(65) }],
  ] as const)('in doubt is searched: %s', async (_, found, after) => {
    const doubtful = { isDoubtful: true, attempts: 1, sendingAt: at(-3_600), firstSentAt: at(-3_600) };
    const capabilities = { key: false, probe: true };
    const { deliver, sent, read } = await open(doubtful, { capabilities, probe: async () => found });
    await deliver();
    expect(sent).toEqual([]);
    expect((await read()).value).toMatchObject(after);
  });

  it('whose process died is in doubt, without a request', async () => {
    const { deliver, sent, read } = await open(
      { state: 'sending', attempts: 1, sendingAt: at(-3_600), firstSentAt: at(-3_600) },
      { capabilities: { key: false } },
    );
    await deliver();
    expect(sent).toEqual([]);
    expect((await read()).value).toMatchObject({ state: 'unknown', isDoubtful: true, dueAt: null });
  });

  it.each([
    ['storm', 1],
    // The sweep tries it again: it has taken a place of the hour.
    ['rejected', 0],
  ] as const)('of a group (%s) that changes before the request is sent %d times', async (kind, count) => {
    const bench = await open({ kind, codes: [] });
    const { store } = bench;
    const { commit } = store;
    let lost = 0;
    store.commit = async (writes) =>
      writes.some((one) => one.op !== 'delete' && (one.value as DeliveryGroup).state === 'sending') &&
      lost++ === 0
        ? { ok: false, reason: 'changed' }
        : commit(writes);
    await bench.deliver();
    expect([lost > 0, bench.sent.length]).toEqual([true, count]);
  });
});

describe('a destination that cannot be used', () => {
  it.each([
    ['pending', false, 'failed'],
    ['pending', true, 'unknown'],
    ['sending', false, 'unknown'],
    ['sent', false, 'sent'],
  ] as const)('has a group that is %s, in doubt: %s, as %s', async (state, isDoubtful, after) => {
    for (const [options, changes, code] of [
      [{ isKnown: false }, {}, 'destination_unknown'],
      [{}, { tenantId: 'other' }, 'tenant_denied'],
    ] as const) {
      const { deliver, sent, edited, read } = await open(
        { ...SENT, ...changes, state, isDoubtful, count: 2 },
        { ...options, update: { outcome: 'sent', ref: 'r' } },
      );
      await deliver();
      expect([sent, edited]).toEqual([[], []]);
      const { value } = await read();
      expect(value).toMatchObject({ state: after, dueAt: null, failure: { code } });
    }
  });

  it('keeps messages until its circuit lets them pass, or for ever', async () => {
    for (const [closedUntil, after] of [
      [at(300), { state: 'pending', dueAt: at(300), failure: null }],
      [
        new Date('9999-12-31T00:00:00Z'),
        { state: 'failed', dueAt: null, failure: expect.objectContaining({ code: 'destination_disabled' }) },
      ],
    ] as const) {
      const { deliver, deps, sent, read } = await open({});
      await changeState('team', deps, (state) => ({ ...state, refusals: 3, closedUntil }));
      await deliver();
      expect(sent).toEqual([]);
      expect((await read()).value).toMatchObject(after);
    }
  });

  it.each([
    ['waits for the next hour', {}, {}, 0, at(3_000)],
    ['is sent where programs get it', {}, { isRepeatSafe: true }, 1, null],
    ['is sent if it was started before', { firstSentAt: at(-5), attempts: 1 }, {}, 1, at(60)],
  ])('is full: a message about rejected alerts %s', async (_, changes, capabilities, count, dueAt) => {
    const rejected = { kind: 'rejected' as const, codes: ['ALERT_INVALID'], tenantId: 'default' };
    const { deliver, deps, sent, read } = await open({ ...rejected, ...changes }, { capabilities });
    for (let root = 0; root < 20; root++) await takeRoot('team', deps);
    await deliver();
    expect(sent.map(({ event }) => event)).toEqual(Array(count).fill('rejected'));
    expect((await read()).value.dueAt).toEqual(dueAt);
  });

  it('has room: a message about rejected alerts takes one of the first of the hour', async () => {
    const { deliver, sent, circuit } = await open({ kind: 'rejected', codes: [], tenantId: 'default' });
    await deliver();
    expect([sent.length, (await circuit())?.roots]).toEqual([1, 1]);
    expect(sent[0]?.message.title).toBe('1 alert was rejected since 2026-11-26 09:09 UTC');
  });
});

describe('the count of a sent message', () => {
  const behind = { ...SENT, count: 3, sessionIds: ['s', 'm1', 'm2'] };

  it('is edited', async () => {
    const { deliver, sent, edited, read } = await open(behind, { update: { outcome: 'sent', ref: 'r' } });
    await deliver();
    expect(sent).toEqual([]);
    expect(edited).toMatchObject([['r', { message: { text: 'Many alerts: 3 sessions more in this hour' } }]]);
    expect((await read()).value).toEqual({
      ...GROUP,
      ...behind,
      ...{ shown: 3, dueAt: null, sendingAt: at(0) },
    });
  });

  it.each([
    ['has no reference', { ...behind, ref: null }, true],
    ['is shown already', { ...behind, kind: 'rejected' as const, codes: [], shown: 3 }, true],
    ['cannot be changed there', behind, false],
  ])('is left where it %s', async (_, group, canUpdate) => {
    const { deliver, edited, read } = await open(
      group,
      canUpdate ? { update: { outcome: 'sent', ref: 'r' } } : {},
    );
    await deliver();
    expect(edited).toEqual([]);
    expect((await read()).value).toEqual({ ...GROUP, ...group, dueAt: null });
  });

  it('is edited again after a request that died, which had counted the sessions', async () => {
    const died = { ...behind, count: 1, sendingAt: at(-600), holder: 'died', heldUntil: at(-1) };
    const { deliver, edited, deps, read } = await open(died, { update: { outcome: 'sent', ref: 'r' } });
    await addMember(ID, 'later', deps);
    await deliver();
    expect(edited).toMatchObject([['r', { message: { text: 'Many alerts: 2 sessions more in this hour' } }]]);
    expect((await read()).value).toMatchObject({ shown: 2, count: 2, dueAt: null });
  });

  it('waits for the circuit', async () => {
    const { deliver, deps, edited, read } = await open(behind, { update: { outcome: 'sent', ref: 'r' } });
    await changeState('team', deps, (state) => ({ ...state, refusals: 3, closedUntil: at(300) }));
    await deliver();
    expect(edited).toEqual([]);
    expect((await read()).value).toMatchObject({ state: 'sent', dueAt: at(300) });
  });

  it.each([
    [{ outcome: 'gone' }, null],
    [{ outcome: 'refused' }, null],
    [{ outcome: 'unknown' }, at(105)],
    [{ outcome: 'retry', retryAfterMs: null }, at(105)],
    [{ outcome: 'retry', retryAfterMs: 1_200_000 }, at(1_200)],
  ] as const)('whose edit is %j is due at %o', async (result, dueAt) => {
    const { deliver, read } = await open(behind, { update: { ...result, failure: FAILURE } as SendResult });
    await deliver();
    expect((await read()).value).toEqual({
      ...GROUP,
      ...behind,
      ...{ sendingAt: at(0), failure: FAILURE, dueAt },
    });
  });
});
