import { expect, it } from 'vitest';
import type { Destination, OutgoingMessage } from '../../contract/destination.ts';
import { createDocument } from '../../core/contract/store.ts';
import { type DeliveryGroup, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { deliveryGroupType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { deliverGroup } from './deliverGroup.ts';

it('a late answer does not replace the document of a process that claimed the group in between', async () => {
  let now = Date.parse('2026-11-26T09:00:00Z');
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const path = paths.deliveryGroup('team.storm.1');
  const group: DeliveryGroup = {
    destination: 'team',
    kind: 'storm',
    sessionIds: ['s'],
    count: 1,
    shown: 0,
    holder: null,
    heldUntil: null,
    ...unsentProgress(clock.now()),
    expireAt: new Date(now + 86_400_000),
    createdAt: clock.now(),
  };
  await store.commit([createDocument(path, deliveryGroupType, group)]);
  const capabilities = {
    update: true,
    thread: false,
    buttons: false,
    probe: false,
    key: true,
    isRepeatSafe: false,
  };
  const sent: OutgoingMessage[] = [];
  const destination: Destination = {
    kind: 'googleChat',
    capabilities,
    timeoutMs: 15_000,
    async send(outgoing) {
      sent.push(outgoing);
      if (sent.length > 1) return { outcome: 'sent', ref: 'second' };
      // The request hangs until its lease has ended, and a second process repeats it.
      for (let wait = 0; wait < 10; wait++) {
        now += 60_000;
        await deliverGroup('team.storm.1', deps);
      }
      return { outcome: 'refused', failure: { code: 'late', message: 'late' } };
    },
  };
  let holders = 0;
  const deps = composeState({
    clock,
    store,
    publisher: createMemoryPublisher(),
    log: createLogger({ LOG_LEVEL: 'silent' }),
    publicUrl: null,
    newId: () => `process-${++holders}`,
    destinations: async () => ({ destination, tenants: ['default'], onDoubt: 'repeat' as const }),
  });
  await deliverGroup('team.storm.1', deps);
  expect((await store.get(path, deliveryGroupType))?.value).toMatchObject({
    state: 'sent',
    ref: 'second',
    failure: null,
  });
});
