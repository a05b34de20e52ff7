// Groups of sessions: the messages of an hour, the period of a group, and sessions that join it.

import { describe, expect, it } from 'vitest';
import { createDocument } from '../../core/contract/store.ts';
import { type DeliveryGroup, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { deliveryGroupType, destinationStateType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import {
  addMember,
  countMembers,
  deleteMember,
  groupAt,
  groupWrite,
  hasRoot,
  takeRoot,
} from './messageGroups.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-26T09:10:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

function open() {
  const time = { now: START };
  const now = () => new Date(time.now);
  const store = createMemoryStore(now);
  const clock = { now, every: () => () => {}, after: () => () => {} };
  return { time, deps: { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) } };
}

it('an hour has twenty first messages at each destination', async () => {
  const { time, deps } = open();
  const take = async (destination = 'team') => [
    await hasRoot(destination, deps),
    await takeRoot(destination, deps),
  ];
  for (let root = 0; root < 20; root++) expect(await take()).toEqual([true, true]);
  expect(await take()).toEqual([false, false]);
  expect(await take('other')).toEqual([true, true]);
  const stored = await deps.store.get(paths.destination('team'), destinationStateType);
  expect(stored?.value).toEqual({
    ...{
      destination: 'team',
      refusals: 0,
      closedUntil: null,
      failure: null,
      hour: '2026-11-26T09',
      roots: 20,
    },
    expireAt: new Date(START + 30 * 24 * HOUR_MS),
  });
  time.now += 50 * 60_000;
  expect(await take()).toEqual([true, true]);
});

it.each([
  ['storm', true, HOUR_MS, 'team.storm.2026-11-26T09', at(0)],
  ['storm', false, HOUR_MS, 'team.storm.2026-11-26T09', at(3_000)],
  ['digest', false, 4 * HOUR_MS, `team.digest.14400000.${Math.floor(START / HOUR_MS / 4)}`, at(10_200)],
] as const)('a %s, edited: %s, of %d ms is %s, due at %o', (kind, isEdited, periodMs, groupId, dueAt) => {
  const place = { kind, destination: 'team', isEdited, periodMs };
  expect(groupAt(place, at(0))).toEqual({ ...place, groupId, dueAt });
});

describe('a session', () => {
  const GROUP: DeliveryGroup = {
    ...{ destination: 'team', kind: 'storm', sessionIds: ['s1'], count: 1, shown: 0 },
    ...{ holder: null, heldUntil: null },
    ...unsentProgress(at(0)),
    expireAt: at(7 * 86_400),
    createdAt: at(0),
  };
  const SENT = { state: 'sent', dueAt: null, ref: 'r', shown: 1, firstSentAt: at(1) } as const;

  /** The group after a session joins it; undefined if it does not. */
  async function joined(stored: Partial<DeliveryGroup> | undefined, isEdited = true) {
    const { deps } = open();
    const place = groupAt({ kind: 'storm', destination: 'team', isEdited, periodMs: HOUR_MS }, at(0));
    const path = paths.deliveryGroup(place.groupId);
    if (stored !== undefined)
      await deps.store.commit([createDocument(path, deliveryGroupType, { ...GROUP, ...stored })]);
    const write = await groupWrite(place, 's2', deps);
    if (write === undefined || write === 'none') return write;
    const { op, value } = write;
    return { op, group: value };
  }

  it('opens its group', async () => {
    expect(await joined(undefined)).toEqual({ op: 'create', group: { ...GROUP, sessionIds: ['s2'] } });
  });

  it.each([
    ['was sent', SENT, { dueAt: at(60) }],
    ['is sent again', { ...SENT, dueAt: at(9), holder: 'other' }, { dueAt: at(9) }],
    ['was sent, but not the last count', { ...SENT, count: 9 }, { dueAt: at(60) }],
    ['was refused', { state: 'failed', dueAt: null, attempts: 8 }, unsentProgress(at(60))],
  ] as const)('lets one count again whose message %s', async (_, stored, change) => {
    expect(await joined(stored)).toEqual({
      op: 'replace',
      group: { ...GROUP, ...stored, count: GROUP.shown + ('shown' in stored ? 2 : 1), ...change },
    });
  });

  it.each([
    ['waits', {}],
    ['is due and behind', { ...SENT, count: 2, dueAt: at(9) }],
    ['is sent again, and behind since', { ...SENT, count: 2, dueAt: at(9), holder: 'other' }],
    ['is unknown', { state: 'unknown', count: 0, dueAt: null }],
  ] as const)('does not change one whose message %s', async (_, stored) => {
    expect(await joined(stored)).toBe('none');
  });

  it.each([
    [{}, true],
    [{ firstSentAt: at(1) }, false],
    [{ state: 'sending' as const }, false],
    [SENT, false],
  ])('joins one that is sent once, and is %j: %s', async (stored, joins) => {
    expect((await joined(stored, false)) !== undefined).toBe(joins);
  });

  it('is counted once, however often it joins', async () => {
    const { deps } = open();
    for (const id of ['s1', 's2', 's2', 's3']) await addMember('team.storm.1', id, deps);
    await addMember('team.storm.12', 's4', deps);
    await deps.store.commit([deleteMember('team.storm.1', 's3')]);
    expect(await countMembers('team.storm.1', GROUP, deps)).toEqual({ count: 2, sessionIds: ['s1', 's2'] });
    for (let id = 10; id < 40; id++) await addMember('team.storm.12', `s${id}`, deps);
    const { count, sessionIds } = await countMembers('team.storm.12', GROUP, deps);
    expect([count, sessionIds.length, sessionIds[0]]).toEqual([31, 20, 's1']);
  });
});
