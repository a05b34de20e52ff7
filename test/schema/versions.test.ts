import { Firestore } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { type DocumentType, documentType } from '../../shared/core/schema/documentType.ts';
import { executionSchema } from '../../shared/core/schema/execution.ts';
import { messageSchema } from '../../shared/core/schema/message.ts';
import { sessionSchema } from '../../shared/core/schema/session.ts';
import { stageSchema } from '../../shared/core/schema/stage.ts';
import {
  COLLECTIONS,
  executionType,
  messageType,
  paths,
  sessionType,
  stageType,
} from '../../shared/lists/documents.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { dieAt } from '../support/dieAt.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { agentOf, type Bench, EXECUTION, investigate, opened, startBench } from '../support/harness.ts';
import { composeEventarcEvent } from '../support/pushEvents.ts';
import { type Change, deployNewerCode } from './newerCode.ts';
import { toExecution5 } from './olderSession.ts';

const echo = { toolCalls: [{ name: 'fixture.echo' }] };
/** Three iterations of one agent, then one of another. */
const twoStages = {
  stages: [
    { name: 'look', agents: [agentOf({ name: 'logs', tools: ['fixture'] })] },
    { name: 'judge', agents: [agentOf({ name: 'judge' })] },
  ],
  script: {
    conversations: [
      { name: 'logs', when: 'You are logs,', turns: [echo, echo, { text: 'logs says memory.' }] },
      { name: 'judge', when: 'You are judge,', turns: [{ text: 'judge says memory.' }] },
    ],
  },
};
const oneAnswer = { script: { conversations: [{ turns: [{ text: 'Out of memory.' }] }] } };

/** Every document of a database, and when each last changed. */
async function everything({ projectId }: Pick<Bench, 'projectId'>) {
  const db = new Firestore({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  const groups = await Promise.all(Object.keys(COLLECTIONS).map((id) => db.collectionGroup(id).get()));
  await db.terminate();
  // Every run of the sweep writes its mark.
  const found = groups.flatMap(({ docs }) => docs).filter(({ ref }) => ref.path !== paths.sweepMark);
  return {
    data: Object.fromEntries(found.map((document) => [document.ref.path, document.data()])),
    changes: Object.fromEntries(
      found.map(({ ref, updateTime }) => [ref.path, `${updateTime.seconds}.${updateTime.nanoseconds}`]),
    ),
  };
}

/** Writes a document as code of another version would have. */
async function rewrite(
  { projectId }: Pick<Bench, 'projectId'>,
  path: string,
  change: (data: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const db = new Firestore({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  const found = await db.doc(path).get();
  await db.doc(path).set(change(found.data() ?? {}));
  await db.terminate();
}

type NewerCode = Awaited<ReturnType<typeof deployNewerCode>>;

/** Hands newer code all messages from this place on, and those it publishes, once each. */
async function finishWith({ code, deps }: NewerCode, { deps: { publisher } }: Bench, from: number) {
  for (let place = from; place < publisher.published.length; place++) {
    const message = publisher.published[place];
    if (message !== undefined) await code.handleIteration(composeEventarcEvent(message), deps);
  }
}

/** Migrates what the newer code finds, and tells of the collections in which there was something. */
async function migrate(
  { code, store, outdated }: NewerCode,
  collections: Record<string, DocumentType<unknown>> = code.COLLECTIONS,
) {
  const options = { outdated, store, dryRun: false, now: () => new Date(), collections };
  const done = [];
  for await (const tally of code.migrateDocuments(options))
    if (tally.complete && tally.total > 0) done.push(tally);
  return done;
}

/** Delivers a message once; the code of the error with which it will come again, if that is what happens. */
async function codeOfDelivery(bench: Bench, message: PublishedMessage | undefined): Promise<string> {
  if (message === undefined) throw new Error('there is no such message');
  const error = await bench.deliver(message).catch((thrown: unknown) => thrown);
  return error instanceof RetryableError ? error.code : String(error);
}

/** The next version of sessions: `waitedUntil` is called `paused`, and a `priority` is required. */
const nextSessionSchema = sessionSchema
  .omit({ waitedUntil: true })
  .extend({ paused: sessionSchema.shape.waitedUntil, priority: z.enum(['unknown', 'high']) });
const nextSession: Change = ({ sessionType: today }) => ({
  sessionType: {
    ...today,
    ...documentType('session', today.version + 1, nextSessionSchema, {
      oldest: today.version,
      upcast: ({ waitedUntil, ...kept }) => ({ ...kept, paused: waitedUntil, priority: 'unknown' }),
    }),
  },
});
const NEXT_SESSION = sessionType.version + 1;

describe('a new version of sessions', () => {
  it.each([1, 2, 3, 4])(
    'deployed after %i messages of an investigation: it ends as it would have',
    async (delivered) => {
      const bench = await opened(twoStages);
      for (let count = 1; count < delivered; count++) await bench.deliverNext();
      const path = paths.session(bench.sessionId);
      const before = await everything(bench);
      expect(before.data[path]).toMatchObject({
        schemaVersion: sessionType.version,
        waitedUntil: null,
        status: 'in_progress',
      });

      const newer = await deployNewerCode(bench, nextSession);
      await finishWith(newer, bench, delivered);
      const run = await newer.code.readInvestigation(newer.store, bench.sessionId);
      expect(run.session).toMatchObject({ status: 'completed', priority: 'unknown', paused: null });
      expect(run.session.finalAnalysis).toContain('judge says memory.');
      expect(run.executions.map(({ status }) => status)).toEqual(['completed', 'completed']);
      expectNoGaps(run);
      expect(bench.gemini.requests).toHaveLength(4);
      expect(await bench.rejected()).toEqual([]);

      const { data } = await everything(bench);
      expect(data[path]).toMatchObject({ schemaVersion: NEXT_SESSION, priority: 'unknown' });
      expect(data[path]).not.toHaveProperty('waitedUntil');
    },
  );

  it('reads sessions that ended before, and leaves them as they are', async () => {
    const bench = await investigate(twoStages);
    const before = await everything(bench);
    const { code, deps, store } = await deployNewerCode(bench, nextSession);
    const { session } = await code.readInvestigation(store, bench.sessionId);
    expect(session).toMatchObject({ status: 'completed', priority: 'unknown', paused: null });
    // All messages once more, as Pub/Sub may deliver them.
    for (const message of bench.deps.publisher.published) {
      if (message.topic === TOPICS.iterations)
        await code.handleIteration(composeEventarcEvent(message), deps);
    }
    expect((await everything(bench)).changes).toEqual(before.changes);
  });

  it('reaches all sessions with a migration, those that ended and those that run, which continue', async () => {
    const bench = await opened(twoStages);
    const ended = await bench.publishAlert({ title: 'another' });
    await bench.drain();
    const running = await bench.publishAlert({ title: 'a third' });
    await bench.deliverNext();
    await bench.deliverNext();
    const before = await everything(bench);

    const newer = await deployNewerCode(bench, nextSession);
    expect(await migrate(newer)).toMatchObject([{ collection: 'sessions', migrated: 3, failed: 0 }]);
    const after = await everything(bench);
    const changed = Object.keys(after.changes).filter((path) => after.changes[path] !== before.changes[path]);
    expect(changed.sort()).toEqual([bench.sessionId, ended, running].map(paths.session).sort());
    for (const path of changed) {
      const { waitedUntil: _, ...kept } = before.data[path] ?? {};
      expect(after.data[path]).toEqual({
        ...kept,
        schemaVersion: NEXT_SESSION,
        paused: null,
        priority: 'unknown',
      });
    }
    expect(await migrate(newer)).toEqual([]);

    await finishWith(newer, bench, bench.deps.publisher.published.length - 1);
    const run = await newer.code.readInvestigation(newer.store, running);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });
});

/** A next version that only adds a field, which newer code writes too. */
const mark = { mark: z.string().default('new') };
const marked = (type: Collection, schema: z.ZodObject) => ({
  ...type,
  ...documentType(type.name, type.version + 1, schema.extend(mark), {
    oldest: type.version,
    upcast: (data) => ({ ...data, mark: 'upcast' }),
  }),
});
const nextOfAll: Change = () => ({
  sessionType: marked(sessionType, sessionSchema),
  stageType: marked(stageType, stageSchema),
  executionType: marked(executionType, executionSchema),
  messageType: marked(messageType, messageSchema),
});

/** An investigation whose execution has ended; then the process died, and its stage knows nothing of it. */
async function endedExecution() {
  const bench = await opened(oneAnswer);
  // The claim and the answer.
  bench.dieAfterCommits(2);
  await expect(bench.deliverNext()).rejects.toThrow('died');
  bench.revive();
  return bench;
}

describe('a document of a newer version', () => {
  // Sessions and stages are read when an execution has ended, executions and messages when one is to go on.
  it.each([
    ['session', 'sessions', endedExecution],
    ['stage', 'stages', endedExecution],
    ['execution', 'executions', () => opened(oneAnswer)],
    ['message', 'messages', () => opened(oneAnswer)],
  ] as const)(
    '%s stops this code: nothing is written, asked or published, until the newer code is there',
    async (_, collection, begin) => {
      const bench = await begin();
      const { publisher } = bench.deps;
      const newer = await deployNewerCode(bench, nextOfAll);
      const [tally] = await migrate(newer, { [collection]: newer.code.COLLECTIONS[collection] });
      expect(tally).toMatchObject({ collection, failed: 0 });
      expect(tally?.migrated).toBeGreaterThan(0);

      const message = publisher.published.at(-1);
      const before = await everything(bench);
      const requests = bench.gemini.requests.length;
      const published = publisher.published.length;
      for (let delivery = 1; delivery <= 2; delivery++) {
        expect(await codeOfDelivery(bench, message)).toBe('SCHEMA_TOO_NEW');
      }
      await bench.tick();
      expect(await everything(bench)).toEqual(before);
      expect(bench.gemini.requests).toHaveLength(requests);
      expect(publisher.published).toHaveLength(published);

      await finishWith(newer, bench, published - 1);
      const run = await newer.code.readInvestigation(newer.store, bench.sessionId);
      expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
      expect(bench.gemini.requests).toHaveLength(1);
      expectNoGaps(run);
    },
  );

  it('at the end of an execution costs no answer: it is stored, and not requested again', async () => {
    const bench = await opened(oneAnswer);
    const newer = await deployNewerCode(bench, nextSession);
    expect(await migrate(newer)).toMatchObject([{ collection: 'sessions', migrated: 1 }]);
    const message = bench.deps.publisher.published.at(-1);
    expect(await codeOfDelivery(bench, message)).toBe('SCHEMA_TOO_NEW');
    const before = await everything(bench);
    expect(before.data[paths.execution(bench.sessionId, EXECUTION)]).toMatchObject({ status: 'completed' });
    expect(before.data[paths.session(bench.sessionId)]).toMatchObject({ status: 'in_progress' });
    expect(await codeOfDelivery(bench, message)).toBe('SCHEMA_TOO_NEW');
    expect(await everything(bench)).toEqual(before);

    await finishWith(newer, bench, bench.deps.publisher.published.length - 1);
    const run = await newer.code.readInvestigation(newer.store, bench.sessionId);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('message never lets a dead letter end its execution, however often it was claimed', async () => {
    const bench = await opened(oneAnswer);
    const newer = await deployNewerCode(bench, nextOfAll);
    await migrate(newer, { messages: newer.code.COLLECTIONS.messages });
    const message = { schemaVersion: 1, sessionId: bench.sessionId, executionId: EXECUTION, iteration: 1 };
    await bench.deps.publisher.publish(TOPICS.iterationsDead, message, {});
    const letter = bench.deps.publisher.published.at(-1);
    if (letter === undefined) throw new Error('there is no dead letter');
    // None of the failed deliveries was a claim: the message is published again, for the newer code.
    await bench.deliver(letter);
    expect(bench.deps.publisher.published.at(-1)).toMatchObject({ topic: TOPICS.iterations });
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, claims: 3 }));
    const before = await everything(bench);
    expect(await codeOfDelivery(bench, letter)).toBe('SCHEMA_TOO_NEW');
    expect(await everything(bench)).toEqual(before);
  });

  it('session lets its alert be delivered again without harm', async () => {
    const bench = await opened(oneAnswer);
    const newer = await deployNewerCode(bench, nextSession);
    await migrate(newer);
    const [alert] = bench.deps.publisher.published;
    if (alert === undefined) throw new Error('the alert was not published');
    const before = await everything(bench);
    // Newer code has the alert already.
    await bench.deliver(alert);
    expect(await everything(bench)).toEqual(before);
    expect(bench.deps.publisher.published).toHaveLength(2);
  });
});

describe('an execution of an older release', () => {
  it('that was never published is published when its alert is delivered again', async () => {
    const bench = await startBench(oneAnswer);
    const sessionId = await bench.publishAlert({ title: 'Checkout slow' });
    const message = bench.deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('the alert was not published');
    await dieAt(CRASH_POINTS.ingestAfterCommit, bench.deps, (process) => bench.deliver(message, process));
    await rewrite(bench, paths.execution(sessionId, '01-investigator'), (data) => ({
      ...toExecution5(data),
      schemaVersion: executionType.oldest,
    }));
    await bench.deliver(message);
    expect(bench.deps.publisher.published.slice(1).map(({ topic }) => topic)).toEqual([TOPICS.iterations]);
  });
});
