// Rules over collected results, before a model is asked, through a session from its alert to its end.

import { describe, expect, it } from 'vitest';
import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import type { CollectCall, RULES } from '../../../shared/core/schema/agent.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { dieAt } from '../../support/dieAt.ts';
import { agentOf } from '../../support/harness.ts';
import { calls, type Play, type PlayedTool, playVerdict, startPlay, states } from './verdictBench.ts';

type Rules = (typeof RULES)[number] | undefined;

const MINUTE = 60_000;
const LONG_AGO = '2020-01-01T00:00:00Z';
const POD = 'checkout-7d9c6bf8d4-x2kqp';
const SIBLING = 'checkout-7d9c6bf8d4-abc2d';
const ALERT = {
  title: 'KubePodCrashLooping',
  status: 'firing',
  startsAt: new Date(Date.now() - 2 * MINUTE).toISOString(),
  labels: { cluster: 'eu', namespace: 'shop', pod: POD },
};
/** A container of a pod, as kubectl prints it. */
const container = (name: string, reason: string, at: string): string => `
    - name: ${name}
      state:
        running:
          startedAt: "${LONG_AGO}"
      lastState:
        terminated:
          exitCode: 137
          finishedAt: "${at}"
          reason: ${reason}`;
/** A pod. @param at when its container ended. @param more further lines of the status. */
const pod = (name: string, { reason = 'OOMKilled', at = LONG_AGO, ready = 'False', more = '' }): string =>
  `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  ownerReferences:
    - apiVersion: apps/v1
      kind: ReplicaSet
      name: checkout-7d9c6bf8d4
      controller: true
status:
  conditions:
    - type: Ready
      status: "${ready}"
      lastTransitionTime: "${LONG_AGO}"
  containerStatuses:${container('app', reason, at)}${more}`;
const minutesAgo = (minutes: number, now: Date) => new Date(now.getTime() - minutes * MINUTE).toISOString();
const get = (name: string) => ({
  tool: 'k8s.pods_get',
  arguments: JSON.stringify({ namespace: 'shop', name }),
});
/** A server whose pods are as a function of their name and the time has them. */
const server = (
  podOf: (name: string, now: Date) => string | undefined,
  changes: Partial<PlayedTool> = {},
): Play['tools'] => ({
  'k8s.pods_get': {
    answer: ({ name }, now) => podOf(String(name), now),
    yields: 'state',
    fields: 'kubernetes',
    ...changes,
  },
});
/** It ran out of memory a minute ago. */
const KILLED = server((name, now) => pod(name, { at: minutesAgo(3, now) }));
const DONE = { text: 'checkout is broken.' };

/** A session that collects pods. */
const collecting = (changes: Partial<Play>, rules: Rules, collect: CollectCall[]): Play => ({
  tools: KILLED,
  turns: [DONE],
  alert: ALERT,
  claims: { conclusion: 'unknown', cause: [] },
  ...changes,
  options: { ...(rules && { rules }), ...changes.options, agent: { collect, ...changes.options?.agent } },
});

/** @returns the end of a session, with its agent's execution and the facts in its conversation. */
async function endOf(played: Awaited<ReturnType<typeof playVerdict>>) {
  const own = played.executions.find(({ stageId }) => stageId.endsWith('-investigation'));
  const texts = played.messages
    .filter(({ executionId, role }) => executionId === own?.executionId && role === 'user')
    .flatMap(({ blocks }) => blocks.flatMap((one) => (one.blockType === 'text' ? [one.textContent] : [])));
  const facts = texts.filter((text) => text.startsWith('Rules of Inquest'));
  return { ...played, own, facts, fact: facts[0] };
}
const play = async (changes: Partial<Play> = {}, rules?: Rules, collect: CollectCall[] = [get(POD)]) =>
  endOf(await playVerdict(collecting(changes, rules, collect)));

/** Replaces the model by one that cannot be reached, also for summaries. */
const withoutModel: Partial<Play> = {
  prepare: ({ deps }) => {
    deps.llm = {
      generate: () => Promise.reject(new TerminalError('MODEL_CREDENTIALS', 'the model refuses the key')),
    };
  },
};
/** Pods that have always been so, a ready sibling of them that is well or not, and a list that has both. */
const both = (reason: string, changes: Partial<PlayedTool> = {}): Play['tools'] =>
  server((name) => (name === POD ? pod(name, {}) : pod(name, { reason, ready: 'True' })), changes);
/** The first calls read only the pod, and one that is not ready; then code asks for its sibling. */
const openly = (reason: string, answer = true, changes: Partial<PlayedTool> = {}): Play['tools'] => {
  let reads = 0;
  return server((name) => {
    if (name === POD) return pod(name, {});
    if (reads++ === 0) return pod(name, { reason: 'OOMKilled' });
    return answer ? pod(name, { reason, ready: 'True' }) : undefined;
  }, changes);
};
const TWO = [get(POD), get(SIBLING)];

describe('a finding by rule', () => {
  it('is a framed fact with its lines, before the first request', async () => {
    const { fact, own, session } = await play({}, 'fact');
    expect(fact).toMatch(
      /^Rules of Inquest[^\n]*\n\n<data-\w{12} source="rule">\nk8s:eu\/shop\/Deployment\/checkout: memory\nPod checkout-7d9c6bf8d4-x2kqp, container app: last state OOMKilled at \d\d:\d\d UTC, 1 minute before the alert\nr4: reason: OOMKilled\n<\/data-/,
    );
    expect(own).toMatchObject({ toolCalls: 1, iteration: 2 });
    expect(session.finalAnalysis).toBe('checkout is broken.');
  });

  it('is none by default, where rules are off, and without a ledger', async () => {
    expect((await play()).fact).toBeUndefined();
    expect((await play({}, 'off')).fact).toBeUndefined();
    const options = { agent: { tools: ['k8s'], collect: [get(POD)] } };
    expect((await play({ options }, 'fact')).fact).toBeUndefined();
  });

  const other = (at: string) =>
    `\n    - name: side\n      state:\n        waiting:\n          reason: CreateContainerConfigError\n      lastState:\n        terminated:\n          finishedAt: "${at}"\n          reason: Completed`;
  it.each<[string, Partial<Play>, CollectCall[]?]>([
    ['that another workload has', { alert: { ...ALERT, labels: { ...ALERT.labels, pod: 'api-1' } } }],
    ['of an alert that names no object', { alert: { ...ALERT, labels: { namespace: 'shop' } } }],
    [
      'in a text',
      { tools: server((name, now) => pod(name, { at: minutesAgo(3, now) }), { yields: 'text' }) },
    ],
    ['that is as usual', { tools: both('OOMKilled') }, TWO],
    [
      'beside a second mechanism',
      {
        tools: server((name, now) =>
          pod(name, { at: minutesAgo(3, now), more: other(LONG_AGO) }).replace(
            `lastTransitionTime: "${LONG_AGO}"`,
            `lastTransitionTime: "${minutesAgo(4, now)}"`,
          ),
        ),
      },
    ],
    [
      'that the agent has read itself',
      { turns: [calls(['k8s.pods_get', { name: POD }]), DONE] },
      [get(SIBLING)],
    ],
  ])('is none for a state %s', async (name, changes, collect) => {
    const tools =
      name === 'that the agent has read itself'
        ? server((one, now) => pod(one, one === POD ? { at: minutesAgo(3, now) } : { reason: 'Completed' }))
        : KILLED;
    expect((await play({ tools, ...changes }, 'first', collect)).fact).toBeUndefined();
  });
});

describe('calls for contrast before the first request', () => {
  it('run in the agent, which they cost no call, and decide', async () => {
    const { fact, own, checked, stages, timeline } = await play({ tools: openly('Completed') }, 'fact', TWO);
    expect(fact).toMatch(/last state OOMKilled at [^\n]*; 1 healthy sibling does not show it\n/);
    expect(own).toMatchObject({ toolCalls: 2, iteration: 3 });
    const until = expect.any(String);
    const asked = (one: ReturnType<typeof get>) => ({
      ...one,
      supports: ['oom-killed'],
      by: 'sibling',
      until,
    });
    expect(checked?.contrasts.map(({ call }) => call)).toEqual([asked(get(SIBLING)), asked(get(POD))]);
    expect(checked?.combined.results).toHaveLength(2);
    expect(checked?.combined.calls.size).toBe(2);
    expect(stages.some(({ stageId }) => stageId.endsWith('contrast-check'))).toBe(false);
    expect(timeline.filter(({ eventType }) => eventType === 'mcp_tool_call')).toHaveLength(4);
  });

  it('have a minute together, and end with it', async () => {
    const times = new Map<string, number>();
    const prepare: Play['prepare'] = ({ deps }) => {
      const connect = deps.connectTools;
      deps.connectTools = async (...args) => {
        const executor = await connect(...args);
        return {
          ...executor,
          execute: (call, options) => {
            times.set(call.callId, options.timeoutMs);
            return executor.execute(call, options);
          },
        };
      };
    };
    const options = { agent: { limits: { toolTimeoutMs: 10 * MINUTE }, collect: TWO } };
    const { fact } = await play({ tools: openly('Completed'), prepare, options }, 'fact', TWO);
    expect(fact).toBeDefined();
    expect(times.get('collect_1')).toBe(10 * MINUTE);
    expect(times.get('contrast_1')).toBeGreaterThan(0);
    expect(times.get('contrast_1')).toBeLessThanOrEqual(MINUTE);
  });

  it('are not sent after their minute, and were not asked', async () => {
    let reads = 0;
    const { answer, ...changes } = openly('Completed')['k8s.pods_get'] as PlayedTool;
    const counted: PlayedTool['answer'] = (...args) => {
      reads++;
      return typeof answer === 'function' ? answer(...args) : answer;
    };
    const tools = { 'k8s.pods_get': { ...changes, answer: counted } };
    const { bench, finish } = await startPlay(collecting({ tools }, 'fact', TWO));
    for (let delivery = 0; delivery < 2; delivery++) await bench.deliverNext();
    await dieAt(CRASH_POINTS.afterCommitA, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(MINUTE);
    bench.revive();
    const { fact, own, checked } = await endOf(await finish());
    expect(fact).toBeUndefined();
    expect(own).toMatchObject({ status: 'completed', iteration: 3 });
    expect([reads, checked?.contrasts]).toEqual([TWO.length, []]);
  });

  it('are those of the check of claims as well', async () => {
    const turns = [
      states({
        hypotheses: [{ id: 'h1', component: `k8s:eu/shop/Pod/${POD}`, mechanism: 'memory', cause: true }],
        evidence: [{ id: 'e1', hypothesis: 'h1', result: 'r4', quote: 'reason: OOMKilled' }],
      }),
      DONE,
    ];
    const claims = { conclusion: 'cause', cause: ['h1'] };
    const played = await play({ tools: openly('Completed'), turns, claims }, 'fact', TWO);
    expect(played.verdict).toMatchObject({ value: 'confirmed', rule: 'contrasted' });
    expect(played.checked?.contrasts).toHaveLength(2);
  });

  it.each<[string, Partial<Play>]>([
    ['find the same', { tools: openly('OOMKilled') }],
    ['cost', { tools: openly('Completed', true, { costs: true }) }],
    ['do not answer', { tools: openly('Completed', false) }],
    ['are switched off', { tools: openly('Completed'), options: { contrast: 'off' } }],
    [
      'would take the last iteration',
      { tools: openly('Completed'), options: { agent: { limits: { maxIterations: 1 }, collect: TWO } } },
    ],
  ])('give no finding where they %s', async (_, changes) => {
    const { fact, session } = await play(changes, 'fact', TWO);
    expect(fact).toBeUndefined();
    expect(session.status).toBe('completed');
  });
});

describe('a process that dies', () => {
  const { duringModelCall, ...points } = {
    beforeCommitA: CRASH_POINTS.beforeCommitA,
    afterCommitA: CRASH_POINTS.afterCommitA,
    beforeTool: CRASH_POINTS.beforeTool,
    afterTool: CRASH_POINTS.afterTool,
    beforeCommitB: CRASH_POINTS.beforeCommitB,
    afterCommitB: CRASH_POINTS.afterCommitB,
    duringModelCall: CRASH_POINTS.duringModelCall,
  };
  it.each([...Object.values(points).map((point) => [point, 2] as const), [duringModelCall, 3] as const])(
    'at %s in iteration %i leaves one fact and the same calls for contrast',
    async (point, iteration) => {
      const { bench, finish } = await startPlay(collecting({ tools: openly('Completed') }, 'fact', TWO));
      for (let delivery = 0; delivery < iteration; delivery++) await bench.deliverNext();
      await dieAt(point, bench.deps, (process) => bench.deliverNext(process));
      bench.revive();
      const { facts, own, checked, timeline } = await endOf(await finish());
      expect(facts).toHaveLength(1);
      expect(own).toMatchObject({ status: 'completed', toolCalls: 2, iteration: 3 });
      expect(checked?.contrasts.map(({ result }) => result?.isError)).toEqual([false, false]);
      expect(timeline.filter(({ eventType }) => eventType === 'mcp_tool_call')).toHaveLength(4);
    },
  );
});

describe('an answer by rule', () => {
  it('is the analysis of a session whose model cannot be reached, with its verdict and its caveat', async () => {
    const { session, stages } = await play(withoutModel, 'first');
    expect(session).toMatchObject({
      status: 'failed',
      executiveSummary: null,
      partial: { reason: 'MODEL_CREDENTIALS' },
      caveats: expect.arrayContaining([{ executionId: '01-investigator', code: 'BY_RULE' }]),
      parts: {
        verdict: {
          value: 'confirmed',
          rule: 'contrasted',
          caps: [],
          causes: [{ component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'memory' }],
        },
      },
    });
    expect(session.finalAnalysis).toMatch(
      /^No model has investigated this alert\.[\s\S]*\*\*Root cause\*\* \(by rule\): k8s:eu\/shop\/Deployment\/checkout, memory\.[\s\S]*Confirmed\. Pod checkout[\s\S]* {4}reason: OOMKilled\n/,
    );
    expect(stages).toHaveLength(1);
  });

  it.each<[string, Partial<Play>, CollectCall[]?]>([
    ['only gives the fact', withoutModel],
    ['finds nothing', { ...withoutModel, tools: both('OOMKilled') }, TWO],
  ])('does not exist where the chain or the rule %s', async (name, changes, collect) => {
    const { session } = await play(changes, name.startsWith('only') ? 'fact' : 'first', collect);
    expect(session).toMatchObject({
      status: 'failed',
      finalAnalysis: null,
      caveats: [],
      parts: { verdict: { value: null } },
    });
  });

  /** The model answers so often, and cannot be reached afterwards. */
  const answering =
    (answers: number): NonNullable<Play['prepare']> =>
    ({ deps }) => {
      const { llm } = deps;
      let asked = 0;
      const failed = () =>
        Promise.reject(new TerminalError('MODEL_CREDENTIALS', 'the model refuses the key'));
      deps.llm = { generate: (...args) => (asked++ < answers ? llm.generate(...args) : failed()) };
    };
  const agent = agentOf({ name: 'investigator', tools: ['k8s', KEEPS_LEDGER], collect: [get(POD)] });
  it.each<[string, Partial<Play>]>([
    ['of the only agent', {}],
    [
      'of an agent beside one that failed',
      {
        prepare: answering(1),
        options: { stages: [{ agents: [agent, { ...agent, name: 'second' }], successPolicy: 'any' }] },
      },
    ],
    [
      'of an earlier stage than the one that failed',
      {
        prepare: answering(1),
        options: {
          stages: [
            { name: 'look', agents: [agent] },
            { name: 'again', agents: [agent] },
          ],
        },
      },
    ],
  ])('does not replace an analysis %s', async (_, changes) => {
    const { session } = await play(changes, 'first');
    expect(session.finalAnalysis).toContain('checkout is broken.');
    expect(session.finalAnalysis).not.toContain('by rule');
    expect(session.caveats.map(({ code }) => code)).not.toContain('BY_RULE');
  });

  it('stays when the model answers after the end of the session', async () => {
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const prepare: Play['prepare'] = ({ deps }) => {
      const { llm } = deps;
      deps.llm = {
        generate: async (...args) => {
          asked.resolve();
          await late.promise;
          return llm.generate(...args);
        },
      };
    };
    const { bench, finish } = await startPlay(collecting({ prepare }, 'first', [get(POD)]));
    for (let delivery = 0; delivery < 2; delivery++) await bench.deliverNext();
    const inFlight = bench.deliverNext().catch(() => {});
    await asked.promise;
    bench.deps.clock.advance(24 * 60 * MINUTE);
    await bench.tick();
    late.resolve();
    await inFlight;
    const { session, own } = await endOf(await finish());
    expect(own?.finalAnalysis).toBeNull();
    expect(session.finalAnalysis).toMatch(/^No model has investigated this alert\./);
    expect(session.caveats.map(({ code }) => code)).toContain('BY_RULE');
  });

  it('follows a budget of tokens that is used up', async () => {
    const budget: Partial<Play> = {
      options: { agent: { limits: { sessionTokens: 1 }, collect: [get(POD)] } },
    };
    const { session, own } = await play({ ...withoutModel, ...budget }, 'first');
    expect(own?.status).toBe('failed');
    expect(readPart(verdictPart, session)?.value).toBe('confirmed');
  });
});
