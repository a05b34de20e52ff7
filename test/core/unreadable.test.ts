// Broken and newer documents: executions that need one end with its code; no alert is lost.

import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createDocument, deleteDocument, replaceDocument } from '../../shared/core/contract/store.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { NEWER_CODE_MS } from '../../shared/core/kernel/execution/newerDocument.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { addGuidance } from '../../shared/kits/steering/addGuidance.ts';
import { pauseSession } from '../../shared/kits/steering/pauseSession.ts';
import {
  executionType,
  incidentType,
  paths,
  rejectedMessageType,
  sessionType,
  timelineEventType,
} from '../../shared/lists/documents.ts';
import { type Bench, EXECUTION, opened } from '../support/harness.ts';
import { createIncidentRig } from '../support/incidentRig.ts';

const NEWER = { schemaVersion: 99 };
const BROKEN = { expireAt: 'some time' };
const MINUTE = 60_000;

/** Stores a document as it is, in the place of the one there. */
async function corrupt({ store }: Pick<Bench['deps'], 'store'>, path: string, data: Record<string, unknown>) {
  const found = await store.get(path, rawDocumentType);
  const write =
    found === undefined
      ? createDocument(path, rawDocumentType, data)
      : replaceDocument(path, rawDocumentType, { ...found.value, ...data }, found.version);
  expect((await store.commit([write])).ok).toBe(true);
}

/** An investigation whose first iteration has not run, with an instance that keeps nothing. */
const started = () =>
  opened({
    inMemory: true,
    deadlineMs: 60 * MINUTE,
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
  });

const messageOf = ({ deps }: Bench) => {
  const message = deps.publisher.published[1];
  if (message === undefined) throw new Error('no iteration was published');
  return message;
};

/** Delivers the first iteration; the code of the error, undefined for none. */
async function deliver(bench: Bench, message = messageOf(bench)): Promise<string | undefined> {
  const error = await bench.deliver(message).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return undefined;
  return error instanceof RetryableError ? error.code : String(error);
}

/** The result of an investigation, its other documents unread. */
async function stateOf({ deps: { store }, sessionId }: Bench & { sessionId: string }) {
  const [session, execution, timeline] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(paths.execution(sessionId, EXECUTION), executionType),
    store.list({ collection: paths.timeline(sessionId) }, timelineEventType),
  ]);
  return {
    session: session?.value,
    execution: execution?.value,
    timeline: timeline.map(({ value }) => value),
  };
}

const NEEDED: [string, (sessionId: string) => string][] = [
  ['control/state', paths.control],
  ['the snapshot of its agent', (sessionId) => paths.agentSnapshot(sessionId, EXECUTION)],
  ['a message', (sessionId) => paths.message(sessionId, EXECUTION, 1)],
];

describe('an execution that needs a document of newer code', () => {
  it.each(NEEDED)(
    '(%s) waits for that code for 15 minutes, and then ends with the reason',
    async (_, pathOf) => {
      const bench = await started();
      const path = pathOf(bench.sessionId);
      await corrupt(bench.deps, path, NEWER);
      bench.deps.clock.advance(NEWER_CODE_MS - MINUTE);
      expect(await deliver(bench)).toBe('SCHEMA_TOO_NEW');
      expect(await stateOf(bench)).toMatchObject({
        session: { status: 'in_progress' },
        execution: { status: 'pending' },
      });
      bench.deps.clock.advance(MINUTE);
      expect(await deliver(bench)).toBeUndefined();
      const { session, execution, timeline } = await stateOf(bench);
      expect(execution).toMatchObject({ status: 'failed', failure: { code: 'SCHEMA_TOO_NEW' } });
      expect(session).toMatchObject({ status: 'failed' });
      const error = timeline.find(({ eventType }) => eventType === 'error');
      expect(error).toMatchObject({ metadata: { code: 'SCHEMA_TOO_NEW' } });
      expect(error?.content).toContain(`${path}: schemaVersion 99`);
      expect(bench.gemini.requests).toEqual([]);
    },
  );

  it('continues when that code is there in time', async () => {
    const bench = await started();
    const path = paths.control(bench.sessionId);
    await corrupt(bench.deps, path, NEWER);
    bench.deps.clock.advance(10 * MINUTE);
    expect(await deliver(bench)).toBe('SCHEMA_TOO_NEW');
    await bench.deps.store.commit([deleteDocument(path, rawDocumentType)]);
    expect(await deliver(bench)).toBeUndefined();
    expect((await stateOf(bench)).session).toMatchObject({ status: 'completed' });
  });

  it('ends by its dead letters as well, however often those come: they are published again once', async () => {
    const bench = await started();
    const { publisher, clock } = bench.deps;
    await corrupt(bench.deps, paths.control(bench.sessionId), NEWER);
    const dead = { ...messageOf(bench), topic: TOPICS.iterationsDead };
    for (let minutes = 0; minutes < 35; minutes += 2) {
      clock.advance(2 * MINUTE);
      await deliver(bench, dead);
    }
    expect(publisher.published.filter(({ topic }) => topic === TOPICS.iterations)).toHaveLength(2);
    expect((await stateOf(bench)).execution).toMatchObject({
      status: 'failed',
      failure: { code: 'SCHEMA_TOO_NEW', message: expect.stringContaining('control/state') },
    });
  });

  it('still ends at its deadline, when it is cancelled, and is refused to people with the document named', async () => {
    const late = await started();
    await corrupt(late.deps, paths.control(late.sessionId), NEWER);
    late.deps.clock.advance(60 * MINUTE);
    expect(await deliver(late)).toBeUndefined();
    expect((await stateOf(late)).session).toMatchObject({ status: 'timed_out' });

    const bench = await started();
    const { sessionId, deps } = bench;
    await corrupt(deps, paths.control(sessionId), NEWER);
    const refused = {
      code: 'SCHEMA_TOO_NEW',
      message: expect.stringContaining(`${paths.control(sessionId)}: schemaVersion 99`),
    };
    await expect(pauseSession(sessionId, { by: 'ada' }, deps)).rejects.toMatchObject(refused);
    await expect(addGuidance(sessionId, { by: 'ada', text: 'Look.' }, deps)).rejects.toMatchObject(refused);
    expect(await cancelSession(sessionId, deps)).toMatchObject({ kind: 'cancelled' });
    expect((await stateOf(bench)).session).toMatchObject({ status: 'cancelled' });
  });

  it('takes guidance of newer code later, or leaves it out after 15 minutes: no guidance ends or blocks it', async () => {
    for (const [waitedMs, taken] of [
      [0, 0],
      [NEWER_CODE_MS, 1],
    ] as const) {
      const bench = await started();
      await addGuidance(bench.sessionId, { by: 'ada', text: 'Look.' }, bench.deps);
      await corrupt(bench.deps, paths.guidance(bench.sessionId, 1), NEWER);
      bench.deps.clock.advance(waitedMs);
      expect(await deliver(bench)).toBeUndefined();
      expect((await stateOf(bench)).execution).toMatchObject({ status: 'completed', guidanceTaken: taken });
    }
  });
});

describe('an iteration that meets a document of newer code after its claim', () => {
  /** The agent's server has unreadable pins. A round: pause, delivery, and a sweep if long. */
  async function meetUnreadable(rounds: number) {
    const bench = await opened({
      inMemory: true,
      deadlineMs: 60 * MINUTE,
      agent: { tools: ['fixture'] },
      script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    });
    const { sessionId, deps } = bench;
    const path = paths.pinnedTools(sessionId, 'fixture');
    await corrupt(deps, path, NEWER);
    const attempt = async () => {
      const code = await deliver(bench, deps.publisher.published.at(-1));
      const { status, outage } = (await stateOf(bench)).execution ?? {};
      const isRefused = status === 'active' && outage?.parked === false;
      expect(code).toBe(isRefused ? 'SCHEMA_TOO_NEW' : undefined);
    };
    await attempt();
    for (let round = 0; round < rounds; round++) {
      const { execution } = await stateOf(bench);
      expect(execution).toMatchObject({ status: 'active', lease: null, claims: 0 });
      const { notBefore, outage } = execution ?? {};
      deps.clock.advance((notBefore?.getTime() ?? 0) - deps.clock.now().getTime());
      if (outage?.parked === true) {
        const before = deps.publisher.published.length;
        await bench.tick();
        expect(deps.publisher.published).toHaveLength(before + 1);
      }
      await attempt();
    }
    return { ...bench, path };
  }

  it('pauses for longer each time, and ends after 15 minutes with the code and the path', async () => {
    const bench = await meetUnreadable(9);
    const { session, execution, timeline } = await stateOf(bench);
    expect(execution).toMatchObject({ status: 'failed', failure: { code: 'SCHEMA_TOO_NEW' } });
    expect(session).toMatchObject({ status: 'failed' });
    expect(timeline.find(({ eventType }) => eventType === 'error')?.content).toContain(
      `${bench.path}: schemaVersion 99`,
    );
    expect(bench.gemini.requests).toEqual([]);
  });

  it('keeps the numbers of calls that an outage of the model had before', async () => {
    const failures = Array(20).fill({ status: 503 });
    const bench = await opened({
      inMemory: true,
      deadlineMs: 60 * MINUTE,
      agent: { tools: ['fixture'] },
      script: { conversations: [{ turns: [{ failures, text: 'Done.' }] }] },
    });
    const { sessionId, deps } = bench;
    const path = paths.pinnedTools(sessionId, 'fixture');
    const pause = () => deps.clock.advance(5 * MINUTE);
    expect(await deliver(bench)).toBe('EXECUTION_WAITING');
    await corrupt(deps, path, NEWER);
    deps.featureCaches.clear();
    pause();
    expect(await deliver(bench)).toBe('SCHEMA_TOO_NEW');
    await deps.store.commit([deleteDocument(path, rawDocumentType)]);
    pause();
    expect(await deliver(bench)).toBe('EXECUTION_WAITING');
    expect((await stateOf(bench)).execution?.outage).toMatchObject({ code: 'MODEL_UNAVAILABLE', calls: 2 });
  });

  it('is not given up by its dead letters meanwhile, and continues when that code is there in time', async () => {
    const bench = await meetUnreadable(6);
    const { deps, path } = bench;
    const count = deps.publisher.published.length;
    for (let copy = 0; copy < 3; copy++)
      expect(await deliver(bench, { ...messageOf(bench), topic: TOPICS.iterationsDead })).toBeUndefined();
    expect(deps.publisher.published).toHaveLength(count);
    await deps.store.commit([deleteDocument(path, rawDocumentType)]);
    deps.clock.advance(5 * MINUTE);
    expect(await deliver(bench)).toBeUndefined();
    expect(await stateOf(bench)).toMatchObject({
      session: { status: 'completed' },
      execution: { status: 'completed', outage: null },
    });
  });

  it('names the wait when its deadline comes first', async () => {
    const bench = await meetUnreadable(4);
    bench.deps.clock.advance(60 * MINUTE);
    expect(await deliver(bench)).toBeUndefined();
    expect((await stateOf(bench)).execution?.failure?.message).toMatch(/It has waited for newer code since /);
  });

  it('takes an entry of newer code that its agent names for missing', async () => {
    const bench = await opened({
      inMemory: true,
      agent: { tools: [], resources: ['disks'] },
      script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    });
    await corrupt(bench.deps, paths.knowledgeEntry('default', 'disks'), NEWER);
    expect(await deliver(bench)).toBeUndefined();
    expect((await stateOf(bench)).session).toMatchObject({ status: 'completed' });
  });
});

const firing = { title: 'Disk full', status: 'firing', fingerprint: 'disk-1' };
type Rig = ReturnType<typeof createIncidentRig>;

/** The path of a document of the one problem that a rig knows. */
async function pathIn({ store, sessions }: Rig, kind: 'incident' | 'counts' | 'session'): Promise<string> {
  const [session] = await sessions();
  const [incident] = await store.list({ collection: 'incidents' }, incidentType);
  const id = session?.sessionId ?? '';
  return { incident: incident?.path ?? '', counts: paths.alertCounts(id), session: paths.session(id) }[kind];
}

describe('an alert whose delivery comes again', () => {
  it.each([
    ['session', paths.session],
    ['stage', (sessionId: string) => paths.stage(sessionId, '01-investigation')],
    ['execution', (sessionId: string) => paths.execution(sessionId, EXECUTION)],
  ])('is acked although its %s is of newer code', async (_, pathOf) => {
    const bench = await started();
    await corrupt(bench.deps, pathOf(bench.sessionId), NEWER);
    const [alert] = bench.deps.publisher.published;
    if (alert === undefined) throw new Error('no alert was published');
    expect(await deliver(bench, alert)).toBeUndefined();
    expect(bench.deps.publisher.published).toHaveLength(2);
  });
});

describe.each(['incident', 'counts', 'session'] as const)('a problem whose %s cannot be read', (kind) => {
  it.each([
    ['broken', BROKEN],
    ['of newer code', NEWER],
  ])('because it is %s: its report opens a session, once, and no message is rejected', async (_, data) => {
    const rig = createIncidentRig({}, 100);
    await rig.deliver({ id: 'first', alert: firing });
    const path = await pathIn(rig, kind);
    const [before] = await rig.sessions();
    await corrupt(rig, path, data);
    const corrupted = await rig.store.get(path, rawDocumentType);
    for (const id of ['second', 'second', 'third', 'second']) await rig.deliver({ id, alert: firing });
    const ids = (await rig.store.list({ collection: paths.sessions }, rawDocumentType)).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const keys = await rig.store.list({ collection: 'alertKeys' }, rawDocumentType);
    const opened = ids.find((id) => id !== before?.sessionId);
    expect(keys.map(({ value }) => value.sessionId).filter((id) => id === opened)).toHaveLength(2);
    expect(await rig.store.list({ collection: paths.rejectedMessages }, rejectedMessageType)).toEqual([]);
    // Code never writes unknown documents; read again, incident and session are unchanged.
    if (kind !== 'session') expect(await rig.store.get(path, rawDocumentType)).toEqual(corrupted);
    // The first message is delivered again: it has its session, and is acked.
    await rig.deliver({ id: 'first', alert: firing });
    expect(await rig.store.list({ collection: paths.rejectedMessages }, rejectedMessageType)).toEqual([]);
  });
});
