import { expect, it } from 'vitest';
import { sampleExecution, sampleSession } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { putDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { executionType, paths, sessionType, telemetryGapType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import type { GapReason } from './telemetryGap.ts';
import { telemetryStore } from './telemetryStore.ts';

const clock = createTestClock();

/** A store with telemetry that exports nothing. @param isSampled whether traces are exported. */
function openStore({ isSampled = true, changes = {} as Partial<Store> } = {}) {
  const store = createMemoryStore(clock.now);
  const telemetry = {
    isSampled: () => isSampled,
    record: () => {},
    suspect: () => {},
    exportMetrics: async () => {},
    flush: async () => new Set<string>(),
  };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const exporting = telemetryStore({ ...store, ...changes }, { telemetry, clock, log });
  const gap = async (reason: GapReason) => {
    const { sessionId } = sampleSession();
    return (await store.get(paths.telemetryGap(sessionId, reason), telemetryGapType))?.value;
  };
  return { ...exporting, gap };
}
const ended = () => {
  const session = sampleSession({ status: 'completed', endedAt: clock.now() });
  return putDocument(paths.session(session.sessionId), sessionType, session);
};
const claimed = (claims: number) => {
  const lease = { holder: 'a', messageId: 'm', until: clock.now() };
  const execution = sampleExecution({ claims, lease });
  return putDocument(paths.execution(execution.sessionId, execution.executionId), executionType, execution);
};

it('the second claim of an iteration leaves a gap, because the first one possibly died before its export', async () => {
  const { store, finish, gap } = openStore();
  await store.commit([claimed(1)]);
  expect(await gap('interrupted')).toBeUndefined();
  await store.commit([claimed(2)]);
  await finish();
  expect(await gap('interrupted')).toMatchObject({ isExported: false });
});

it('the end of a session leaves a gap beside its own writes, until its export is confirmed', async () => {
  const { store, finish, gap } = openStore();
  expect(await store.commit([ended()])).toMatchObject({ ok: true, versions: [expect.anything()] });
  expect(await gap('ended')).toMatchObject({ isExported: false });
  await finish();
  expect(await gap('ended')).toMatchObject({ isExported: true });
});

it('a session whose trace is not exported has a gap of counts only', async () => {
  const { store, gap } = openStore({ isSampled: false });
  await store.commit([ended(), claimed(2)]);
  expect(await gap('ended')).toMatchObject({ isExported: true });
  expect(await gap('interrupted')).toBeUndefined();
});

it('gaps that cannot be stored at the end of a message do not fail it', async () => {
  let isLost = false;
  const memory = createMemoryStore(clock.now);
  const commit: Store['commit'] = async (writes) => {
    if (isLost) throw new RetryableError('STORE_UNAVAILABLE', 'nothing was written');
    return memory.commit(writes);
  };
  const { store, finish } = openStore({ changes: { commit } });
  await store.commit([ended()]);
  isLost = true;
  await finish();
});
