// Outcomes: after 30 minutes and 24 hours the sweep repeats named calls, code compares.

import { describe, expect, it, onTestFinished } from 'vitest';
import { startSlackServer } from '../../../local/destinations/slackServer.ts';
import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import { createDocument } from '../../../shared/core/contract/store.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { documentsOfSession } from '../../../shared/features/telemetry/documentsOfSession.ts';
import { buildSpans } from '../../../shared/features/telemetry/spansOf.ts';
import { addWork } from '../../../shared/kits/work/addWork.ts';
import {
  approvalType,
  knowledgeType,
  outcomeType,
  paths,
  workType,
} from '../../../shared/lists/documents.ts';
import { sessionEntryKey } from '../../../shared/search/sessionEntry.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { expectNoGaps } from '../../support/expectations.ts';
import { type Bench, type BenchOptions, startBench } from '../../support/harness.ts';
import { startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { sampleApproval } from '../../support/samples.ts';
import { openReceiverExporter } from '../../support/tracedBench.ts';

const HALF_HOUR = 30 * 60_000;
const PROBE = {
  id: 'p1',
  tool: 'pods.memory',
  arguments: `{"pod": "checkout", "since": "\${now-15m}"}`,
  find: 'memory at',
  is: 'below',
  value: '400Mi',
  action: 'Raise the memory limit of checkout',
};
const LEDGER = {
  hypotheses: [{ id: 'h1', component: 'service:checkout', mechanism: 'memory', cause: true }],
  evidence: [
    { id: 'e1', hypothesis: 'h1', quote: 'Reason: OOMKilled' },
    { id: 'e2', hypothesis: 'h1', quote: 'Memory cgroup out of memory' },
  ],
};

/** Two texts of different tools that make the cause likely. */
const OTHER: Record<string, string> = {
  status: 'checkout Reason: OOMKilled',
  events: 'checkout: Memory cgroup out of memory',
};

/** A bench with a tool whose result a test changes, after an investigation that named a probe. */
async function investigated(probes: readonly object[] = [PROBE], options: Partial<BenchOptions> = {}) {
  const called: string[] = [];
  const state = { text: 'checkout memory at 512Mi', readOnly: true, isDown: false };
  const source = {
    name: 'pods',
    connect: async () => {
      if (state.isDown) throw new Error('the server is down');
      return {
        tools: ['memory', ...Object.keys(OTHER)].map((name) => ({
          name: `pods.${name}`,
          description: name,
          inputSchema: { type: 'object' },
          readOnly: state.readOnly,
        })),
        results: {},
        call: async ({ name, arguments: args }: { name: string; arguments: string }) => {
          called.push(args);
          const content = OTHER[name.replace('pods.', '')] ?? state.text;
          return { content, isError: false, timedOut: false };
        },
        close: async () => {},
      };
    },
  } as unknown as ToolSource;
  const bench = await startBench({
    ...options,
    claims: {},
    retentionMs: 3 * 24 * 3_600_000,
    agent: { tools: ['pods', KEEPS_LEDGER] },
    script: {
      conversations: [
        { when: CLAIMS_ROLE, turns: [{ text: '{"conclusion": "cause", "cause": ["h1"]}' }] },
        {
          turns: [
            {
              toolCalls: ['memory', ...Object.keys(OTHER)].map((name) => ({
                name: `pods.${name}`,
                args: { pod: 'checkout', since: '1h' },
              })),
            },
            { toolCalls: [{ name: 'ledger', args: { ...LEDGER, probes } }] },
            { text: 'The checkout service runs out of memory.' },
          ],
        },
      ],
    },
  });
  bench.deps.connectTools = createToolConnector([source], { warn: () => {} });
  const sessionId = await bench.publishAlert();
  await bench.drain();
  called.length = 0;
  return { ...bench, sessionId, state, called };
}

type Run = Awaited<ReturnType<typeof investigated>>;

const outcomeOf = async ({ deps, sessionId }: Run) =>
  (await deps.store.get(paths.outcome(sessionId), outcomeType))?.value;

/** Moves the clock, lets the sweep start the check, its calls run, and the sweep end it. */
async function check(bench: Run & Bench, afterMs: number) {
  bench.deps.clock.advance(afterMs);
  await bench.tick();
  await bench.drain();
  bench.deps.clock.advance(61_000);
  await bench.tick();
  return outcomeOf(bench);
}

const act = ({ sessionId, deps }: Run, text: string) =>
  addWork(sessionId, { kind: 'action', text, review: null, by: 'ana', seen: null }, deps);

describe('the probes of a session', () => {
  it('are repeated after 30 minutes and 24 hours, without a model, with the times of the check', async () => {
    const run = await investigated();
    const asked = run.gemini.requests.length;
    expect(await outcomeOf(run)).toMatchObject({ probes: [{ id: 'a.p1' }], checks: [], value: null });
    await run.tick();
    expect(run.called).toEqual([]);

    run.state.text = 'checkout memory at 210Mi';
    expect(await check(run, HALF_HOUR)).toMatchObject({
      value: 'self_resolved',
      reason: 'a.p1 changed as stated without a recorded action.',
      checks: [{ stageId: '62-probe', results: [{ holds: true, why: null }] }],
    });
    const since = new Date(JSON.parse(run.called[0] ?? '{}').since).getTime();
    expect(run.deps.clock.now().getTime() - since).toBeGreaterThan(15 * 60_000);
    expect(run.deps.clock.now().getTime() - since).toBeLessThan(18 * 60_000);

    expect(await check(run, 24 * 3_600_000)).toMatchObject({ value: 'self_resolved', dueAt: null });
    expect(run.called).toHaveLength(2);
    expect(run.gemini.requests).toHaveLength(asked);
    const after = await run.read(run.sessionId);
    expectNoGaps(after);
    expect(after.session).toMatchObject({ status: 'completed', openStage: null, questions: 0 });
    const notices = after.timeline.filter(({ executionId }) => executionId === 'outcome');
    expect(notices.map(({ content }) => content)).toEqual([
      'Outcome after check 1: self_resolved. a.p1 changed as stated without a recorded action.',
      'Outcome after check 2: self_resolved. a.p1 changed as stated without a recorded action.',
    ]);
    run.deps.clock.advance(48 * 3_600_000);
    await run.tick();
    expect(run.called).toHaveLength(2);
  });

  it.each([
    ['the action that the analysis named', 'raised memory limit of checkout to 1Gi', 'held'],
    ['another action', 'rolled back checkout to 1.41', 'overridden'],
  ])('give %s its outcome', async (_, text, value) => {
    const run = await investigated();
    await act(run, text);
    run.state.text = 'checkout memory at 210Mi';
    const outcome = await check(run, HALF_HOUR);
    expect(outcome).toMatchObject({ value });
    expect(outcome?.reason).toContain(text);
    const key = paths.knowledgeEntry('default', sessionEntryKey(run.sessionId));
    const entry = await run.deps.store.get(key, knowledgeType);
    expect(entry?.value.session?.trust).toBe(value === 'held' ? 'corroborated' : 'unreviewed');
    run.state.text = 'checkout memory at 512Mi';
    expect(await check(run, 24 * 3_600_000)).toMatchObject({
      value: 'recurred',
      reason: 'a.p1 is again as during the problem.',
    });
    expect((await run.deps.store.get(key, knowledgeType))?.value.session?.trust).toBe('unreviewed');
  });

  it('count a call that a person approved as an action, and one that was denied as none', async () => {
    for (const [status, value] of [
      ['approved', 'overridden'],
      ['denied', 'self_resolved'],
    ] as const) {
      const run = await investigated();
      const { sessionId } = run;
      const approval = sampleApproval({ sessionId, status, toolName: 'pods.roll_back', decidedBy: 'ana' });
      const path = paths.approval(approval.approvalId);
      await run.deps.store.commit([createDocument(path, approvalType, approval)]);
      run.state.text = 'checkout memory at 210Mi';
      const outcome = await check(run, HALF_HOUR);
      expect([status, outcome?.value]).toEqual([status, value]);
      if (status === 'approved') expect(outcome?.reason).toContain('pods roll back');
    }
  });

  it.each([
    ['the problem is still there', {}, 'a.p1 is still as during the problem.'],
    ['the tool can change something now', { readOnly: false }, /a\.p1: .*not among the tools/],
    ['its server is down', { isDown: true }, /a\.p1: .*cannot be reached/],
    ['the result has no value', { text: 'no samples' }, 'a.p1: its result has nothing to compare.'],
  ])('leave the outcome unknown where %s', async (_, change, reason) => {
    const run = await investigated();
    Object.assign(run.state, change);
    const outcome = await check(run, HALF_HOUR);
    expect(outcome).toMatchObject({ value: 'unknown' });
    expect(outcome?.reason).toMatch(reason);
    if ('readOnly' in change || 'isDown' in change) expect(run.called).toEqual([]);
  });

  it('have spans below the session, which equal those of the stored documents', async () => {
    const receiver = await startOtlpReceiver();
    const run = await investigated([PROBE], { telemetry: openReceiverExporter(receiver.url).exporter });
    const before = receiver.spans.length;
    await check(run, HALF_HOUR);
    const spans = receiver.spans.slice(before);
    const [session, stage, agent, tool] = [
      receiver.spans.slice(0, before).find(({ name }) => name === 'invoke_workflow test'),
      ...['stage probe', 'invoke_agent probe', 'execute_tool pods.memory'].map((name) =>
        spans.find((span) => span.name === name),
      ),
    ];
    expect([stage, agent, tool].map((span) => span?.parentSpanId)).toEqual([
      session?.spanId,
      stage?.spanId,
      agent?.spanId,
    ]);
    expect(stage?.attributes).toMatchObject({
      'inquest.stage.kind': 'probe',
      'inquest.stage.status': 'completed',
    });
    expect(spans.filter(({ name }) => name.startsWith('generate_content'))).toEqual([]);
    const stored = buildSpans(await documentsOfSession(run.sessionId, run.deps.store), 'none');
    const sent = new Set(receiver.spans.map(({ spanId }) => spanId));
    expect(stored.map(({ spanId }) => spanId).toSorted()).toEqual([...sent].toSorted());
  });

  it.each([
    ['no such call', { ...PROBE, arguments: '{"pod": "other"}' }],
    ['a result that is already as after the problem', { ...PROBE, is: 'above' }],
    ['a label', { ...PROBE, arguments: `{"pod": "checkout", "since": "\${labels.a}"}` }],
  ])('are refused with %s, and nothing is stored', async (_, probe) => {
    expect(await outcomeOf(await investigated([probe]))).toBeUndefined();
  });

  it('are the first three that can be repeated', async () => {
    const probes = ['p1', 'p2', 'p3', 'p4'].map((id) => ({ ...PROBE, id }));
    const unknown = { ...PROBE, id: 'p0', arguments: '{"pod": "other"}' };
    const outcome = await outcomeOf(await investigated([unknown, ...probes]));
    expect(outcome?.probes.map(({ id }) => id)).toEqual(['a.p1', 'a.p2', 'a.p3']);
  });

  it('are given up where a document of the session can never be read, and the sweep reports it once', async () => {
    const run = await investigated();
    const { store } = run.deps;
    const broken = new TerminalError('DOCUMENT_INVALID', 'work/1 is not a valid entry');
    run.deps.store = {
      ...store,
      list: (query, type) => (type.name === workType.name ? Promise.reject(broken) : store.list(query, type)),
    };
    expect(await check(run, HALF_HOUR)).toMatchObject({ value: null, dueAt: null });
    run.deps.clock.advance(24 * 3_600_000);
    await run.tick();
    expect(run.called).toHaveLength(1);
  });

  it('are given up where their stage can never be stored: the outcome is unknown, and the sweep reports it once', async () => {
    const run = await investigated();
    const { store } = run.deps;
    let refused = 0;
    run.deps.store = {
      ...store,
      commit: (writes) => {
        if (!writes.some(({ path }) => path.includes('/stages/'))) return store.commit(writes);
        refused += 1;
        return Promise.reject(new TerminalError('DOCUMENT_TOO_LARGE', 'the message has 2 MB'));
      },
    };
    expect(await check(run, HALF_HOUR)).toMatchObject({
      value: 'unknown',
      dueAt: null,
      checks: [
        {
          stageId: null,
          results: [{ holds: null, why: 'The check cannot be stored: the message has 2 MB' }],
        },
      ],
    });
    run.deps.clock.advance(24 * 3_600_000);
    await run.tick();
    expect([refused, run.called]).toEqual([1, []]);
    expect((await run.read(run.sessionId)).session).toMatchObject({ status: 'completed', openStage: null });
  });

  it('are continued where the message of a check is lost', async () => {
    const run = await investigated();
    run.deps.clock.advance(HALF_HOUR);
    await run.tick();
    const { session, executions } = await run.read(run.sessionId);
    expect(session.openStage?.deadline.getTime()).toBe(run.deps.clock.now().getTime() + 5 * 60_000);
    expect(executions.at(-1)?.limits.maxIterations).toBe(1);
    // The message is lost: the sweep publishes it again.
    const before = run.deps.publisher.published.length;
    run.deps.publisher.published.splice(before - 1);
    run.deps.clock.advance(61_000);
    await run.tick();
    expect(await outcomeOf(run)).toMatchObject({ value: null, checks: [{ endedAt: null }] });
    await run.drain();
    run.deps.clock.advance(61_000);
    await run.tick();
    expect(await outcomeOf(run)).toMatchObject({
      value: 'unknown',
      checks: [{ results: [{ holds: false }] }],
    });
    expect(run.called).toHaveLength(1);
  });
});

it('sends the outcome once for each value, in the thread of the session, and to no one who did not ask for it', async () => {
  const channel = 'C0123456789';
  const slack = await startSlackServer({
    token: 'xoxb-a-token-of-tests',
    channels: { [channel]: 'member' },
    now: () => Date.now(),
  });
  onTestFinished(() => slack.close());
  const settings = { token: 'xoxb-a-token-of-tests', channel, apiUrl: slack.url };
  const run = await investigated([PROBE], {
    notify: () => [{ to: 'team', when: ['opened', 'ended', 'outcome'], digestMs: null }],
    destinations: createDestinations({
      team: { kind: 'slack', tenants: ['default'], onDoubt: 'repeat', settings },
    }),
  });
  const outcomes = () => slack.posts.map(({ text }) => text).filter((text) => text.startsWith('Outcome'));
  const deliver = async () => {
    for (let minute = 0; minute < 3; minute++) {
      run.deps.clock.advance(60_000);
      await run.tick();
      await run.drain();
    }
  };
  await check(run, HALF_HOUR);
  await deliver();
  // Still open after the first check: the second one can tell more.
  expect(outcomes()).toEqual([]);
  await act(run, 'raised memory limit of checkout to 1Gi');
  run.state.text = 'checkout memory at 210Mi';
  await check(run, 24 * 3_600_000);
  await deliver();
  expect(outcomes()).toEqual([
    expect.stringMatching(/^Outcome held: PodCrashLooping: a\.p1 changed as stated after/),
  ]);
  const [root] = slack.posts;
  expect(slack.posts.at(-1)).toMatchObject({ threadTs: root?.ts });
});
