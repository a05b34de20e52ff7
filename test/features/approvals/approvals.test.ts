import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { LEASE_MS } from '../../../shared/core/kernel/execution/lease.ts';
import type { Approval } from '../../../shared/core/schema/approval.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { type ApprovalDecision, decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { pauseSystem } from '../../../shared/kits/steering/pauseSystem.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { approvalType, paths } from '../../../shared/lists/documents.ts';
import { dieAt } from '../../support/dieAt.ts';
import { expectNoGaps, listEventTypes, listToolResults } from '../../support/expectations.ts';
import { type Bench, EXECUTION, opened } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const MINUTE = 60_000;
const call = (name: string, args: Record<string, unknown> = {}) => ({ name: `journal.${name}`, args });
const jane: ApprovalDecision = { verdict: 'approved', by: 'jane', reason: null };
const joe: ApprovalDecision = { verdict: 'denied', by: 'joe', reason: 'It is Friday.' };

interface Options {
  /** The calls of the only answer before the analysis. */
  calls?: ReturnType<typeof call>[];
  /** Settings of the tool `order`, beside its approval. */
  order?: object;
  /** Settings of the server. */
  server?: object;
  deadlineMs?: number;
  alert?: object;
}

/** An investigation up to its first wait, of an agent with a tool that needs approval. */
async function waiting({
  calls = [call('order', { to: 1 })],
  order = {},
  server = {},
  deadlineMs = 40 * MINUTE,
  alert,
}: Options = {}) {
  const folder = temporaryFolder();
  const file = join(folder, 'journal');
  writeFileSync(file, '');
  const journal = await startJournalServer(file);
  onTestFinished(() => journal.close());
  const bench = await opened({
    alert,
    deadlineMs,
    agent: { tools: ['journal'] },
    servers: {
      journal: {
        transport: 'http',
        url: journal.url,
        tools: { order: { approval: 'required', ...order }, change: { approval: 'none' } },
        ...server,
      },
    },
    script: { conversations: [{ turns: [{ toolCalls: calls }, { text: 'Done.' }] }] },
  });
  await bench.deliverNext();
  return {
    ...bench,
    file,
    /** The names of the tools that ran, in order. */
    journal: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => line.split(' ')[0] || []),
    approvals: () => listApprovals(bench.deps.store, bench.deps.clock.now()),
    decide: (id: string, decision: ApprovalDecision) => decideApproval(id, decision, bench.deps),
    stored: async (id: string) => (await bench.deps.store.get(paths.approval(id), approvalType))?.value,
  };
}

const firstOf = (approvals: Approval[]): string => approvals[0]?.approvalId ?? 'none';
const messagesOf = ({ deps }: Bench) => deps.publisher.published.length;

/** The investigation to its end; fails for a dead letter. */
async function finish(bench: Bench & { sessionId: string }) {
  await bench.drain();
  expect(bench.deadLetters).toEqual([]);
  const run = await bench.read(bench.sessionId);
  expectNoGaps(run);
  return run;
}

describe('a call that needs approval', () => {
  it('waits without lease or message, and a copy of its message changes nothing', async () => {
    const bench = await waiting();
    const before = await bench.read(bench.sessionId);
    expect(before.execution).toMatchObject({
      status: 'waiting',
      lease: null,
      pendingCalls: [{ state: 'waiting', waitsFor: { kind: 'person' } }],
    });
    expect(await bench.approvals()).toMatchObject([
      { toolName: 'journal.order', arguments: '{"to":1}', status: 'pending', executionId: EXECUTION },
    ]);
    const published = messagesOf(bench);
    const [, iteration] = bench.deps.publisher.published;
    if (iteration !== undefined) await bench.deliver(iteration);
    await bench.tick();
    expect((await bench.read(bench.sessionId)).versions).toEqual(before.versions);
    expect(messagesOf(bench)).toBe(published);
    expect(bench.journal()).toEqual([]);
  });

  it('runs once after approval, with the arguments that were shown', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'decided', approval: { decidedBy: 'jane' } });
    const run = await finish(bench);
    expect(bench.journal()).toEqual(['order']);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result',
      'notice',
      'notice',
      'final_analysis',
    ]);
    expect(await bench.approvals()).toEqual([]);
  });

  it('does not run after a denial: the model gets user and reason, and nothing has failed', async () => {
    const bench = await waiting();
    await bench.decide(firstOf(await bench.approvals()), joe);
    const run = await finish(bench);
    expect(bench.journal()).toEqual([]);
    expect(listToolResults(run)[0]?.content).toMatch(
      /^Not run: joe denied journal\.order\. The reason: It is Friday\./,
    );
    expect(JSON.stringify(bench.gemini.requests[1]?.body)).toContain('It is Friday.');
    expect(run.session.status).toBe('completed');
    expect(run.execution.lastInteractionFailed).toBe(false);
  });

  it('has calls before it done first, and those behind it run after it', async () => {
    const calls = [call('look'), call('change'), call('order'), call('look'), call('order'), call('change')];
    const bench = await waiting({ calls });
    expect(bench.journal()).toEqual(['look', 'change']);
    await bench.decide(firstOf(await bench.approvals()), jane);
    await bench.drain();
    expect(bench.journal()).toEqual(['look', 'change', 'order', 'look']);
    const [second] = await bench.approvals();
    await bench.decide(second?.approvalId ?? '', joe);
    const run = await finish(bench);
    expect(bench.journal()).toEqual(['look', 'change', 'order', 'look', 'change']);
    expect(run.session.status).toBe('completed');
    expect(bench.gemini.requests).toHaveLength(2);
  });

  it('is not run when its tool has changed since it was approved', async () => {
    const bench = await waiting();
    await bench.decide(firstOf(await bench.approvals()), jane);
    writeFileSync(`${bench.file}.description`, 'Orders something else.');
    const run = await finish(bench);
    expect(bench.journal()).toEqual([]);
    expect(listToolResults(run)[0]?.content).toContain('its definition has changed since it was approved');
    expect(run.timeline.map(({ metadata }) => 'code' in metadata && metadata.code)).toContain('tool_changed');
  });
});

describe('a parameter that is bound to a label of the alert', () => {
  const server = { arguments: { place: '$' + '{labels.place}' } };

  it('is set by configuration: the model does not see it, the person does', async () => {
    const bench = await waiting({ server, alert: { title: 'Late', labels: { place: 'shop' } } });
    expect(JSON.stringify(bench.gemini.requests[0]?.body)).toContain('journal__order');
    expect(JSON.stringify(bench.gemini.requests[0]?.body)).not.toContain('"place":{');
    expect(await bench.approvals()).toMatchObject([{ arguments: '{"to":1,"place":"shop"}' }]);
    await bench.decide(firstOf(await bench.approvals()), jane);
    await finish(bench);
    expect(readFileSync(`${bench.file}.arguments`, 'utf8')).toBe('{"to":1,"place":"shop"}\n');
  });

  it('that the alert does not have keeps the tool from being offered', async () => {
    const bench = await waiting({ server, alert: { title: 'Late', labels: { other: 'shop' } } });
    expect(JSON.stringify(bench.gemini.requests[0]?.body)).not.toContain('journal__order');
    const run = await finish(bench);
    expect(bench.journal()).toEqual([]);
    expect(run.session.status).toBe('completed');
  });
});

describe('a decision', () => {
  it('is made once: the second person sees the first decision, and the stored one stays', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    await bench.decide(id, joe);
    const before = (await bench.read(bench.sessionId)).versions;
    expect(await bench.decide(id, jane)).toMatchObject({
      kind: 'already_decided',
      approval: { status: 'denied', decidedBy: 'joe', reason: 'It is Friday.' },
    });
    expect((await bench.read(bench.sessionId)).versions).toEqual(before);
  });

  it('of two people in the same moment is that of one of them', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    const outcomes = await Promise.all([bench.decide(id, jane), bench.decide(id, joe)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['already_decided', 'decided']);
    const stored = await bench.stored(id);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ approval: { decidedBy: stored?.decidedBy } });
    await finish(bench);
    expect(bench.journal()).toEqual(stored?.status === 'approved' ? ['order'] : []);
  });

  it('is published by the next caller when its process dies before the publication', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    const published = messagesOf(bench);
    await dieAt(CRASH_POINTS.afterCommitB, bench.deps, (process) => decideApproval(id, jane, process));
    expect(messagesOf(bench)).toBe(published);
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'already_decided' });
    expect(messagesOf(bench)).toBe(published + 1);
    await finish(bench);
    expect(bench.journal()).toEqual(['order']);
  });

  it('is published by the sweep when there is no other caller', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    await dieAt(CRASH_POINTS.afterCommitB, bench.deps, (process) => decideApproval(id, jane, process));
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toMatchObject({ republished: 1 });
    await finish(bench);
    expect(bench.journal()).toEqual(['order']);
  });

  it('beside a decision and an end of the session that its reads see in part: it gets the stored decision', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    const { store } = bench.deps;
    let isFirst = true;
    const slow: typeof store = Object.assign(Object.create(store), {
      get: async (...[path, type]: Parameters<typeof store.get>) => {
        if (isFirst && path === paths.session(bench.sessionId)) {
          isFirst = false;
          await bench.decide(id, jane);
          await cancelSession(bench.sessionId, bench.deps);
        }
        return store.get(path, type);
      },
    });
    expect(await decideApproval(id, joe, { ...bench.deps, store: slow })).toMatchObject({
      kind: 'already_decided',
      approval: { status: 'approved', decidedBy: 'jane' },
    });
  });

  it('about an unknown approval is refused', async () => {
    const bench = await waiting();
    expect(await bench.decide('aaaaa-aaaaa', jane)).toEqual({ kind: 'unknown' });
  });
});

describe('no person decides', () => {
  it('until the time is over: the sweep has it denied, the model gets the denial, and a decision comes too late', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    bench.deps.clock.advance(15 * MINUTE - 1);
    expect(await bench.tick()).toMatchObject({ settled: 0 });
    bench.deps.clock.advance(1);
    expect(await bench.tick()).toMatchObject({ settled: 1 });
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'expired', approval: { status: 'expired' } });
    const run = await finish(bench);
    expect(bench.journal()).toEqual([]);
    expect(listToolResults(run)[0]?.content).toContain('nobody decided until');
    expect(run.session.status).toBe('completed');
    expect(run.execution).toMatchObject({ consecutiveTimeouts: 0, lastInteractionFailed: false });
  });

  it('in time: a decision that comes too late settles the call itself, and so does a copy of its message', async () => {
    for (const late of ['decision', 'copy'] as const) {
      const bench = await waiting();
      const id = firstOf(await bench.approvals());
      bench.deps.clock.advance(15 * MINUTE);
      const [, iteration] = bench.deps.publisher.published;
      if (late === 'decision') expect(await bench.decide(id, jane)).toMatchObject({ kind: 'expired' });
      else if (iteration !== undefined) await bench.deliver(iteration);
      expect(await bench.stored(id)).toMatchObject({ status: 'expired' });
      expect((await finish(bench)).session.status).toBe('completed');
      expect(bench.journal()).toEqual([]);
    }
  });

  it('before a cancellation: the approval has ended with its execution', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    await cancelSession(bench.sessionId, bench.deps);
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'ended', approval: { status: 'ended' } });
    const run = await finish(bench);
    expect(run.session.status).toBe('cancelled');
    expect(await bench.stored(id)).toMatchObject({ status: 'ended', decidedBy: null });
    expect(bench.journal()).toEqual([]);
  });

  it('between the mark of a cancellation and its end: it is not taken any more', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    await dieAt(CRASH_POINTS.afterCancelRequest, bench.deps, (process) =>
      cancelSession(bench.sessionId, process),
    );
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'ended' });
    await bench.tick();
    expect((await finish(bench)).session.status).toBe('cancelled');
    expect(bench.journal()).toEqual([]);
  });

  it('because there is no time left to ask: the call has its error at once', async () => {
    const bench = await waiting({ deadlineMs: 80_000 });
    const run = await finish(bench);
    expect(listToolResults(run)[0]?.content).toContain('too little time is left to ask');
    expect(run.session.status).toBe('completed');
  });
});

describe('an approved call whose holder dies while it runs', () => {
  /** Approves the call, has its holder die right after the tool ran, and finishes. */
  async function diesAfterTool(order: object) {
    const bench = await waiting({ order });
    await bench.decide(firstOf(await bench.approvals()), jane);
    await dieAt(CRASH_POINTS.afterTool, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(LEASE_MS + MINUTE);
    await bench.tick();
    return { bench, run: await finish(bench) };
  }

  it('is not repeated without a key or a probe: its outcome is unknown, and a check is named', async () => {
    const { bench, run } = await diesAfterTool({});
    expect(bench.journal()).toEqual(['order']);
    expect(listToolResults(run)).toMatchObject([
      {
        status: 'failed',
        content: expect.stringMatching(
          /^Outcome unknown: .*Verify with a read-only call \(journal\.effects, journal\.look\)/,
        ),
        metadata: { outcome: 'unknown' },
      },
    ]);
    expect(run.session.status).toBe('completed');
  });

  it('is repeated with the same key when its tool recognises that', async () => {
    const { bench, run } = await diesAfterTool({ idempotent: 'key' });
    expect(bench.journal()).toEqual(['order', 'order']);
    const lines = readFileSync(bench.file, 'utf8').trim().split('\n');
    expect(lines[0]).toBe(lines[1]);
    expect(listToolResults(run)).toMatchObject([{ status: 'completed', content: 'order is done' }]);
  });

  const probe = {
    tool: 'effects',
    arguments: { key: '$' + '{idempotencyKey}' },
    happened: 'was done',
    didNotHappen: 'never came',
  };

  it('is not repeated when a probe reports that it took effect', async () => {
    const { bench, run } = await diesAfterTool({ probe });
    expect(bench.journal()).toEqual(['order', 'effects']);
    expect(listToolResults(run)).toMatchObject([
      {
        status: 'completed',
        content: expect.stringMatching(/Its probe confirms that it took effect: .*was done/),
      },
    ]);
  });

  it('is repeated when a probe reports that it did not', async () => {
    const bench = await waiting({ order: { probe } });
    await bench.decide(firstOf(await bench.approvals()), jane);
    await dieAt(CRASH_POINTS.beforeTool, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(LEASE_MS + MINUTE);
    await bench.tick();
    const run = await finish(bench);
    expect(bench.journal()).toEqual(['effects', 'order']);
    expect(listToolResults(run)).toMatchObject([{ status: 'completed', content: 'order is done' }]);
  });

  it('stays unknown when a probe reports neither', async () => {
    const { bench, run } = await diesAfterTool({ probe: { ...probe, happened: 'x', didNotHappen: 'y' } });
    expect(bench.journal()).toEqual(['order', 'effects']);
    expect(listToolResults(run)).toMatchObject([
      {
        content: expect.stringContaining('The probe gave no clear answer: '),
        metadata: { outcome: 'unknown' },
      },
    ]);
  });
});

describe('a pause of the installation', () => {
  const forMs = 30 * MINUTE;

  it('extends the time of a call that waits, and that of its approval', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    const until = (await bench.stored(id))?.until.getTime() ?? 0;
    bench.deps.clock.advance(5 * MINUTE);
    await pauseSystem({ by: 'ada', forMs }, bench.deps);
    bench.deps.clock.advance(forMs);
    expect(await bench.tick()).toMatchObject({ paused: false, settled: 0, republished: 0 });
    expect((await bench.stored(id))?.until).toEqual(new Date(until + forMs));
    const { execution } = await bench.read(bench.sessionId);
    expect(execution.pendingCalls).toMatchObject([{ waitsFor: { until: new Date(until + forMs) } }]);
    bench.deps.clock.advance(10 * MINUTE - 1);
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'decided' });
    expect((await finish(bench)).session.status).toBe('completed');
    expect(bench.journal()).toEqual(['order']);
  });

  it('accepts decisions after the time of a call, because that time continues later', async () => {
    const bench = await waiting();
    const id = firstOf(await bench.approvals());
    await pauseSystem({ by: 'ada', forMs }, bench.deps);
    bench.deps.clock.advance(20 * MINUTE);
    expect(await bench.decide(id, jane)).toMatchObject({ kind: 'decided' });
    await bench.drain();
    expect(bench.journal()).toEqual([]);
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toMatchObject({ republished: 1 });
    await finish(bench);
    expect(bench.journal()).toEqual(['order']);
  });
});
