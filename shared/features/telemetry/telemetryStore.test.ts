import { expect, it } from 'vitest';
import { sampleExecution, sampleSession, sampleStage } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import {
  createDocument,
  deleteDocument,
  putDocument,
  replaceDocument,
  type Store,
  type Write,
} from '../../core/contract/store.ts';
import type { Recording } from '../../core/contract/telemetry.ts';
import { RetryableError } from '../../core/errors.ts';
import { type Delivery, unsentProgress } from '../../kits/deliveries/delivery.ts';
import {
  deliveryType,
  executionType,
  paths,
  sessionType,
  stageType,
  telemetryGapType,
} from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import type { GapReason } from './telemetryGap.ts';
import { telemetryStore } from './telemetryStore.ts';

const clock = createTestClock();

interface Options {
  /** Whether traces are exported. */
  isSampled?: boolean;
  isRedelivered?: boolean;
  /** Sessions whose spans the receiver refuses. */
  refused?: readonly string[];
  changes?: Partial<Store>;
}

/** A store with telemetry that only notes the names of the spans of each commit, with their sessions. */
function openStore({ isSampled = true, isRedelivered = true, refused = [], changes = {} }: Options = {}) {
  const store = createMemoryStore(clock.now);
  const recorded: [sessions: readonly string[], names: string[]][] = [];
  const telemetry = {
    isSampled: () => isSampled,
    record: ({ sessions, spans }: Recording) => {
      recorded.push([sessions, spans('none').map(({ name }) => name)]);
    },
    suspect: () => {},
    exportMetrics: async () => {},
    flush: async () => new Set(refused),
  };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps = { telemetry, clock, log, isRedelivered };
  const exporting = telemetryStore({ ...store, ...changes }, deps);
  const gap = async (reason: GapReason) => {
    const { sessionId } = sampleSession();
    return (await store.get(paths.telemetryGap(sessionId, reason), telemetryGapType))?.value;
  };
  return { ...exporting, gap, recorded, stored: store };
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

const { sessionId, expireAt } = sampleSession();
const ago = (ms: number) => new Date(clock.now().getTime() - ms);
const sessionAt = (endedAt: Date) => sampleSession({ status: 'completed', endedAt });
const chat = (endedAt: Date | null, kind: 'chat' | 'investigation' = 'chat') =>
  putDocument(paths.stage(sessionId, '02'), stageType, sampleStage({ stageId: '02', kind, endedAt }));
const message = (state: Delivery['state']) => {
  const place = { sessionId, destination: 'slack', event: 'completed', key: '1', isRepeated: false };
  const times = { createdAt: clock.now(), expireAt };
  const value = { ...place, ...unsentProgress(clock.now()), ...times, state };
  return putDocument(deliveryType.paths.delivery(sessionId, 'slack', 'completed', '1'), deliveryType, value);
};
const planned = { sessionId, counted: null, expireAt };

it.each<[string, () => Write, object]>([
  ['the end of a session', ended, { reason: 'ended', isExported: false }],
  [
    'a session that is created with its end',
    () => createDocument(paths.session(sessionId), sessionType, sessionAt(clock.now())),
    { reason: 'ended', isExported: false },
  ],
  ['the end of a question', () => chat(clock.now()), { reason: 'ended', isExported: false }],
  ['a message that was sent', () => message('sent'), { reason: 'delivered', isExported: true }],
])(
  '%s leaves a gap, which the sweep handles two minutes later, or at once if only counts are missing',
  async (_, write, expected) => {
    const { store, stored } = openStore();
    await store.commit([write()]);
    const createdAt = clock.now();
    const isExported = 'isExported' in expected && expected.isExported === true;
    const dueAt = isExported ? createdAt : ago(-120_000);
    const gaps = await stored.list({ collection: `sessions/${sessionId}/telemetry` }, telemetryGapType);
    expect(gaps.map(({ value }) => value)).toEqual([{ ...planned, ...expected, createdAt, dueAt }]);
  },
);

it.each<[string, () => Write]>([
  [
    'a session that ended a minute ago',
    () => putDocument(paths.session(sessionId), sessionType, sessionAt(ago(60_000))),
  ],
  [
    'a session that is open',
    () => putDocument(paths.session(sessionId), sessionType, sampleSession({ endedAt: clock.now() })),
  ],
  ['a question that is open', () => chat(null)],
  ['a question that ended a minute ago', () => chat(ago(60_000))],
  ['another stage', () => chat(clock.now(), 'investigation')],
  ['a message that is not sent yet', () => message('pending')],
  ['a document that is deleted', () => deleteDocument(paths.session(sessionId), sessionType)],
])('%s leaves no gap', async (_, write) => {
  const { store, stored } = openStore();
  expect(await store.commit([write()])).toMatchObject({ ok: true });
  expect(await stored.list({ collection: `sessions/${sessionId}/telemetry` }, telemetryGapType)).toEqual([]);
});

it('a commit records its sessions and the spans that ended within a minute, a failed one nothing', async () => {
  const { store, finish, gap, recorded } = openStore();
  const path = paths.session(sessionId);
  const old = await store.commit([putDocument(path, sessionType, sessionAt(ago(60_000))), chat(ago(59_999))]);
  expect(recorded.splice(0)).toEqual([[[sessionId], ['stage investigation']]]);
  const version = (old.ok && old.versions[0]) || ('' as never);
  await store.commit([replaceDocument(path, sessionType, sessionAt(clock.now()), version)]);
  expect(recorded.splice(0)).toEqual([[[sessionId], ['invoke_workflow default']]]);
  await finish();
  const again = replaceDocument(path, sessionType, sessionAt(clock.now()), version);
  expect(await store.commit([again])).toMatchObject({ ok: false });
  await store.commit([message('pending')]);
  expect([recorded, await gap('ended')]).toMatchObject([[], { isExported: true }]);
});

it('a refused export leaves a gap for a week, and that of the end is still to be exported', async () => {
  const { store, finish, gap } = openStore({ refused: [sessionId] });
  await store.commit([ended()]);
  await finish();
  const createdAt = clock.now();
  const kept = { dueAt: ago(-120_000), createdAt, counted: null, isExported: false, sessionId };
  expect(await gap('failed')).toEqual({ ...kept, reason: 'failed', expireAt: ago(-7 * 24 * 3_600_000) });
  expect(await gap('ended')).toEqual({ ...kept, reason: 'ended', expireAt });
});

it('a process whose messages are not delivered again has a gap for each span until it is exported', async () => {
  const { store, finish, gap } = openStore({ isRedelivered: false });
  await store.commit([chat(ago(60_000), 'investigation')]);
  expect(await gap('interrupted')).toBeUndefined();
  await store.commit([chat(clock.now(), 'investigation')]);
  expect(await gap('interrupted')).toMatchObject({ isExported: false });
  await finish();
  expect(await gap('interrupted')).toBeUndefined();
  const unsampled = openStore({ isRedelivered: false, isSampled: false });
  await unsampled.store.commit([chat(clock.now(), 'investigation')]);
  expect(await unsampled.gap('interrupted')).toBeUndefined();
});

it('an interrupted iteration is noted once, and one without a lease never', async () => {
  const { store, stored, finish } = openStore({ isRedelivered: false });
  const claim = (session: string) => {
    const lease = { holder: 'a', messageId: 'm', until: clock.now() };
    const execution = sampleExecution({ claims: 2, lease, sessionId: session });
    return putDocument(paths.execution(session, execution.executionId), executionType, execution);
  };
  const composeGapPath = (session: string) => telemetryGapType.paths.telemetryGap(session, 'interrupted');
  await store.commit([claim('a')]);
  await store.commit([claim('b'), chat(clock.now(), 'investigation')]);
  await finish();
  const left = await Promise.all(
    ['a', 'b', sessionId].map((one) => stored.get(composeGapPath(one), telemetryGapType)),
  );
  expect(left.map((one) => one?.value.sessionId)).toEqual(['a', 'b', undefined]);
  await stored.commit(['a', 'b'].map((one) => deleteDocument(composeGapPath(one), telemetryGapType)));
  await store.commit([claim('a')]);
  const open = sampleExecution({ claims: 2, lease: null, sessionId: 'b' });
  await store.commit([
    putDocument(paths.execution('b', '02'), executionType, { ...open, executionId: '02' }),
  ]);
  const again = await Promise.all(['a', 'b'].map((one) => stored.get(composeGapPath(one), telemetryGapType)));
  expect(again).toEqual([undefined, undefined]);
});
