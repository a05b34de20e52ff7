import { expect, it } from 'vitest';
import { createNotify, notifyField } from '../../../config/notify.ts';
import { createDocument } from '../../../core/contract/store.ts';
import { TerminalError } from '../../../core/errors.ts';
import { type DeliveryGroup, deliveryGroupType, unsentProgress } from '../../../kits/deliveries/delivery.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryPublisher } from '../../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { REJECTED_GROUPS, rejectedGroups } from './rejectedGroups.ts';

const NOW = new Date('2026-11-26T21:04:00Z');
const common = { onDoubt: 'repeat' as const, kind: 'email' as const };
const settings = { host: 'a', from: 'a@b', to: ['c@d'] };
const DESTINATIONS = {
  day: { ...common, tenants: ['default', 'shop'], settings },
  night: { ...common, tenants: ['default'], settings },
};
const CHAINS: Record<string, object[]> = {
  main: [
    { to: 'day', severity: 'critical' },
    { to: 'night', when: 'ended' },
  ],
  other: [{ to: 'night', digest: { every: '4h' } }],
  calm: [{ to: 'day', severity: ['low', 'info'] }],
};
const chainOf = (name: string) => {
  if (CHAINS[name] === undefined) throw new TerminalError('CONFIG_UNKNOWN_CHAIN', 'unknown');
  return { notify: notifyField(Object.keys(DESTINATIONS)).parse(CHAINS[name]) };
};
const config = { defaultChain: 'main', notify: createNotify(chainOf, { rules: [] }, DESTINATIONS) };

/** Rejects alerts one after the other; gives the groups after the last one. */
async function reject(chain: string | null, { tenantId = 'default', codes = ['ALERT_INVALID'] } = {}) {
  const store = createMemoryStore();
  const groups = new Map<string, DeliveryGroup>();
  for (const code of codes) {
    const written = await rejectedGroups({ tenantId, chain, code }, config, {
      store,
      clock: { now: () => NOW },
    });
    await store.commit(written.map(({ write }) => write));
    for (const { groupId, write } of written)
      if (write.op !== 'delete') groups.set(groupId, write.value as DeliveryGroup);
  }
  return [...groups];
}
const HOUR = NOW.getTime() / 3_600_000;

it.each([
  ['no chain', null, 'default', [`day.rejected.default.3600000.${Math.floor(HOUR)}`]],
  ['a chain that does not exist', 'gone', 'default', [`day.rejected.default.3600000.${Math.floor(HOUR)}`]],
  ['a chain with a digest', 'other', 'default', [`night.rejected.default.14400000.${Math.floor(HOUR / 4)}`]],
  ['a chain for other severities', 'calm', 'default', []],
  ['a tenant that the destination does not show', 'other', 'shop', []],
])(
  'an alert that names %s is counted for the destinations of critical alerts',
  async (_, chain, tenantId, ids) => {
    expect((await reject(chain, { tenantId })).map(([id]) => id)).toEqual(ids);
  },
);

it('the message of a digest is due at the end of its period, any other at once', async () => {
  expect((await reject('other'))[0]?.[1].dueAt).toEqual(new Date('2026-11-27T00:00:00Z'));
  expect((await reject(null))[0]?.[1].dueAt).toEqual(NOW);
});

it('a flood is counted to 1,000, with five codes', async () => {
  const codes = Array.from({ length: 1_010 }, (_, index) => `CODE_${index % 7}`);
  const [[, group] = []] = await reject(null, { codes });
  expect(group).toMatchObject({ count: 1_000, codes: ['CODE_0', 'CODE_1', 'CODE_2', 'CODE_3', 'CODE_4'] });
});

it('the first alert of a period opens its group, and a later one is edited into its message', async () => {
  const [[groupId, group] = []] = await reject(null);
  const first = {
    ...{ destination: 'day', kind: 'rejected' as const, sessionIds: [], count: 1, codes: ['ALERT_INVALID'] },
    ...{ tenantId: 'default', shown: 0, holder: null, heldUntil: null },
    ...unsentProgress(NOW),
    expireAt: new Date(NOW.getTime() + 7 * 24 * 3_600_000),
    createdAt: NOW,
  };
  expect(group).toEqual(first);
  const later = new Date(NOW.getTime() + 60_000);
  for (const [stored, dueAt] of [
    [{ state: 'sent', dueAt: null }, later],
    [{ state: 'sent', dueAt: NOW }, NOW],
    [{ state: 'unknown', dueAt: null }, null],
  ] as const) {
    const store = createMemoryStore();
    const path = deliveryGroupType.paths.deliveryGroup(groupId ?? '');
    await store.commit([createDocument(path, deliveryGroupType, { ...first, ...stored })]);
    const alert = { tenantId: 'default', chain: null, code: 'OTHER' };
    const [again] = await rejectedGroups(alert, config, { store, clock: { now: () => NOW } });
    expect(again?.write).toMatchObject({
      op: 'replace',
      value: { ...first, ...stored, count: 2, codes: ['ALERT_INVALID', 'OTHER'], dueAt },
    });
  }
});

it('only a new message is requested, and one whose request fails is left to the sweep', async () => {
  const publisher = createMemoryPublisher();
  const store = createMemoryStore();
  const deps = { store, publisher, clock: { now: () => NOW }, log: createLogger({ LOG_LEVEL: 'silent' }) };
  const alert = { tenantId: 'default', chain: null, code: 'ALERT_INVALID' };
  const rejectOnce = async () => {
    const { writes, follow } = await REJECTED_GROUPS(alert, config, deps as never);
    await store.commit(writes);
    await follow();
  };
  await rejectOnce();
  expect(publisher.published).toHaveLength(1);
  await rejectOnce();
  expect(publisher.published.map(({ topic, data }) => [topic, JSON.parse(data.toString())])).toEqual([
    ['deliveries', { schemaVersion: 1, groupId: `day.rejected.default.3600000.${Math.floor(HOUR)}` }],
  ]);
  const { follow } = await REJECTED_GROUPS({ ...alert, chain: 'other' }, config, deps as never);
  publisher.publish = () => Promise.reject(new Error('no topic'));
  await expect(follow()).resolves.toBeUndefined();
});

it('a fault of the default chain is thrown, and no destination wants alerts without notify', async () => {
  const deps = { store: createMemoryStore(), clock: { now: () => NOW } };
  const alert = { tenantId: 'default', chain: null, code: 'ALERT_INVALID' };
  await expect(rejectedGroups(alert, { ...config, defaultChain: 'gone' }, deps)).rejects.toThrow('unknown');
  expect(await rejectedGroups(alert, { defaultChain: 'main' }, deps)).toEqual([]);
  expect(await rejectedGroups({ ...alert, chain: 'gone' }, { defaultChain: 'main' }, deps)).toEqual([]);
});
