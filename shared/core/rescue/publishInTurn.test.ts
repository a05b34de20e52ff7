import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sampleAlert, sampleExecution, sampleSession } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { alertPart } from '../../alerts/schema/alert.ts';
import { ALERT_INPUT } from '../../kits/alerts/describeAlert.ts';
import { paths, sessionType } from '../../lists/documents.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { createDocument } from '../contract/store.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { NO_PARTS, withPart } from '../schema/parts.ts';
import { publishInTurn } from './publishInTurn.ts';

/** Publishes an execution for each of some sessions. Each is a second older than the one before. */
async function publish(count: number) {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const publisher = createMemoryPublisher();
  const deps = { store, clock, publisher, stageFeatures: [ALERT_INPUT] } as unknown as StateDeps;
  const started = clock.now().getTime();
  const sessions = Array.from({ length: count }, (_, n) =>
    sampleSession({
      sessionId: `s-${n}`,
      createdAt: new Date(started - n * 1000),
      ...withPart(alertPart, NO_PARTS, sampleAlert({ severity: n % 10 === 0 ? 'P1' : 'warning' })),
    }),
  );
  for (const session of sessions)
    await store.commit([createDocument(paths.session(session.sessionId), sessionType, session)]);
  const executions = sessions.map(({ sessionId }) => sampleExecution({ sessionId }));
  const done = publishInTurn(executions, deps);
  const counts: number[] = [];
  for (let second = 0; second < 31; second++) {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    counts.push(publisher.published.length);
    clock.advance(1000);
  }
  await done;
  const ids = publisher.published.map(({ data }) => JSON.parse(data.toString()).sessionId as string);
  return { counts, ids };
}

it('a few iterations are published at once', async () => {
  expect((await publish(20)).counts[0]).toBe(20);
});

it('many are spread over half a minute: those of critical sessions first, the oldest first', async () => {
  const { counts, ids } = await publish(60);
  for (const [second, count] of counts.entries())
    expect(Math.abs(count - Math.min(60, second * 2 + 1)), `after ${second} s`).toBeLessThanOrEqual(1);
  const order = Array.from({ length: 60 }, (_, n) => 59 - n);
  const isCritical = (n: number) => n % 10 === 0;
  expect(ids).toEqual(
    [...order.filter(isCritical), ...order.filter((n) => !isCritical(n))].map((n) => `s-${n}`),
  );
});
