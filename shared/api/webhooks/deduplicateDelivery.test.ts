import { expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { requestType } from '../http/request.ts';
import type { Caller, RequestDeps } from '../http/route.ts';
import { deduplicateDelivery } from './deduplicateDelivery.ts';

const MINUTE = 60_000;
const caller = { tenantId: 'acme', name: 'grafana', userId: null, role: 'responder' } as Caller;

/** Webhooks of a tenant, with the message ids that were published. */
function start() {
  const clock = createTestClock();
  const store = createMemoryStore(() => clock.now());
  const warnings: string[] = [];
  const published: string[] = [];
  const state = { fails: false };
  const deps = {
    store,
    clock,
    log: { warn: (text: string) => void warnings.push(text) },
  } as unknown as RequestDeps;
  const deliver = (id: string, windowMs = 5 * MINUTE, own = deps) =>
    deduplicateDelivery(
      { id, windowMs },
      caller,
      async (messageId) => {
        published.push(messageId);
        if (state.fails) throw new Error('Pub/Sub is down');
        return { status: 202, body: `{"n":${published.length}}` };
      },
      own,
    );
  return { clock, store, warnings, published, state, deps, deliver };
}

it('a copy within the window has the first answer, and one after it is published anew', async () => {
  const { clock, published, deliver } = start();
  const first = await deliver('d1');
  clock.advance(5 * MINUTE - 1);
  expect(await deliver('d1')).toEqual(first);
  expect(await deliver('d2')).toEqual({ status: 202, body: '{"n":2}' });
  clock.advance(1);
  expect(await deliver('d1')).toEqual({ status: 202, body: '{"n":3}' });
  expect(new Set(published).size).toBe(3);
});

it('a delivery that its source never repeats is a copy at any time, with an id that has no time', async () => {
  const { clock, published, deliver } = start();
  await deliver('d1', Number.POSITIVE_INFINITY);
  clock.advance(48 * 60 * MINUTE);
  await deliver('d1', Number.POSITIVE_INFINITY);
  expect(published).toHaveLength(1);
  const other = start();
  other.clock.advance(MINUTE);
  await other.deliver('d1', Number.POSITIVE_INFINITY);
  expect(other.published).toEqual(published);
});

it('a copy of one whose process died is published with the same message id', async () => {
  const { clock, published, deliver, state } = start();
  state.fails = true;
  await expect(deliver('d1')).rejects.toThrow('Pub/Sub is down');
  state.fails = false;
  clock.advance(MINUTE);
  await deliver('d1');
  expect(published).toHaveLength(2);
  expect(new Set(published).size).toBe(1);
});

it('is published without deduplication when the store fails', async () => {
  const { deliver, deps, published, warnings } = start();
  const store = { ...deps.store, get: () => Promise.reject(new Error('no store')) };
  expect(await deliver('d1', MINUTE, { ...deps, store })).toEqual({ status: 202, body: '{"n":1}' });
  expect(published).toHaveLength(1);
  expect(warnings).toEqual(['a webhook is published without deduplication: no store']);
});

it('is kept for a day, for its tenant, without its body', async () => {
  const { deliver, store, clock } = start();
  const now = clock.now().getTime();
  await deliver('d1');
  const [stored, ...others] = await store.list({ collection: 'requests' }, requestType);
  expect(others).toEqual([]);
  expect(stored?.id).toMatch(/^acme\.[0-9a-f]{32}$/);
  expect(stored?.value).toMatchObject({
    title: 'Webhook of grafana',
    tenantId: 'acme',
    digest: 'd1',
    answer: { status: 202, body: '{"n":1}' },
    createdAt: new Date(now),
    expireAt: new Date(now + 24 * 60 * MINUTE),
  });
});
