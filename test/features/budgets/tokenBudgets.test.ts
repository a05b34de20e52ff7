// Token budgets through the handlers, in parallel: nothing is used without reservation.

import { describe, expect, it } from 'vitest';
import { answer } from '../../../shared/core/contract/llm.fixture.ts';
import type { LlmClient, LlmRequest } from '../../../shared/core/contract/llm.ts';
import type { ToolCall, ToolSource } from '../../../shared/core/contract/tools.ts';
import { createConversationCache } from '../../../shared/core/kernel/conversation/conversationCache.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../../shared/core/kernel/deps.ts';
import { callTokens, embeddingTokens } from '../../../shared/core/kernel/tokens/estimateTokens.ts';
import type { UsageLimit } from '../../../shared/core/schema/agent.ts';
import { allowancePath } from '../../../shared/kits/allowances/allowance.ts';
import { tokenAllowance } from '../../../shared/kits/budgets/usageLimits.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import { allowanceType, paths, sessionType, usageType } from '../../../shared/lists/documents.ts';
import type { PublishedMessage } from '../../../shared/store/memory/memoryPublisher.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { passPace, useTokens } from '../../support/allowances.ts';
import { dieAt } from '../../support/dieAt.ts';
import {
  type AgentOptions,
  agentOf,
  type Bench,
  type BenchOptions,
  startBench,
} from '../../support/harness.ts';
import { skipDayEnd } from '../../support/testClock.ts';

const MINUTE = 60_000;
const all = (limit: number): UsageLimit[] => [{ chain: null, limit }];
const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  maxOutputTokens: 1_000,
};
const CALLS = [{ callId: 'a', name: 'fixture.echo', arguments: '{}' }];

/** Counts what a model uses, and how much of it may be under way at once. */
function meteredModel(usedOf: (request: LlmRequest) => number, respond = (_: LlmRequest) => answer()) {
  const meter = { used: 0, running: 0, most: 0, calls: 0 };
  const llm: LlmClient = {
    async generate(request, { report }) {
      const { input, output } = callTokens(request);
      meter.calls += 1;
      meter.running += input + output;
      meter.most = Math.max(meter.most, meter.used + meter.running);
      // Other calls start meanwhile.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      const total = usedOf(request);
      meter.running -= input + output;
      meter.used += total;
      report.attempts = 1;
      const usage = { input: total, output: 0, thinking: 0, cached: 0, total };
      return { ...respond(request), usage };
    },
  };
  return { meter, llm };
}

/** A server whose results are summarised, each some 12,000 tokens. */
const logs: ToolSource = {
  name: 'logs',
  connect: async () => ({
    tools: [{ name: 'logs.get', description: 'Logs.', inputSchema: { type: 'object' }, readOnly: true }],
    results: { summarizeWith: MODEL },
    call: async () => ({ content: 'line\n'.repeat(4_000), isError: false, timedOut: false }),
    close: async () => {},
  }),
};

const script = { conversations: [{ turns: [{ text: 'Memory.' }] }] };
async function start(options: Partial<BenchOptions>): Promise<Bench> {
  const bench = await startBench({ script, inMemory: true, deadlineMs: 60 * MINUTE, ...options });
  skipDayEnd(bench.deps.clock);
  return bench;
}

/** Processes of their own on one store. */
function processes({ deps }: Bench, llm: LlmClient, count: number): RuntimeDeps[] {
  return Array.from({ length: count }, () => ({
    ...deps,
    // A store stands for its process, with the slices that it holds.
    store: { ...deps.store },
    llm,
    agentCache: new Map(),
    featureCaches: new Map(),
    conversations: createConversationCache(),
  }));
}

/** Delivers everything, a round's messages at once and in turn to processes. */
async function deliverSideBySide(bench: Bench, by: readonly RuntimeDeps[]): Promise<void> {
  const { publisher, clock } = bench.deps;
  let open: PublishedMessage[] = [];
  let seen = 0;
  for (let round = 0; round < 500; round++) {
    open = [...open, ...publisher.published.slice(seen)];
    seen = publisher.published.length;
    if (open.length === 0) return;
    const results = await Promise.allSettled(
      open.map((message, index) => bench.deliver(message, by[index % by.length])),
    );
    open = open.filter((_, index) => results[index]?.status === 'rejected');
    if (open.length > 0) clock.advance(10_000);
  }
  throw new Error(`${open.length} messages are left`);
}

const sessionsOf = async ({ deps }: Bench) =>
  (await deps.store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);

async function countOf({ deps }: Bench, path: string) {
  const stored = await deps.store.get(path, usageType);
  const reserved = Object.values(stored?.value.reserved ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  return { count: stored?.value.count ?? 0, reserved };
}

/** The tokens of the day, after every process has written what it used and returned the rest. */
async function dayOf({ deps }: Bench) {
  await passPace(deps);
  const stored = await deps.store.get(
    allowancePath(tokenAllowance({ chain: null }), deps.clock.now()),
    allowanceType,
  );
  const reserved = Object.values(stored?.value.held ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  return { count: stored?.value.used ?? 0, reserved };
}

describe('the tokens of a day', () => {
  const open = async (limit: number) => {
    const bench = await start({ agent: { model: MODEL, limits: { dailyTokens: all(limit) } } });
    for (let count = 0; count < 40; count++) await bench.publishAlert();
    const { meter, llm } = meteredModel(
      () => 1_000,
      () => answer({ text: 'Memory.' }),
    );
    await deliverSideBySide(bench, processes(bench, llm, 2));
    const outcomes = (await sessionsOf(bench)).map(({ status, failure }) => failure?.code ?? status);
    return { bench, meter, outcomes };
  };

  it('are never passed by open sessions of two processes, reserved ones included, and all sessions end', async () => {
    const { bench, meter, outcomes } = await open(20_000);
    expect(meter.most).toBeLessThanOrEqual(20_000);
    expect(meter.used).toBeGreaterThan(15_000);
    expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(meter.calls);
    expect(outcomes.filter((outcome) => outcome === 'BUDGET_REACHED')).toHaveLength(40 - meter.calls);
    expect(await dayOf(bench)).toEqual({ count: meter.used, reserved: 0 });
  });

  it('are not touched where they are too few for one call', async () => {
    const { bench, meter, outcomes } = await open(1_000);
    expect(meter.calls).toBe(0);
    expect(new Set(outcomes)).toEqual(new Set(['BUDGET_REACHED']));
    const [{ sessionId } = { sessionId: '' }] = await sessionsOf(bench);
    expect((await bench.read(sessionId)).timeline.map(({ content }) => content)).toEqual([
      expect.stringMatching(
        /tokens of this day .*: raise dailyTokens \(1000\) in system\.yaml\. The agent has to conclude\.$/,
      ),
      expect.stringMatching(/tokens of this day .* too little for a conclusion\.$/),
      expect.any(String),
    ]);
  });

  it('defer an alert whose first call they have no room for', async () => {
    const bench = await start({ agent: { model: MODEL }, budgets: { dailyTokens: all(10_000) } });
    const sessionId = await bench.publishAlert();
    await bench.drain();
    expect((await sessionsOf(bench)).map(({ status, deferral }) => [status, deferral?.reason])).toEqual([
      ['deferred', 'daily_tokens'],
    ]);
    expect(sessionId).not.toBe('');
  });
});

describe('the tokens of a session', () => {
  const meterOfAgents = () =>
    meteredModel(
      (request) => Math.floor(callTokens(request).input * 0.9),
      ({ tools }) => answer(tools.length > 0 ? { toolCalls: CALLS } : { text: 'Memory.' }),
    );
  const agents = (count: number, limits: AgentOptions['limits']) =>
    Array.from({ length: count }, (_, index) =>
      agentOf({
        name: `agent-${index}`,
        model: MODEL,
        tools: ['fixture'],
        limits: { maxIterations: 5, ...limits },
      }),
    );

  it('hold for twenty agents side by side, and each concludes', async () => {
    const bench = await start({
      stages: [{ name: 'look', agents: agents(20, { sessionTokens: 300_000 }) }],
    });
    const sessionId = await bench.publishAlert();
    const { meter, llm } = meterOfAgents();
    await deliverSideBySide(bench, processes(bench, llm, 2));
    const { session, executions } = await bench.read(sessionId);
    expect(meter.most).toBeLessThanOrEqual(300_000);
    expect(session).toMatchObject({ status: 'completed', tokens: { total: meter.used } });
    expect(executions.filter(({ status }) => status === 'completed')).toHaveLength(20);
    const stage = await countOf(bench, paths.stageUsage(sessionId, '01-look'));
    expect(stage).toEqual({ count: meter.used, reserved: 0 });
  });

  it('are one budget for all stages', async () => {
    const limits = { sessionTokens: 60_000 };
    const stages = ['look', 'judge'].map((name) => ({
      name,
      agents: agents(2, limits).map((agent) => ({ ...agent, name: `${name}-${agent.name}` })),
    }));
    const bench = await start({ stages });
    const sessionId = await bench.publishAlert();
    const { meter, llm } = meterOfAgents();
    await deliverSideBySide(bench, processes(bench, llm, 2));
    expect(meter.most).toBeLessThanOrEqual(60_000);
    const { session, executions } = await bench.read(sessionId);
    expect(session.tokens.total).toBe(meter.used);
    expect(executions.map(({ budgetReached }) => budgetReached)).toEqual(Array(4).fill('sessionTokens'));
  });

  it('that a process reserved when it died are free again 20 minutes later', async () => {
    const bench = await start({ stages: [{ name: 'look', agents: agents(2, { sessionTokens: 17_000 }) }] });
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    const { llm, meter } = meteredModel(
      () => 500,
      () => answer({ text: 'Memory.' }),
    );
    const [first, second] = bench.deps.publisher.published.slice(1);
    if (first === undefined || second === undefined) throw new Error('two messages');
    const [own = bench.deps] = processes(bench, llm, 1);
    await dieAt(CRASH_POINTS.duringModelCall, own, (process) => bench.deliver(first, process));
    const stage = () => countOf(bench, paths.stageUsage(sessionId, '01-look'));
    const { reserved } = await stage();
    expect(reserved).toBeGreaterThan(2_000);
    bench.deps.clock.advance(21 * MINUTE);
    await bench.deliver(first, own);
    await bench.deliver(second, own);
    expect((await stage()).count).toBe(meter.used - 500);
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });
});

describe('one iteration', () => {
  /** A model that uses all that is reserved for it, and calls tools until there is a result. */
  const greedyModel = (toolCalls: ToolCall[]) =>
    meteredModel(
      (request) => callTokens(request).input + callTokens(request).output,
      ({ tools, messages }) =>
        tools.length > 0 && messages.length <= 2
          ? answer({ toolCalls })
          : answer({ text: 'A disk was full.' }),
    );
  const callsOf = (name: string, ...args: object[]) =>
    args.map((one, index) => ({ callId: `c${index}`, name, arguments: JSON.stringify(one) }));

  it('summarises as many results at once as the session has tokens for', async () => {
    const limits = { sessionTokens: 50_000, toolResultBytes: 1_000 };
    const bench = await start({ agent: { model: MODEL, tools: ['logs'], limits } });
    const sessionId = await bench.publishAlert();
    bench.deps.connectTools = createToolConnector([logs], { warn: () => {} });
    const { meter, llm } = greedyModel(callsOf('logs.get', {}, { page: 2 }, { page: 3 }, { page: 4 }));
    await deliverSideBySide(bench, processes(bench, llm, 1));
    expect(meter.most).toBeLessThanOrEqual(limits.sessionTokens);
    const { session, timeline } = await bench.read(sessionId);
    expect(session).toMatchObject({ status: 'completed', tokens: { total: meter.used } });
    expect(timeline.filter(({ eventType }) => eventType === 'tool_result')).toHaveLength(4);
    const summaries = timeline.filter(({ eventType }) => eventType === 'mcp_tool_summary').length;
    // How many depends on the length of the prompt.
    expect(summaries).toBeGreaterThan(0);
    expect(summaries).toBeLessThan(4);
  });

  it('embeds as many searches at once as the session has tokens for', async () => {
    const limits = { sessionTokens: 9_000 };
    const bench = await start({ agent: { model: MODEL, tools: ['search'], limits } });
    const sessionId = await bench.publishAlert();
    const queries = [1, 2, 3, 4, 5, 6].map((index) => ({
      query: `SEARCH disk ${index} ${'full '.repeat(300)}`,
    }));
    const { meter, llm } = greedyModel(callsOf('search', ...queries));
    let embedded = 0;
    bench.deps.embed = async (text) => {
      const tokens = embeddingTokens(text, 'google');
      embedded += 1;
      meter.running += tokens;
      meter.most = Math.max(meter.most, meter.used + meter.running);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      meter.running -= tokens;
      meter.used += tokens;
      return { model: 'm', vector: [1, 0] };
    };
    await deliverSideBySide(bench, processes(bench, llm, 1));
    expect(meter.most).toBeLessThanOrEqual(limits.sessionTokens);
    const { session, timeline } = await bench.read(sessionId);
    expect(session.tokens.total).toBe(meter.used);
    expect(timeline.filter(({ eventType }) => eventType === 'tool_result')).toHaveLength(6);
    // How many depends on the length of the prompt.
    expect(embedded).toBeGreaterThan(0);
    expect(embedded).toBeLessThan(queries.length);
  });

  it('asks six agents, which share the remaining tokens of the session', async () => {
    // Half is kept for conclusions: enough for seven of these, in any order.
    const limits = { sessionTokens: 120_000 };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const agents = names.map((name) => [
      name,
      agentOf({ name, model: MODEL, tools: ['fixture'], limits: { maxIterations: 5 } }),
    ]);
    const bench = await start({
      agent: { model: MODEL, tools: ['ask_agent'], asks: names.map((name) => ({ name })), limits },
      agents: Object.fromEntries(agents),
    });
    const sessionId = await bench.publishAlert();
    const asks = callsOf(
      'ask_agent',
      ...names.map((name) => ({ agent_name: name, input_text: 'Which disk?' })),
    );
    const { meter, llm } = meteredModel(
      (request) => callTokens(request).input + callTokens(request).output,
      ({ tools, messages }) => {
        if (tools.some(({ name }) => name === 'ask_agent'))
          return answer({ toolCalls: messages.length <= 2 ? asks : [], text: 'Done.' });
        return answer(tools.length > 0 ? { toolCalls: CALLS } : { text: 'Memory.' });
      },
    );
    await deliverSideBySide(bench, processes(bench, llm, 2));
    expect(meter.most).toBeLessThanOrEqual(limits.sessionTokens);
    const { session, executions } = await bench.read(sessionId);
    expect(session.tokens.total).toBe(meter.used);
    expect(executions.map(({ status, failure }) => failure?.code ?? status)).toEqual(
      Array(7).fill('completed'),
    );
    expect(executions.some(({ budgetReached }) => budgetReached === 'sessionTokens')).toBe(true);
  });
});

describe('a conclusion', () => {
  const big = { toolCalls: [{ name: 'fixture.echo', args: { text: 'word '.repeat(12_000) } }] };

  it('for which little is left repeats less of the conversation, and has a lower limit for its answer', async () => {
    const limits = { sessionTokens: 80_000, toolResultBytes: 100_000 };
    const bench = await start({
      script: { conversations: [{ turns: [big, { text: 'Memory.' }] }] },
      agent: { model: { ...MODEL, maxOutputTokens: 20_000 }, tools: ['fixture'], limits },
    });
    const sessionId = await bench.publishAlert();
    await bench.drain();
    expect((await bench.read(sessionId)).execution).toMatchObject({
      status: 'completed',
      budgetReached: 'sessionTokens',
      caveats: ['BUDGET_REACHED'],
    });
    const sent = bench.gemini.requests.at(-1);
    expect(JSON.stringify(sent)).toContain('bytes left out');
  });
});

describe('a question', () => {
  const chat = { model: MODEL };
  const ADA = { text: 'Why?', by: 'ada', tenantId: 'default', userId: null };

  it('opens no chat where the sessions of the hour are used up, and names the time of the next one', async () => {
    const { config, deps } = await start({ chat, budgets: { sessionsPerHour: all(1) } });
    expect(await openChat(ADA, undefined, config, deps)).toMatchObject({ kind: 'asked' });
    const refused = await openChat(ADA, undefined, config, deps);
    expect(refused).toMatchObject({ kind: 'budget', budget: 'sessionsPerHour' });
    const until = refused.kind === 'budget' ? refused.until : deps.clock.now();
    deps.clock.advance(until.getTime() - deps.clock.now().getTime());
    expect(await openChat(ADA, undefined, config, deps)).toMatchObject({ kind: 'asked' });
    expect(deps.publisher.published).toHaveLength(2);
  });

  it('is refused where the tokens of the day have no room for an answer, in a chat and about a session', async () => {
    const dailyTokens = all(20_000);
    const bench = await start({ chat: { model: MODEL, limits: { dailyTokens } }, budgets: { dailyTokens } });
    const { config, deps } = bench;
    const asked = await openChat(ADA, undefined, config, deps);
    if (asked.kind !== 'asked') throw new Error(asked.kind);
    await bench.drain();
    await useTokens(deps, 10_000);
    const refused = { kind: 'budget', budget: 'dailyTokens' };
    expect(await openChat(ADA, undefined, config, deps)).toMatchObject(refused);
    expect(await askQuestion(asked.sessionId, { text: 'Why?', by: 'ada' }, deps)).toMatchObject(refused);
    expect(await sessionsOf(bench)).toHaveLength(1);
  });

  it('uses tokens of the day for its answer', async () => {
    const dailyTokens = all(50_000);
    const bench = await start({ chat: { model: MODEL, limits: { dailyTokens } }, budgets: { dailyTokens } });
    const { llm } = meteredModel(
      () => 700,
      () => answer({ text: 'Memory.' }),
    );
    await openChat(ADA, undefined, bench.config, bench.deps);
    await deliverSideBySide(bench, processes(bench, llm, 1));
    expect(await dayOf(bench)).toEqual({ count: 700, reserved: 0 });
  });
});
