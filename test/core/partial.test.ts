// However a session ends without analysis, it leaves its work: in its document and an event.

import { describe, expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { MAX_CLAIMS } from '../../shared/core/rescue/buryIteration.ts';
import { SESSION_EVENTS } from '../../shared/core/schema/coreDocuments.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { expectNoGaps } from '../support/expectations.ts';
import {
  agentOf,
  type Bench,
  type BenchOptions,
  EXECUTION,
  type Investigation,
  opened,
} from '../support/harness.ts';
import { withRawDocument } from '../support/rawDocument.ts';
import { startTextServer } from '../tools/httpServer.ts';

const MINUTE = 60_000;
const call = (name: string, args: Record<string, unknown> = {}) => ({ name: `fixture.${name}`, args });
const looking = {
  text: 'I look at the disk first.',
  toolCalls: [call('echo', { disk: 'sda' }), call('fail', { disk: 'sdb' })],
};
const refused = { failures: [{ status: 400 }] };

/** A session whose agent has looked once: its first iteration is over, its second one published. */
async function looked(options: Partial<BenchOptions> = {}) {
  const bench = await opened({
    agent: { tools: ['fixture'] },
    script: { conversations: [{ turns: [looking, refused] }] },
    deadlineMs: 10 * MINUTE,
    ...options,
  });
  await bench.deliverNext();
  return bench;
}
type Looked = Awaited<ReturnType<typeof looked>>;

/** The text of the session's only event of its own, which is that of its document. */
function expectPartial({ session, timeline }: Investigation, reason: string): string {
  const events = timeline.filter(({ executionId }) => executionId === SESSION_EVENTS);
  expect(events).toMatchObject([
    {
      eventType: 'notice',
      sequenceNumber: 1,
      stageId: session.currentStageId,
      metadata: { code: 'partial_result', subject: reason },
      content: session.partial?.text,
    },
  ]);
  expect(session.partial?.reason).toBe(reason);
  return session.partial?.text ?? '';
}

/** Both calls with outcome and result, and the agent's last words. */
function expectLook(text: string): void {
  expect(text).toContain('without an analysis');
  expect(text).toContain(`(${EXECUTION}): `);
  expect(text).toContain('- fixture.echo(disk: "sda") → completed\n    {"pid":');
  expect(text).toContain('- fixture.fail(disk: "sdb") → failed\n    the disk is full');
  expect(text).toContain('Its last words:\n    I look at the disk first.');
}

const ENDS: [string, string, (bench: Looked) => Promise<unknown>][] = [
  ['a model that refuses', 'MODEL_BAD_REQUEST', (bench) => bench.drain()],
  [
    'its deadline, found by its message',
    'DEADLINE_EXCEEDED',
    (bench) => {
      bench.deps.clock.advance(10 * MINUTE);
      return bench.drain();
    },
  ],
  [
    'its deadline, found by the sweep',
    'DEADLINE_EXCEEDED',
    (bench) => {
      bench.deps.clock.advance(10 * MINUTE);
      return bench.tick();
    },
  ],
  ['a cancellation', 'CANCELLED', (bench) => cancelSession(bench.sessionId, bench.deps)],
  [
    'a burial',
    'DELIVERY_EXHAUSTED',
    async (bench) => {
      await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, claims: MAX_CLAIMS }));
      await bury(bench, { executionId: EXECUTION, iteration: 2 });
    },
  ],
];

async function bury(bench: Looked, message: { executionId: string; iteration: number }): Promise<void> {
  const data = { schemaVersion: 1, sessionId: bench.sessionId, ...message };
  const attributes = { CloudPubSubDeadLetterSourceDeliveryCount: '8' };
  await bench.deps.publisher.publish(TOPICS.iterationsDead, data, attributes);
  const letter = bench.deps.publisher.published.at(-1);
  if (letter !== undefined) await bench.deliver(letter);
}

async function deliverAllAgain(bench: Bench): Promise<void> {
  for (const message of [...bench.deps.publisher.published]) await bench.deliver(message);
  await bench.tick();
}

describe('a session that is ended without an analysis', () => {
  it.each(ENDS)(
    'by %s leaves the calls with their outcome, the errors and the last words',
    async (_, reason, end) => {
      const bench = await looked();
      await end(bench);
      const run = await bench.read(bench.sessionId);
      expect(run.session).toMatchObject({ finalAnalysis: null, failure: { code: reason } });
      const text = expectPartial(run, reason);
      expectLook(text);
      expect(text).toContain(`, ${reason}: ${run.session.failure?.message}`);
      expectNoGaps(run);
    },
  );

  it.each(ENDS)('by %s does so once, however often it is delivered', async (_, reason, end) => {
    const bench = await looked();
    await end(bench);
    const { versions } = await bench.read(bench.sessionId);
    await cancelSession(bench.sessionId, bench.deps);
    await deliverAllAgain(bench);
    const run = await bench.read(bench.sessionId);
    expect(run.versions).toEqual(versions);
    expectPartial(run, reason);
  });

  it('after several failures names the earlier ones, too', async () => {
    const bench = await looked({
      agent: { tools: ['fixture'], limits: { maxIterations: 2 } },
      script: { conversations: [{ turns: [looking, { finishReason: 'MALFORMED_FUNCTION_CALL' }] }] },
    });
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    const [first] = run.timeline.filter(({ eventType }) => eventType === 'error');
    expect(first?.content).toContain('cannot be read');
    expect(expectPartial(run, 'MAX_ITERATIONS')).toContain(`Errors:\n- ${first?.content}`);
  });

  it('before the first tool call is marked as such', async () => {
    const bench = await opened({ script: { conversations: [{ turns: [looking] }] } });
    await cancelSession(bench.sessionId, bench.deps);
    const text = expectPartial(await bench.read(bench.sessionId), 'CANCELLED');
    expect(text).toContain('(none: no tool was called)');
  });

  it('after results of half a megabyte keeps the head of each, within 32 kB', async () => {
    const server = await startTextServer();
    onTestFinished(() => server.close());
    const pattern = (index: number) => `result ${index} secret `;
    const toolCalls = Array.from({ length: 30 }, (_, index) => ({
      name: 'text.text',
      args: { length: 20_000, pattern: pattern(index) },
    }));
    const bench = await looked({
      agent: { tools: ['text'] },
      servers: { text: { transport: 'http', url: server.url } },
      script: { conversations: [{ turns: [{ toolCalls }, refused] }] },
    });
    await bench.drain();
    const text = expectPartial(await bench.read(bench.sessionId), 'MODEL_BAD_REQUEST');
    expect(Buffer.byteLength(text)).toBeLessThan(32_000);
    for (const index of toolCalls.keys()) expect(text).toContain(`    ${pattern(index)}`);
    expect(text).toMatch(/of 20000 bytes left out/);
  });

  it('in its second stage keeps the analysis of the first, and the calls of the second', async () => {
    const bench = await opened({
      stages: [
        { name: 'look', agents: [agentOf({ name: 'logs' })] },
        { name: 'judge', agents: [agentOf({ name: 'judge', tools: ['fixture'] })] },
      ],
      script: {
        conversations: [
          { when: 'You are logs,', turns: [{ text: 'Logs say memory.' }] },
          { when: 'You are judge,', turns: [looking, refused] },
        ],
      },
    });
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(run.session.finalAnalysis).toBe('Logs say memory.');
    const text = expectPartial(run, 'MODEL_BAD_REQUEST');
    expect(text).toContain('with what had been found so far');
    expect(text).toContain('### judge (02-judge): failed, MODEL_BAD_REQUEST');
    expect(text).toContain('- fixture.fail(disk: "sdb") → failed');
    expect(text).not.toContain('01-logs');
  });
});

describe('documents that cannot be read', () => {
  /** Makes a document invalid, as an operator's slip would. */
  const breakDocument = (bench: Bench, path: string) =>
    withRawDocument(bench.projectId, path, (document) => document.update({ expireAt: 'never' }));

  it('leave readable documents: the events of a broken execution', async () => {
    const bench = await looked();
    await breakDocument(bench, paths.execution(bench.sessionId, EXECUTION));
    bench.deps.clock.advance(10 * MINUTE);
    await bench.tick();
    const { session, event } = await readSessionAlone(bench);
    expect(session).toMatchObject({ status: 'failed', partial: { reason: 'DOCUMENT_INVALID' } });
    expect(session?.partial?.text).toContain('- fixture.fail(disk: "sdb") → failed\n    the disk is full');
    expect(event?.content).toBe(session?.partial?.text);
  });

  it.each([
    ['cancelled', (bench: Looked) => cancelSession(bench.sessionId, bench.deps), 'CANCELLED'],
    [
      'failed',
      (bench: Looked) => {
        bench.deps.clock.advance(10 * MINUTE);
        return bench.tick();
      },
      'DOCUMENT_INVALID',
    ],
  ])('leave it also when the stage is broken and the session is %s', async (status, end, reason) => {
    const bench = await looked();
    await breakDocument(bench, paths.stage(bench.sessionId, '01-investigation'));
    await end(bench);
    const { session, event } = await readSessionAlone(bench);
    expect(session).toMatchObject({ status, partial: { reason } });
    expect(session?.partial?.text).toContain('- fixture.echo(disk: "sda") → completed');
    expect(event?.content).toBe(session?.partial?.text);
  });

  it('of an earlier stage do not keep the next one from ending', async () => {
    const agents = (name: string) => ({ name, agents: [agentOf({ name })] });
    const answerAs = (name: string) => ({
      when: `You are ${name},`,
      turns: [{ text: `${name} says memory.` }],
    });
    const bench = await opened({
      stages: [agents('logs'), agents('judge')],
      script: { conversations: [answerAs('logs'), answerAs('judge')] },
    });
    await bench.deliverNext();
    await breakDocument(bench, paths.execution(bench.sessionId, '01-logs'));
    await bench.drain();
    const session = await bench.deps.store.get(paths.session(bench.sessionId), sessionType);
    expect(session?.value).toMatchObject({ status: 'completed', finalAnalysis: 'judge says memory.' });
  });

  it('among the events take nothing from the others', async () => {
    const bench = await looked();
    await breakDocument(bench, paths.event(bench.sessionId, EXECUTION, 2));
    await bench.drain();
    const { session } = await readSessionAlone(bench);
    expect(session?.partial?.text).toContain('(Earlier events not shown: 1.)');
    expect(session?.partial?.text).toContain('- fixture.fail(disk: "sdb") → failed\n    the disk is full');
  });

  it('never keep a session from ending', async () => {
    const bench = await looked();
    const { store } = bench.deps;
    const { list } = store;
    store.list = (query, type) =>
      query.idRange === undefined
        ? list(query, type)
        : Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'the timeline does not answer'));
    await bench.drain();
    store.list = list;
    const run = await bench.read(bench.sessionId);
    expect(run.session.status).toBe('failed');
    expect(expectPartial(run, 'MODEL_BAD_REQUEST')).toContain(
      'could not be read: the timeline does not answer',
    );
  });
});

/** The session and its own event, where other documents cannot be read. */
async function readSessionAlone({ deps: { store }, sessionId }: Looked) {
  const [session, event] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(paths.event(sessionId, SESSION_EVENTS, 1), timelineEventType),
  ]);
  return { session: session?.value, event: event?.value };
}
