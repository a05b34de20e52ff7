// Groups of sessions: the messages of an hour, the period of a group, and sessions that join it.

import { describe, expect, it } from 'vitest';
import { createDocument, type Write } from '../../core/contract/store.ts';
import { type DeliveryGroup, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { deliveryGroupType, destinationStateType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { groupAt, groupWrite, hasRoot, takeRoot } from './messageGroups.ts';

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
    const { op, value } = (write ?? {}) as Partial<Extract<Write, { value: unknown }>>;
    return write && { op, group: value };
  }

  it('opens its group', async () => {
    expect(await joined(undefined)).toEqual({ op: 'create', group: { ...GROUP, sessionIds: ['s2'] } });
  });

  it.each([
    ['waits', {}, {}],
    ['was sent', SENT, { dueAt: at(60) }],
    ['was sent and is due', { ...SENT, dueAt: at(9) }, {}],
    ['was sent as a digest', { ...SENT, kind: 'digest' }, {}],
    ['was refused', { state: 'failed', dueAt: null, attempts: 8 }, unsentProgress(at(60))],
    ['is unknown', { state: 'unknown', dueAt: null }, {}],
  ] as const)('joins one whose message %s', async (_, stored, change) => {
    expect(await joined(stored)).toEqual({
      op: 'replace',
      group: { ...GROUP, ...stored, sessionIds: ['s1', 's2'], count: 2, ...change },
    });
  });

  it.each([
    [{}, true],
    [{ firstSentAt: at(1) }, false],
    [{ state: 'sending' as const }, false],
    [SENT, false],
  ])('joins one that is sent once, and is %j: %s', async (stored, joins) => {
    expect((await joined(stored, false)) !== undefined).toBe(joins);
  });

  it('is not named beside twenty others', async () => {
    const sessionIds = Array.from({ length: 20 }, (_, index) => `s${index + 10}`);
    expect(await joined({ sessionIds, count: 20 })).toMatchObject({ group: { sessionIds, count: 21 } });
  });
});
