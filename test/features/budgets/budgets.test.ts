import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES, HTTP_SERVICE_NAMES } from '../../../functions/manifest.ts';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { NO_RUNBOOKS } from '../../../shared/config/runbooks.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import type { UsageLimit } from '../../../shared/core/schema/agent.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { startDeferred } from '../../../shared/core/session/startDeferred.ts';
import { degradeByBudget } from '../../../shared/features/budgets/degradeByBudget.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import { handleAlert } from '../../../shared/lists/alertHandler.ts';
import { paths, sessionType, timelineEventType } from '../../../shared/lists/documents.ts';
import { DEFAULT_MASKING } from '../../../shared/masking/masker.ts';
import { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { ownNames } from '../../../shared/wiring/ownNames.ts';
import { usedTickets, usedTokens, useTokens } from '../../support/allowances.ts';
import { expectNoGaps, listEventTypes } from '../../support/expectations.ts';
import { agentOf, type Bench, EXECUTION, investigate, startBench } from '../../support/harness.ts';
import { composePushBody } from '../../support/pushEvents.ts';
import { samplePlan, sampleSession } from '../../support/samples.ts';
import { createTestClock } from '../../support/testClock.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const HOUR = 3_600_000;
const all = (limit: number): UsageLimit[] => [{ chain: null, limit }];
const sessionsOf = async ({ deps }: Bench) =>
  (await deps.store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);
const statusesOf = async (bench: Bench) => {
  const counts: Record<string, number> = {};
  for (const { status } of await sessionsOf(bench)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const noticesOf = async ({ deps }: Bench, sessionId: string) =>
  (await deps.store.list({ collection: paths.timeline(sessionId) }, timelineEventType)).map(
    ({ value }) => value,
  );

/** A bench with one deferred session: the second alert of an hour that has one. */
async function deferred(options: Partial<Parameters<typeof startBench>[0]> = {}) {
  const bench = await startBench({ script, budgets: { sessionsPerHour: all(1) }, ...options });
  await bench.publishAlert();
  const sessionId = await bench.publishAlert();
  await bench.drain();
  return { ...bench, sessionId };
}

describe('sessionsPerHour', () => {
  it('starts exactly as many of a hundred simultaneous alerts as it allows; redeliveries and sweeps change nothing', async () => {
    const bench = await startBench({ script, budgets: { sessionsPerHour: all(7) } });
    for (let count = 0; count < 100; count++) await bench.publishAlert();
    const alerts = [...bench.deps.publisher.published];
    await Promise.all(alerts.map((message) => bench.deliver(message)));
    expect(await statusesOf(bench)).toEqual({ in_progress: 7, deferred: 93 });
    expect(bench.deps.publisher.published.length - alerts.length).toBe(7);
    expect(await usedTickets(bench.deps)).toBe(7);

    await Promise.all(alerts.map((message) => bench.deliver(message)));
    bench.deps.clock.advance(50 * HOUR);
    expect(await bench.tick()).toMatchObject({ failed: 0 });
    expect((await statusesOf(bench)).deferred).toBe(93);
    expect(bench.gemini.requests).toEqual([]);
  });

  it('starts again with the hour', async () => {
    const bench = await deferred();
    bench.deps.clock.advance(HOUR);
    await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 2, deferred: 1 });
  });

  it('holds for the system and for the chain; sessions that the chain refuses do not count for the others', async () => {
    const sessionsPerHour = [{ chain: 'test', limit: 1 }, ...all(2)];
    const bench = await startBench({ script, budgets: { sessionsPerHour } });
    for (let count = 0; count < 5; count++) await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 1, deferred: 4 });
    expect([await usedTickets(bench.deps, 'test'), await usedTickets(bench.deps)]).toEqual([1, 1]);
  });

  it('returns the tickets of chains to an alert that the limit of all chains refuses', async () => {
    // In any order: the one that refuses must not keep what the others granted.
    for (const sessionsPerHour of [
      [{ chain: 'test', limit: 3 }, ...all(1)],
      [...all(1), { chain: 'test', limit: 3 }],
    ]) {
      const bench = await startBench({ script, inMemory: true, budgets: { sessionsPerHour } });
      for (let count = 0; count < 6; count++) await bench.publishAlert();
      await bench.drain();
      expect(await statusesOf(bench)).toEqual({ completed: 1, deferred: 5 });
      // The limit of all chains is raised: the chain still has two tickets.
      sessionsPerHour.splice(0, 2, { chain: 'test', limit: 3 }, ...all(100));
      for (let count = 0; count < 6; count++) await bench.publishAlert();
      await bench.drain();
      expect(await statusesOf(bench)).toEqual({ completed: 3, deferred: 9 });
    }
  });

  it('does not count sessions that a chain refuses against the limit of all chains, whatever their order', async () => {
    const sessionsPerHour = [...all(3), { chain: 'test', limit: 1 }];
    const bench = await startBench({ script, inMemory: true, budgets: { sessionsPerHour } });
    for (let count = 0; count < 5; count++) await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 1, deferred: 4 });
    sessionsPerHour.splice(1);
    for (let count = 0; count < 5; count++) await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 3, deferred: 7 });
  });

  it('notes in the timeline which budget is used up, with a remedy', async () => {
    const { sessionId, ...bench } = await deferred();
    expect(await noticesOf(bench, sessionId)).toMatchObject([
      {
        eventType: 'notice',
        sequenceNumber: 1,
        content: expect.stringMatching(
          /^Deferred: All 1 sessions .*sessionsPerHour.*inquest start-deferred /,
        ),
        metadata: { code: 'budget_reached', subject: 'sessionsPerHour' },
      },
    ]);
  });

  it('takes no ticket for an alert that is refused', async () => {
    const bench = await startBench({ script, budgets: { sessionsPerHour: all(1) } });
    await bench.publishAlert(undefined, { chain: 'tset' });
    await bench.publishAlert('');
    await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 1 });
  });

  it('never opens more when a process dies with a ticket: the hour has one session less', async () => {
    const bench = await startBench({ script, budgets: { sessionsPerHour: all(2) } });
    // What is redelivered half a minute later is still of the same hour.
    const { clock } = bench.deps;
    clock.advance(HOUR - (clock.now().getTime() % HOUR));
    await bench.publishAlert();
    // The first commit takes the ticket.
    bench.dieAfterCommits(1);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    bench.revive();
    await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 1, deferred: 1 });
  });
});

describe('reserveForCritical', () => {
  const severities = ['info', 'warning', undefined, 'info', 'critical', 'info'];

  it('keeps a share of the sessions of an hour for critical alerts, and states it where others are deferred', async () => {
    const budgets = { sessionsPerHour: all(4) };
    const bench = await startBench({ script, inMemory: true, budgets, reserveForCritical: 20 });
    const ids: string[] = [];
    for (const severity of severities) ids.push(await bench.publishAlert({ title: 'Disk full', severity }));
    await bench.drain();
    const statuses = new Map((await sessionsOf(bench)).map(({ sessionId, status }) => [sessionId, status]));
    expect(ids.map((id) => statuses.get(id))).toEqual([
      'completed',
      'completed',
      'completed',
      'deferred',
      'completed',
      'deferred',
    ]);
    expect(await noticesOf(bench, ids[3] ?? '')).toMatchObject([
      {
        content: expect.stringMatching(
          /^Deferred: All 3 sessions .*\. 1 more are kept for critical alerts \(reserveForCritical\)\./,
        ),
      },
    ]);
    // The hour is used up for critical alerts, too.
    const last = await bench.publishAlert({ title: 'Disk full', severity: 'critical' });
    await bench.drain();
    expect((await sessionsOf(bench)).find(({ sessionId }) => sessionId === last)?.status).toBe('deferred');
    const [{ content } = { content: '' }] = await noticesOf(bench, last);
    expect(content).toMatch(/^Deferred: All 4 sessions /);
    expect(content).not.toContain('kept');
  });

  it('keeps a share of the tokens of a day, which agents of other sessions cannot use', async () => {
    const dailyTokens = all(1_000_000);
    const bench = await startBench({
      script,
      inMemory: true,
      budgets: { dailyTokens },
      agent: { limits: { dailyTokens } },
      reserveForCritical: 20,
    });
    const info = await bench.publishAlert({ title: 'Disk full', severity: 'info' });
    const critical = await bench.publishAlert({ title: 'Disk full', severity: 'critical' });
    for (let opened = 0; opened < 2; opened++) await bench.deliverNext();
    const limitsOfAgent = async (id: string) =>
      (await bench.read(id)).executions.map(({ limits }) => limits.dailyTokens);
    expect(await limitsOfAgent(info)).toEqual([all(800_000)]);
    expect(await limitsOfAgent(critical)).toEqual([dailyTokens]);
    await useTokens(bench.deps, 750_000);
    await bench.publishAlert({ title: 'Disk full', severity: 'info' });
    const late = await bench.publishAlert({ title: 'Disk full', severity: 'critical' });
    await bench.drain();
    expect(await statusesOf(bench)).toMatchObject({ deferred: 1 });
    expect((await bench.read(late)).session.status).not.toBe('deferred');
  });
});

describe('a deferred session', () => {
  it('is started once, by one of two at the same time, and has its whole time from then on', async () => {
    const { sessionId, ...bench } = await deferred({ deadlineMs: HOUR });
    bench.deps.clock.advance(5 * HOUR);
    const now = bench.deps.clock.now();
    const outcomes = await Promise.all([
      startDeferred(sessionId, bench.deps),
      startDeferred(sessionId, bench.deps),
    ]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['not_deferred', 'started']);
    expect((await bench.read(sessionId)).session).toMatchObject({
      status: 'in_progress',
      deadline: new Date(now.getTime() + HOUR),
      deferral: { reason: 'sessions_per_hour', startedAt: now },
    });
    await bench.drain();
    const run = await bench.read(sessionId);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
    expect(await startDeferred(sessionId, bench.deps)).toEqual({
      kind: 'not_deferred',
      status: 'completed',
      startedAt: now,
    });
  });

  it('does not outlive its documents when it is started late', async () => {
    const { sessionId, ...bench } = await deferred({ deadlineMs: 2 * HOUR });
    bench.deps.clock.advance(23 * HOUR);
    await startDeferred(sessionId, bench.deps);
    const { session } = await bench.read(sessionId);
    expect(session.deadline).toEqual(session.expireAt);
  });

  it('whose first message could not be published is published by the sweep', async () => {
    const { sessionId, ...bench } = await deferred();
    const publisher = {
      ...bench.deps.publisher,
      publish: () => Promise.reject(new Error('the process died')),
    };
    expect(await startDeferred(sessionId, { ...bench.deps, publisher })).toEqual({
      kind: 'started',
      isPublished: false,
    });
    bench.deps.clock.advance(2 * 60_000);
    await bench.tick();
    await bench.drain();
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });

  it('is cancelled like any other, and states so after its earlier text', async () => {
    const { sessionId, ...bench } = await deferred();
    expect(await cancelSession(sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
    expect(await startDeferred(sessionId, bench.deps)).toMatchObject({
      kind: 'not_deferred',
      status: 'cancelled',
    });
    const codes = (await noticesOf(bench, sessionId)).map(
      ({ metadata }) => 'code' in metadata && metadata.code,
    );
    expect(codes).toEqual(['budget_reached', 'partial_result']);
  });

  it('that does not exist, or never was one, is not started', async () => {
    const bench = await startBench({ script });
    const sessionId = await bench.publishAlert();
    await bench.drain();
    expect(await startDeferred('nobody', bench.deps)).toEqual({ kind: 'unknown_session' });
    expect(await startDeferred(sessionId, bench.deps)).toEqual({
      kind: 'not_deferred',
      status: 'completed',
      startedAt: null,
    });
  });
});

describe('an alert that Inquest causes itself', () => {
  const about = (name: string) => ({
    alerts: [{ status: 'firing', labels: { alertname: 'X', service: name } }],
  });

  it('is deferred, and takes no ticket', async () => {
    const budgets = { sessionsPerHour: all(1) };
    const bench = await startBench({ script, budgets, ownServices: ['inquest-mcp'] });
    const own = await bench.publishAlert(about('inquest-mcp'));
    const other = await bench.publishAlert(about('checkout'));
    await bench.drain();
    const statuses = Object.fromEntries((await sessionsOf(bench)).map((one) => [one.sessionId, one.status]));
    expect(statuses).toEqual({ [own]: 'deferred', [other]: 'completed' });
    expect(await noticesOf(bench, own)).toMatchObject([
      {
        content: expect.stringContaining('inquest-mcp'),
        metadata: { code: 'own_alert', subject: 'inquest-mcp' },
      },
    ]);
  });

  it('is known by the names of the functions that are deployed', async () => {
    const bench = await startBench({ script });
    const incident = (service: string) => ({
      version: '1.2',
      incident: {
        incident_id: service,
        state: 'open',
        policy_name: 'Errors',
        resource: { type: 'cloud_run_revision', labels: { project_id: 'p', service_name: service } },
      },
    });
    const own = ownNames(
      { GOOGLE_CLOUD_PROJECT: 'p' },
      { functions: FUNCTION_NAMES, http: HTTP_SERVICE_NAMES },
    );
    const config = {
      chains: { test: { name: 'test', stages: [samplePlan({ agents: [agentOf()] })] } },
      defaultChain: 'test',
      alertRules: {},
      sessionDeadlineMs: () => HOUR,
      budgets: () => ({ sessionsPerHour: [], dailyTokens: [] }),
      ownServices: [],
      retentionMs: HOUR,
      alertPromptBytes: 1_000,
      masking: DEFAULT_MASKING,
      runbooks: NO_RUNBOOKS,
    };
    for (const [id, service] of ['runiteration', 'checkout'].entries()) {
      const data = Buffer.from(JSON.stringify(incident(service)));
      const message = { id: String(id), topic: 'alerts' as const, data, attributes: {} };
      await handleAlert(composePushBody(message), config, bench.deps, own);
    }
    const statuses = (await sessionsOf(bench)).map((own) => [readSessionAlert(own)?.identity, own.status]);
    expect(Object.fromEntries(statuses)).toEqual({ runiteration: 'deferred', checkout: 'in_progress' });
  });
});

const usage = (tokens: number) => ({ prompt: tokens, candidates: 0, thoughts: 0 });
/** A call may use some 70,000 tokens: its request, and the 65,536 of the model's longest answer. */
const CALL = { toolCalls: [{ name: 'fixture.echo', args: { text: 'x' } }], usage: usage(60_000) };

describe('sessionTokens', () => {
  const limits = { sessionTokens: 300_000 };

  it('makes an agent conclude where too few are left for a call and the conclusion after it', async () => {
    const turns = [CALL, { ...CALL, toolCalls: [{ name: 'fixture.echo', args: { text: 'y' } }] }];
    const third = { ...CALL, toolCalls: [{ name: 'fixture.echo', args: { text: 'z' } }] };
    const run = await investigate({
      script: { conversations: [{ turns: [...turns, third, { text: 'Memory.', usage: usage(10) }] }] },
      agent: { tools: ['fixture'], limits: { ...limits, maxIterations: 20 } },
    });
    expect(run.execution).toMatchObject({
      status: 'completed',
      iteration: 4,
      budgetReached: 'sessionTokens',
      caveats: ['BUDGET_REACHED'],
    });
    expect(run.timeline.at(-1)).toMatchObject({
      eventType: 'final_analysis',
      metadata: { forcedConclusion: true },
    });
    const notices = run.timeline.filter(({ eventType }) => eventType === 'notice');
    expect(notices).toMatchObject([
      {
        iteration: 4,
        content: expect.stringContaining('raise sessionTokens (300000)'),
        metadata: { subject: 'sessionTokens' },
      },
    ]);
    expect(run.session).toMatchObject({ status: 'completed', caveats: [{ code: 'BUDGET_REACHED' }] });
    expectNoGaps(run);
  });

  it('are those of all agents of a stage together', async () => {
    const talk = (agent: string) => ({
      name: agent,
      when: `You are ${agent},`,
      turns: [CALL, { text: 'Memory.' }],
    });
    const names = ['logs', 'metrics'];
    const run = await investigate({
      stages: [{ name: 'look', agents: names.map((name) => agentOf({ name, tools: ['fixture'], limits })) }],
      script: { conversations: names.map(talk) },
    });
    // Each called once: half of the tokens is kept for two conclusions and what follows.
    expect(run.executions.map(({ caveats, iteration }) => [iteration, caveats])).toEqual([
      [2, ['BUDGET_REACHED']],
      [2, ['BUDGET_REACHED']],
    ]);
    expectNoGaps(run);
  });

  it('of earlier stages count; where they are used up, agents conclude at once and a synthesis asks as ever', async () => {
    const answer = (agent: string) => ({
      name: agent,
      when: `You are ${agent},`,
      turns: [{ text: `${agent}: memory.`, usage: usage(agent === 'logs' ? 65_000 : 5_000) }],
    });
    const limits = { sessionTokens: 150_000 };
    const one = (name: string) => agentOf({ name, limits });
    const run = await investigate({
      stages: [
        { name: 'look', agents: [one('logs')] },
        {
          name: 'judge',
          agents: [one('judge')],
          synthesis: agentOf({ name: 'synth', strategy: 'synthesis', limits }),
        },
      ],
      script: { conversations: ['logs', 'judge', 'synth'].map(answer) },
    });
    expect(run.executions.map(({ executionId, caveats }) => [executionId, caveats])).toEqual([
      ['01-logs', []],
      ['02-judge', ['BUDGET_REACHED']],
      ['02-synth', []],
    ]);
    expect(listEventTypes(run, '02-judge')).toEqual(['notice', 'final_analysis']);
    expectNoGaps(run);
  });

  it('are used up by failed calls, too', async () => {
    // The script gives the same answer again: the conclusion fails as well, which ends the execution.
    const turns = [{ thinking: 'Hm.', finishReason: 'MAX_TOKENS', usage: usage(65_000) }];
    const agent = { limits: { sessionTokens: 150_000 } };
    const run = await investigate({ script: { conversations: [{ turns }] }, agent });
    expect(listEventTypes(run)).toEqual(['error failed', 'notice', 'error failed']);
    expect(run.interactions.map(({ interactionType }) => interactionType).at(-1)).toBe('forced_conclusion');
    expectNoGaps(run);
  });
});

describe('dailyTokens', () => {
  const dailyTokens = all(150_000);
  const script = {
    conversations: [
      {
        turns: [
          { ...CALL, usage: usage(65_000) },
          { text: 'Memory.', usage: usage(50) },
        ],
      },
    ],
  };
  const agent = { tools: ['fixture'], limits: { dailyTokens } };

  it('make agents conclude and defer alerts, until the next day', async () => {
    const bench = await startBench({ script, agent, budgets: { dailyTokens } });
    const first = await bench.publishAlert();
    await bench.drain();
    expect((await bench.read(first)).execution).toMatchObject({
      budgetReached: 'dailyTokens',
      caveats: ['BUDGET_REACHED'],
    });
    expect(await usedTokens(bench.deps)).toBe(65_050);

    const second = await bench.publishAlert();
    await bench.drain();
    expect(await noticesOf(bench, second)).toMatchObject([{ metadata: { subject: 'dailyTokens' } }]);
    bench.deps.clock.advance(24 * HOUR);
    await bench.publishAlert();
    await bench.drain();
    expect(await statusesOf(bench)).toEqual({ completed: 2, deferred: 1 });
  });

  it('that cannot be counted are not used: the iteration is delivered again', async () => {
    const bench = await startBench({ script, agent, inMemory: true });
    const { store } = bench.deps;
    const { incrementAll } = store;
    const fails = new RetryableError('STORE_UNAVAILABLE', 'no answer');
    store.incrementAll = () => Promise.reject(fails);
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    const message = bench.deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('nothing is published');
    await expect(bench.deliver(message)).rejects.toBe(fails);
    expect(bench.gemini.requests).toEqual([]);
    store.incrementAll = incrementAll;
    await bench.drain();
    expect((await bench.read(sessionId)).execution.status).toBe('completed');
  });
});

describe('conversationBytes', () => {
  it('shortens the oldest results of a request; the stored results stay whole', async () => {
    const turns = ['a', 'b', 'c'].map((text) => ({
      toolCalls: [{ name: 'fixture.echo', args: { text: text.repeat(9_000) } }],
    }));
    const run = await investigate({
      script: { conversations: [{ turns: [...turns, { text: 'Memory.' }] }] },
      agent: { tools: ['fixture'], limits: { conversationBytes: 45_000 } },
    });
    const sent = JSON.stringify(run.gemini.requests.at(-1));
    expect(sent.includes('bytes left out')).toBe(true);
    const stored = run.messages.flatMap(({ role, blocks: [block] }) =>
      role === 'tool' && block?.blockType === 'tool_result' ? [block.textContent] : [],
    );
    expect(stored.map((text, index) => text.includes('abc'.charAt(index).repeat(9_000)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(run.execution.status).toBe('completed');
    expect(run.execution.executionId).toBe(EXECUTION);
  });
});

describe('smallModel', () => {
  const model = (name: string) => ({ ...agentOf().model, model: name });

  it.each([
    { used: 79, name: 'gemini-3.8-flash', notices: 0 },
    { used: 80, name: 'small', notices: 1 },
  ])('is the model of new sessions from 80 % of the day on: $used %', async ({ used, name, notices }) => {
    const large = model('gemini-3.8-flash');
    const bench = await startBench({
      script,
      budgets: { dailyTokens: all(10_000_000) },
      agent: { model: large },
    });
    bench.config.smallModel = model('small');
    await useTokens(bench.deps, used * 100_000);
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    const { session, agents } = await bench.read(sessionId);
    expect(session.chain.stages[0]?.agents[0]?.model.model).toBe(name);
    expect(agents[0]?.agent.model.model).toBe(name);
    const found = (await noticesOf(bench, sessionId)).filter(
      ({ metadata }) => 'code' in metadata && metadata.code === 'budget_low',
    );
    expect(found).toHaveLength(notices);
  });

  it('is not the model of a session that waits: it starts when there is room', async () => {
    const clock = createTestClock();
    const store = createMemoryStore(clock.now);
    await useTokens({ store, clock }, 100);
    const session = sampleSession();
    const deferral = { reason: 'sessions_per_hour', subject: 'sessionsPerHour', text: 'All.' } as const;
    const request = { session, budgets: { sessionsPerHour: [], dailyTokens: all(100) }, deferral };
    const { change, notice } = await degradeByBudget(
      request,
      { smallModel: model('small') },
      { store, clock },
    );
    expect([change.chain, notice]).toEqual([session.chain, null]);
  });

  it('is not the model of an agent of another provider', async () => {
    const chain = {
      name: 'a',
      stages: [samplePlan({ name: 'a', agents: [agentOf({ model: model('large') })] })],
    };
    const session = sampleSession({ chain });
    const clock = createTestClock();
    const store = createMemoryStore(clock.now);
    await useTokens({ store, clock }, 100);
    const other = { ...model('small'), provider: 'openai' };
    const request = { session, budgets: { sessionsPerHour: [], dailyTokens: all(100) }, deferral: undefined };
    const { change } = await degradeByBudget(request, { smallModel: other }, { store, clock });
    expect(change.chain).toEqual(chain);
  });
});

describe('budgets of system.yaml', () => {
  const LIMIT = 1_000_000;
  const rules = {
    shop: { tokens: LIMIT, period: 'month' as const, labels: { team: 'shop' } },
    people: { tokens: LIMIT, period: 'day' as const, each: 'user' },
  };
  const small = { ...agentOf().model, model: 'small' };
  const month = { chain: null, budget: { name: 'shop', period: 'month' as const } };
  const alert = (team: string, title: string) => ({ title, labels: { team } });

  async function start(used: number) {
    const { conversations } = script;
    const bench = await startBench({
      script: { conversations: [...conversations, ...conversations] },
      chat: {},
    });
    Object.assign(bench.config, { budgetRules: rules, smallModel: small });
    await useTokens(bench.deps, used, month);
    return bench;
  }

  it('count the sessions of their label in a month: large model, small model, then record only', async () => {
    const bench = await start(0.5 * LIMIT);
    const models: (string | undefined)[] = [];
    const used = () => usedTokens(bench.deps, month);
    for (const count of [0, 0.35 * LIMIT, 0.2 * LIMIT]) {
      await useTokens(bench.deps, count, month);
      const before = await used();
      const sessionId = await bench.publishAlert(alert('shop', `Alert ${models.length}`));
      await bench.drain();
      const session = (await sessionsOf(bench)).find((one) => one.sessionId === sessionId);
      models.push(
        session?.status === 'deferred' ? undefined : (await bench.read(sessionId)).interactions[0]?.model,
      );
      expect((await used()) - before).toBe(session?.tokens.total);
    }
    expect(models).toEqual(['gemini-3.8-flash', 'small', undefined]);
    const recorded = (await sessionsOf(bench)).find(({ status }) => status === 'deferred');
    expect(recorded?.deferral).toMatchObject({ reason: 'budget', until: null });
    expect(recorded?.parts).not.toHaveProperty('budgets');
    const [notice] = await noticesOf(bench, recorded?.sessionId ?? '');
    expect(notice).toMatchObject({ metadata: { code: 'budget_reached', subject: 'shop' } });
    expect(notice?.content).toMatch(/^Deferred: The 1000000 tokens of budget shop for this month \(UTC\)/);
    await bench.tick();
    expect((await statusesOf(bench)).deferred).toBe(1);

    const other = await bench.publishAlert(alert('pay', 'Other team'));
    await bench.drain();
    expect((await bench.read(other)).session.status).toBe('completed');
    bench.deps.clock.advance(32 * 24 * HOUR);
    const next = await bench.publishAlert(alert('shop', 'Next month'));
    await bench.drain();
    expect((await bench.read(next)).session.status).toBe('completed');
  });

  it('with each: user refuse the questions of a user whose tokens are used up, also about the session of another', async () => {
    const bench = await start(0);
    const { config, deps } = bench;
    const ask = (userId: string) =>
      openChat({ text: 'Why?', by: userId, tenantId: 'default', userId }, undefined, config, deps);
    const opened = await ask('alice');
    await bench.drain();
    const sessionId = opened.kind === 'asked' ? opened.sessionId : '';
    const ofAlice = { chain: null, budget: { name: 'people', period: 'day' as const, of: 'alice' } };
    expect(await usedTokens(deps, ofAlice)).toBeGreaterThan(0);
    await useTokens(deps, LIMIT, ofAlice);

    expect(await ask('alice')).toMatchObject({
      kind: 'budget',
      budget: 'budgets',
      text: expect.stringContaining('of budget people for alice of'),
    });
    const again = (userId: string) =>
      askQuestion(sessionId, { text: 'And?', by: userId, userId, config }, deps);
    expect(await again('alice')).toMatchObject({ kind: 'budget' });
    expect(await again('bob')).toMatchObject({ kind: 'asked' });
    const { executions } = await bench.read(sessionId);
    const owners = executions.map(({ limits }) => limits.dailyTokens?.map(({ budget }) => budget?.of));
    expect(owners).toEqual([['alice'], ['bob']]);
  });
});
