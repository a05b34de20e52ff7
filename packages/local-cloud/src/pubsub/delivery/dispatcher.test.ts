import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../database/database.ts';
import { createTestClock } from '../../testClock.fixture.ts';
import { checkSettings } from '../fields/settings.ts';
import { openState } from '../store/state.ts';
import type { Consumer } from './consumers.ts';
import { createDispatcher } from './dispatcher.ts';

it('a thousand consumers that wait are looked up once when nothing is due, and served in turn when something is', () => {
  const database = openDatabase();
  const state = openState(database, createTestClock());
  let lookups = 0;
  const { lease } = state.queue;
  state.queue.lease = (...request) => {
    lookups += 1;
    return lease(...request);
  };
  const dispatcher = createDispatcher(state);
  onTestFinished(() => {
    dispatcher.close();
    database.close();
  });
  const name = 'projects/p/subscriptions/sub';
  state.subscriptions.create({ name, topic: 'projects/p/topics/top', settings: checkSettings({}) });
  const subscription = state.subscriptions.named(name);
  const taken = Array.from({ length: 1000 }, () => 0);
  for (const index of taken.keys()) {
    const consumer: Consumer = {
      kind: 'pull',
      capacity: () => ({ messages: 1 - (taken[index] ?? 0), bytes: 1000 }),
      deadlineSeconds: () => 10,
      take(deliveries) {
        taken[index] = deliveries.length;
      },
      settled: () => {},
      end: () => {},
    };
    dispatcher.attach(subscription.id, consumer);
  }
  dispatcher.deliverNow(subscription.id);
  expect(lookups).toBe(1);

  const message = { data: Buffer.from('text'), attributes: {}, orderingKey: '' };
  const receivers = { subscriptions: [subscription], snapshots: [] };
  for (let count = 0; count < 3; count++) state.queue.add(message, receivers, state.nowMs());
  dispatcher.deliverNow(subscription.id);
  expect(taken.filter((count) => count === 1)).toHaveLength(3);
  expect(lookups).toBe(5);
});

it('messages that become due during a delivery are delivered, too', () => {
  const testClock = createTestClock();
  // Time passes with every look at the clock.
  let ticks = 0;
  const clock = { ...testClock, now: () => new Date(testClock.now().getTime() + ticks++) };
  for (const dueInMs of [0, 1, 2, 3, 4, 5]) {
    const database = openDatabase();
    const state = openState(database, clock);
    const dispatcher = createDispatcher(state);
    onTestFinished(() => {
      dispatcher.close();
      database.close();
    });
    const name = 'projects/p/subscriptions/sub';
    state.subscriptions.create({ name, topic: 'projects/p/topics/top', settings: checkSettings({}) });
    const subscription = state.subscriptions.named(name);
    const taken: unknown[] = [];
    dispatcher.attach(subscription.id, {
      kind: 'pull',
      capacity: () => ({ messages: 10, bytes: 1000 }),
      deadlineSeconds: () => 600,
      take: (deliveries) => void taken.push(...deliveries),
      settled: () => {},
      end: () => {},
    });
    const message = { data: Buffer.from('text'), attributes: {}, orderingKey: '' };
    state.queue.add(message, { subscriptions: [subscription], snapshots: [] }, state.nowMs() + dueInMs);
    dispatcher.deliverNow(subscription.id);
    testClock.advance(1000);
    expect(taken, `due after ${dueInMs} ms`).toHaveLength(1);
  }
});
