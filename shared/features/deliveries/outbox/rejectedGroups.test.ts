import { expect, it } from 'vitest';
import { createNotify, notifyField } from '../../../config/notify.ts';
import { TerminalError } from '../../../core/errors.ts';
import type { DeliveryGroup } from '../../../kits/deliveries/delivery.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { rejectedGroups } from './rejectedGroups.ts';

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
