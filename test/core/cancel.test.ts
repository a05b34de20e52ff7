import { describe, expect, it } from 'vitest';
import type { ModelScript } from '../../local/scriptedModel/modelScript.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import { isTerminal, type TerminalStatus } from '../../shared/core/schema/common.ts';
import { cancelSession } from '../../shared/core/session/cancelSession.ts';
import { paths } from '../../shared/lists/documents.ts';
import { dieAt } from '../support/dieAt.ts';
import { expectNoGaps, listErrorCodes, listEventTypes, listToolResults } from '../support/expectations.ts';
import { agentOf, type Bench, investigate, opened, startBench } from '../support/harness.ts';
import { withRawDocument } from '../support/rawDocument.ts';

const call = (name: string) => ({ name: `fixture.${name}` });
const tools = { tools: ['fixture'] };
const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const thinking = { conversations: [{ turns: [{ text: 'Too late.', firstDelayMs: 3_600_000 }] }] };
const twoTurns = {
  conversations: [{ turns: [{ toolCalls: [call('echo'), call('fail')] }, { text: 'Done.' }] }],
};
const analysis = (agent: string) => ({
  name: agent,
  when: `You are ${agent},`,
  turns: [{ text: `${agent} says memory.` }],
});
const twoAgents = {
  stages: [{ name: 'look', agents: [agentOf({ name: 'logs' }), agentOf({ name: 'metrics' })] }],
  script: { conversations: [analysis('logs'), analysis('metrics'), analysis('synth')] },
};
const synthesized = {
  ...twoAgents,
  stages: twoAgents.stages.map((stage) => ({
    ...stage,
    synthesis: agentOf({ name: 'synth', strategy: 'synthesis-native-thinking' }),
  })),
};

/** Takes the renewals of leases into the test's hands: they happen when it says so. */
function windRenewals({ deps }: Bench) {
  const renewals: { ms: number; action: () => void }[] = [];
  deps.clock.every = (ms, action) => {
    renewals.push({ ms, action });
    return () => {};
  };
  return renewals;
}

/** Does something once, at the first moment the runtime comes to a point; resolves when that is done. */
function once({ deps }: Bench, point: CrashPoint, action: () => Promise<unknown>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let reached = false;
  deps.failpoint = async (visited) => {
    if (reached || visited !== point) return;
    reached = true;
    await action().then(() => resolve(), reject);
  };
  return promise;
}

/** Everything that was ever published is delivered again, and the schedule ticks. */
async function deliverAllAgain(bench: Bench): Promise<void> {
  for (const message of [...bench.deps.publisher.published]) await bench.deliver(message);
  await bench.tick();
}

/** The session is cancelled as a whole, each of its open executions with one event that says so, its last. */
async function expectCancelled(bench: Bench, sessionId: string) {
  const run = await bench.read(sessionId);
  expect(run.session).toMatchObject({ status: 'cancelled', failure: { code: 'CANCELLED' } });
  expect(run.session.endedAt).not.toBeNull();
  expectNoGaps(run);
  for (const { executionId, status } of run.executions) {
    expect(isTerminal(status)).toBe(true);
    const last = run.timeline.filter((event) => event.executionId === executionId).at(-1);
    if (status === 'completed') expect(last?.eventType).toBe('final_analysis');
    else expect(last).toMatchObject({ eventType: 'error', status, metadata: { recoverable: false } });
  }
  expect(listErrorCodes(run)).toHaveLength(
    run.executions.filter(({ status }) => status !== 'completed').length,
  );
  expect(run.stages.filter(({ status }) => !isTerminal(status))).toEqual([]);
  return run;
}

describe('cancelling an investigation', () => {
  it('whose model thinks ends it at once; its holder drops the call at its next renewal, within 5 s', async () => {
    const bench = await opened({ script: thinking, agent: tools });
    const renewals = windRenewals(bench);
    const working = bench.deliverNext();
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
    const { versions } = await expectCancelled(bench, bench.sessionId);
    expect(bench.gemini.requests).toMatchObject([{ outcome: { kind: 'answered' } }]);

    expect(renewals).toHaveLength(1);
    expect(renewals[0]?.ms).toBeLessThanOrEqual(5_000);
    renewals[0]?.action();
    await working;
    await expect.poll(() => bench.gemini.requests[0]?.outcome.kind).toBe('abandoned');
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('whose tool runs ends it at once; the call is stopped at the next renewal, its effect unverified', async () => {
    const bench = await opened({
      agent: tools,
      script: { conversations: [{ turns: [{ toolCalls: [call('slow'), call('echo')] }] }] },
    });
    const renewals = windRenewals(bench);
    const started = once(bench, CRASH_POINTS.duringTool, () => Promise.resolve());
    const working = bench.deliverNext();
    await started;
    await cancelSession(bench.sessionId, bench.deps);
    const run = await expectCancelled(bench, bench.sessionId);
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result cancelled',
      'llm_tool_call',
      'tool_result cancelled',
      'error cancelled',
    ]);
    expect(listToolResults(run).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^No result: .*unverified/),
      expect.stringMatching(/^Not run: /),
    ]);

    for (const { action } of renewals) action();
    await working;
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('before its first iteration asks no model', async () => {
    const bench = await opened({ script: done });
    expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
    const { execution, versions } = await expectCancelled(bench, bench.sessionId);
    expect(execution).toMatchObject({ status: 'cancelled', startedAt: null, iteration: 1 });
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(bench.gemini.requests).toEqual([]);
  });

  it('between two iterations keeps the timeline, and asks no further', async () => {
    const bench = await opened({ agent: tools, script: twoTurns });
    await bench.deliverNext();
    await cancelSession(bench.sessionId, bench.deps);
    const run = await expectCancelled(bench, bench.sessionId);
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result failed',
      'error cancelled',
    ]);
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('in a pause that a failure asked for does not wait for its end', async () => {
    const bench = await opened({ script: done });
    const notBefore = new Date(bench.deps.clock.now().getTime() + 3_600_000);
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, notBefore }));
    await cancelSession(bench.sessionId, bench.deps);
    await expectCancelled(bench, bench.sessionId);
  });

  it('whose holder died ends it although the lease has not run out', async () => {
    const bench = await opened({ script: done });
    await dieAt(CRASH_POINTS.afterClaim, bench.deps, (process) => bench.deliverNext(process));
    expect((await bench.read(bench.sessionId)).execution.lease).not.toBeNull();
    await cancelSession(bench.sessionId, bench.deps);
    await expectCancelled(bench, bench.sessionId);
  });

  it('whose one agent has ended keeps its analysis, and starts no synthesis', async () => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    await cancelSession(bench.sessionId, bench.deps);
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.executions.map(({ executionId, status }) => [executionId, status])).toEqual([
      ['01-logs', 'completed'],
      ['01-metrics', 'cancelled'],
    ]);
    expect(run.stages).toMatchObject([{ stageId: '01-look', status: 'cancelled' }]);
    expect(run.session.finalAnalysis).toBe('logs says memory.');
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('in its synthesis keeps the analyses of the agents', async () => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    await bench.deliverNext();
    await cancelSession(bench.sessionId, bench.deps);
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.stages.map(({ stageId, status }) => [stageId, status])).toEqual([
      ['01-look', 'completed'],
      ['01-look-synthesis', 'cancelled'],
    ]);
    expect(run.session.finalAnalysis).toContain('logs says memory.');
    expect(run.session.finalAnalysis).toContain('metrics says memory.');
    await bench.drain();
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toHaveLength(2);
  });
});

describe('cancelling at any moment of an iteration: nothing of the execution is written afterwards', () => {
  const { afterLoad, afterClaim, duringModelCall, beforeCommitA, afterCommitA } = CRASH_POINTS;
  const { beforeTool, duringTool, afterTool, beforeCommitB, afterCommitB, afterPublish } = CRASH_POINTS;
  it.each([
    afterLoad,
    afterClaim,
    duringModelCall,
    beforeCommitA,
    afterCommitA,
    beforeTool,
    duringTool,
    afterTool,
    beforeCommitB,
    afterCommitB,
    afterPublish,
  ])('%s', async (point) => {
    const bench = await opened({ agent: tools, script: twoTurns });
    let atTheEnd: Record<string, string> = {};
    const cancelled = once(bench, point, async () => {
      expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
      atTheEnd = (await bench.read(bench.sessionId)).versions;
    });
    // Whoever was cancelled under its hands has nothing left to do: its message is acked.
    await bench.deliverNext();
    await cancelled;
    await bench.drain();
    await deliverAllAgain(bench);
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.versions).toEqual(atTheEnd);
    expect(bench.gemini.requests.length).toBeLessThanOrEqual(1);
    expect(bench.deadLetters).toEqual([]);
    expect(await bench.rejected()).toEqual([]);
  });
});

describe('cancelling at the end of a stage', () => {
  const { afterEnding, stageBeforeCommit, stageAfterCommit } = CRASH_POINTS;

  it.each([afterEnding, stageBeforeCommit])('(%s) keeps its synthesis from starting', async (point) => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    const cancelled = once(bench, point, () => cancelSession(bench.sessionId, bench.deps));
    await bench.deliverNext();
    await cancelled;
    await bench.drain();
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.stages).toMatchObject([{ stageId: '01-look', status: 'completed' }]);
    expect(run.session.finalAnalysis).toContain('metrics says memory.');
    expect(bench.gemini.requests).toHaveLength(2);
  });

  it(`(${stageAfterCommit}) ends its synthesis, whose message comes too late`, async () => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    const cancelled = once(bench, stageAfterCommit, () => cancelSession(bench.sessionId, bench.deps));
    await bench.deliverNext();
    await cancelled;
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.stages).toMatchObject([{ status: 'completed' }, { status: 'cancelled' }]);
    await bench.drain();
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toHaveLength(2);
  });

  it('at the very same moment leaves one outcome or the other, whole', async () => {
    for (let round = 0; round < 5; round++) {
      const bench = await opened(synthesized);
      await bench.deliverNext();
      await Promise.all([bench.deliverNext(), cancelSession(bench.sessionId, bench.deps)]);
      const run = await expectCancelled(bench, bench.sessionId);
      await deliverAllAgain(bench);
      expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    }
  });

  it('that was the last of the session comes too late, or wins, but never half', async () => {
    for (let round = 0; round < 5; round++) {
      const bench = await opened({ script: done });
      const [, outcome] = await Promise.all([
        bench.deliverNext(),
        cancelSession(bench.sessionId, bench.deps),
      ]);
      const run = await bench.read(bench.sessionId);
      if (outcome.kind === 'cancelled') await expectCancelled(bench, bench.sessionId);
      else
        expect([outcome, run.session.status]).toEqual([
          { kind: 'already_ended', status: 'completed' },
          'completed',
        ]);
      await deliverAllAgain(bench);
      expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    }
  });
});

describe('cancelling while the alert is taken in', () => {
  async function cancelledAt(point: CrashPoint) {
    const bench = await startBench({ script: done });
    const sessionId = await bench.publishAlert();
    let outcome: unknown;
    const tried = once(bench, point, async () => {
      outcome = await cancelSession(sessionId, bench.deps);
    });
    await bench.deliverNext();
    await tried;
    await bench.drain();
    return { bench, sessionId, outcome };
  }

  it('finds no session before that is stored', async () => {
    const { bench, sessionId, outcome } = await cancelledAt(CRASH_POINTS.ingestBeforeCommit);
    expect(outcome).toEqual({ kind: 'unknown_session' });
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });

  it.each([CRASH_POINTS.ingestAfterCommit, CRASH_POINTS.ingestAfterPublish])(
    'ends the session from then on (%s); the alert delivered again opens nothing',
    async (point) => {
      const { bench, sessionId, outcome } = await cancelledAt(point);
      expect(outcome).toEqual({ kind: 'cancelled' });
      const { versions } = await expectCancelled(bench, sessionId);
      const count = bench.deps.publisher.published.length;
      await deliverAllAgain(bench);
      expect((await bench.read(sessionId)).versions).toEqual(versions);
      expect(bench.deps.publisher.published).toHaveLength(count);
      expect(bench.gemini.requests).toEqual([]);
    },
  );
});

describe('a canceller that dies is made up for by the next sweep', () => {
  const { afterCancelRequest, beforeEnding, afterEnding, stageBeforeCommit, stageAfterCommit } = CRASH_POINTS;

  it.each([afterCancelRequest, beforeEnding, afterEnding, stageBeforeCommit])('%s', async (point) => {
    const bench = await opened(twoAgents);
    await dieAt(point, bench.deps, (process) => cancelSession(bench.sessionId, process));
    expect((await bench.read(bench.sessionId)).session).toMatchObject({
      status: 'cancelling',
      endedAt: null,
    });
    expect(await bench.tick()).toMatchObject({ sessions: 1, republished: 0, failed: 0 });
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.executions.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await bench.drain();
    await deliverAllAgain(bench);
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toEqual([]);
  });

  it(`${stageAfterCommit}: nothing is left to do`, async () => {
    const bench = await opened(twoAgents);
    await dieAt(stageAfterCommit, bench.deps, (process) => cancelSession(bench.sessionId, process));
    const run = await expectCancelled(bench, bench.sessionId);
    expect(await bench.tick()).toMatchObject({ sessions: 0 });
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
  });

  it.each([afterCancelRequest, beforeEnding, stageBeforeCommit])(
    '%s, by the next to cancel too',
    async (point) => {
      const bench = await opened(twoAgents);
      await dieAt(point, bench.deps, (process) => cancelSession(bench.sessionId, process));
      expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
      await expectCancelled(bench, bench.sessionId);
    },
  );

  it('a sweep that dies over it too, by the one after that', async () => {
    const bench = await opened(twoAgents);
    await dieAt(afterCancelRequest, bench.deps, (process) => cancelSession(bench.sessionId, process));
    await dieAt(afterEnding, bench.deps, (process) => bench.tick(process));
    expect(await bench.tick()).toMatchObject({ sessions: 1, failed: 0 });
    await expectCancelled(bench, bench.sessionId);
  });

  it('that ends the work of a living holder, which drops its model call', async () => {
    const bench = await opened({ script: thinking, agent: tools });
    const renewals = windRenewals(bench);
    const working = bench.deliverNext();
    await expect.poll(() => bench.gemini.requests.length).toBe(1);
    await dieAt(afterCancelRequest, bench.deps, (process) => cancelSession(bench.sessionId, process));
    await bench.tick();
    const { versions } = await expectCancelled(bench, bench.sessionId);
    for (const { action } of renewals) action();
    await working;
    await expect.poll(() => bench.gemini.requests[0]?.outcome.kind).toBe('abandoned');
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  });

  it('before that, open executions continue, but start no further stage', async () => {
    const bench = await opened(synthesized);
    await dieAt(afterCancelRequest, bench.deps, (process) => cancelSession(bench.sessionId, process));
    await bench.drain();
    const run = await expectCancelled(bench, bench.sessionId);
    expect(run.executions.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(bench.gemini.requests).toHaveLength(2);
  });
});

describe('cancelling a session whose documents are missing or broken', () => {
  const ofStage = (sessionId: string) => paths.stage(sessionId, '01-look');
  const ofExecution = (sessionId: string) => paths.execution(sessionId, '01-logs');

  it.each<[string, (sessionId: string) => string, Record<string, unknown> | undefined]>([
    ['no execution', ofExecution, undefined],
    ['a broken execution', ofExecution, { iteration: 'first' }],
  ])('(%s) ends the readable part of it', async (_, pathOf, harm) => {
    const bench = await opened(twoAgents);
    await harmDocument(bench, pathOf(bench.sessionId), harm);
    expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
    expect(await statusOf(bench, paths.execution(bench.sessionId, '01-metrics'))).toBe('cancelled');
    const ofMetrics = bench.deps.publisher.published.at(-1);
    if (ofMetrics !== undefined) await bench.deliver(ofMetrics);
    expect(bench.gemini.requests).toEqual([]);
  });

  it.each<[string, (sessionId: string) => string, Record<string, unknown> | undefined]>([
    ['no stage', ofStage, undefined],
    ['a broken stage', ofStage, { kind: 'picnic' }],
    ['no execution', ofExecution, undefined],
    ['a broken execution', ofExecution, { iteration: 'first' }],
  ])('(%s) ends it, as cancelled; so does the sweep', async (_, pathOf, harm) => {
    for (const bySweep of [false, true]) {
      const bench = await opened(twoAgents);
      await harmDocument(bench, pathOf(bench.sessionId), harm);
      if (bySweep) {
        const { afterCancelRequest } = CRASH_POINTS;
        await dieAt(afterCancelRequest, bench.deps, (process) => cancelSession(bench.sessionId, process));
        await bench.tick();
      } else await cancelSession(bench.sessionId, bench.deps);
      expect(await statusOf(bench, paths.session(bench.sessionId))).toBe('cancelled');
    }
  });

  const harmDocument = ({ projectId }: Bench, path: string, harm: Record<string, unknown> | undefined) =>
    withRawDocument(projectId, path, (document) => (harm ? document.update(harm) : document.delete()));
  const statusOf = ({ projectId }: Bench, path: string) =>
    withRawDocument(projectId, path, async (document) => (await document.get())?.status);
});

describe('cancelling again, or cancelling something that cannot be cancelled', () => {
  it('an unknown session is reported, and nothing is written', async () => {
    const bench = await opened({ script: done });
    const { versions } = await bench.read(bench.sessionId);
    expect(await cancelSession('nobody', bench.deps)).toEqual({ kind: 'unknown_session' });
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  });

  it('a second time finds it cancelled, and changes nothing', async () => {
    const bench = await opened({ script: done });
    await cancelSession(bench.sessionId, bench.deps);
    const { versions } = await bench.read(bench.sessionId);
    const again = await cancelSession(bench.sessionId, bench.deps);
    expect(again).toEqual({ kind: 'already_ended', status: 'cancelled' });
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  });

  it('five times at once cancels it once', async () => {
    const bench = await opened(twoAgents);
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => cancelSession(bench.sessionId, bench.deps)),
    );
    for (const outcome of outcomes) {
      expect([{ kind: 'cancelled' }, { kind: 'already_ended', status: 'cancelled' }]).toContainEqual(outcome);
    }
    const run = await expectCancelled(bench, bench.sessionId);
    expect(listErrorCodes(run)).toEqual(['CANCELLED', 'CANCELLED']);
  });

  it.each<[TerminalStatus, ModelScript]>([
    ['completed', done],
    ['failed', { conversations: [{ turns: [{ failures: [{ status: 400 }] }] }] }],
  ])('one that is %s stays so, unchanged', async (status, script) => {
    const run = await investigate({ script });
    expect(await cancelSession(run.sessionId, run.deps)).toEqual({ kind: 'already_ended', status });
    expect((await run.read(run.sessionId)).versions).toEqual(run.versions);
  });

  it('a session past its deadline that is not ended yet is cancelled, as requested', async () => {
    const bench = await opened({ script: done, deadlineMs: 60_000 });
    bench.deps.clock.advance(60_000 + LEASE_MS);
    expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
    await expectCancelled(bench, bench.sessionId);
  });

  it('publishes no iteration', async () => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    const count = bench.deps.publisher.published.length;
    await cancelSession(bench.sessionId, bench.deps);
    expect(bench.deps.publisher.published).toHaveLength(count);
    expect(bench.deps.publisher.published.slice(1).map(({ topic }) => topic)).toEqual([
      TOPICS.iterations,
      TOPICS.iterations,
    ]);
  });
});
