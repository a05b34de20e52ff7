import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAgent, sampleExecution } from '../../../../test/support/samples.ts';
import { createTestClock } from '../../../../test/support/testClock.ts';
import { answer, emptySearch } from '../../contract/llm.fixture.ts';
import type { GenerateOptions, LlmClient, LlmRequest } from '../../contract/llm.ts';
import { NO_TOKENS } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Interaction } from '../../schema/interaction.ts';
import { textMessage } from '../../schema/textMessage.ts';
import type { IterationContext } from '../execution/context.ts';
import { callModel } from '../inline/callModel.ts';
import { callTokens } from '../tokens/estimateTokens.ts';
import { afterCall, interactionWrite, type ModelCall, tierNotice } from './modelCall.ts';

const { model } = sampleAgent();
const usage = { input: 100, output: 10, thinking: 5, cached: 0, total: 115 };
const price = { from: '2020-01-01', input: 1, cached: 1, output: 1 };
const report = { requestBytes: 7, responseBytes: 8, attempts: 2, attemptErrors: [] };
const calling = (overrides: Partial<ModelCall> = {}): ModelCall => ({
  mode: 'investigate',
  startedAt: SAMPLE_TIME,
  durationMs: 1_000,
  messageCount: 3,
  lastMessage: 9,
  guidanceTaken: 2,
  report,
  outcome: { ok: true, response: answer({ usage }) },
  ...overrides,
});
const failed = { ok: false as const, error: new Error('no answer') };

describe('an execution after a model call', () => {
  const before = sampleExecution({
    tokens: { ...NO_TOKENS, total: 20 },
    cost: { usd: 1, unpricedCalls: 1 },
    signaturesRefusedUpTo: 4,
  });
  const afterCalled = (call: Partial<ModelCall>, overrides: Partial<Execution> = {}) =>
    afterCall({ ...before, ...overrides }, calling(call), model);

  it('has its tokens, and a cost that is unknown without a price', () => {
    expect(afterCalled({})).toEqual({
      tokens: { ...usage, total: 135 },
      cost: { usd: 1, unpricedCalls: 2 },
      budgetReached: null,
      guidanceTaken: 2,
      signaturesRefusedUpTo: 4,
    });
  });

  it('has the cost by the list price, or by the configured one', () => {
    expect(afterCalled({ listPrices: [price] }).cost).toEqual({ usd: 1.000115, unpricedCalls: 1 });
    const prices = [{ ...price, input: 2 }];
    const priced = afterCall(before, calling({ listPrices: [price] }), { ...model, prices });
    expect(priced.cost).toEqual({ usd: 1.000215, unpricedCalls: 1 });
  });

  it('has the tokens of all attempts where the provider counts them', () => {
    const all = { ...usage, total: 300 };
    expect(afterCalled({ report: { ...report, usage: all }, outcome: failed }).tokens.total).toBe(320);
  });

  it.each([
    [0, 1, 'costs nothing when no byte of the answer came'],
    [1, 2, 'has an unknown cost when some of the answer came'],
  ])('%i bytes', (responseBytes, unpricedCalls) => {
    const call = { outcome: failed, report: { ...report, responseBytes }, listPrices: [price] };
    expect(afterCalled(call)).toMatchObject({ tokens: before.tokens, cost: { usd: 1, unpricedCalls } });
  });

  it('has used up its budget with the tokens of its session, and keeps an earlier reason', () => {
    const limits = { ...before.limits, sessionTokens: 200 };
    expect(afterCalled({}, { limits, tokensBefore: 64 }).budgetReached).toBeNull();
    expect(afterCalled({}, { limits, tokensBefore: 65 }).budgetReached).toBe('sessionTokens');
    expect(afterCalled({}, { limits, tokensBefore: 65, budgetReached: 'dailyTokens' }).budgetReached).toBe(
      'dailyTokens',
    );
  });

  it('remembers up to where the provider refused signatures', () => {
    const repaired = { ...report, repairedSignatures: true as const };
    expect(afterCalled({ report: repaired }).signaturesRefusedUpTo).toBe(9);
  });
});

describe('the record of a model call', () => {
  const masker = { cleanText: (text: string) => ({ text: text.replace('secret', '***') }) };
  const recorded = (
    call: Partial<ModelCall>,
    { agentModel = model, ...more }: { agentModel?: typeof model; kind?: string; events?: never[] } = {},
  ) => {
    const { path, value } = interactionWrite(
      sampleExecution({ iteration: 2 }),
      {
        agent: { model: agentModel },
        controller: { interactionType: 'iteration' },
        masker: masker as unknown as IterationContext['masker'],
      },
      calling(call),
      { failure: null, events: [], ...more },
    );
    return { id: path.split('/').at(-1), ...(value as Interaction) };
  };
  const { sessionId, executionId, expireAt } = sampleExecution();

  it('has what was asked and answered', () => {
    const response = answer({
      usage,
      thinking: 'Hm.',
      toolCalls: [{ callId: 'c', name: 'a.b', arguments: '{}' }],
      codeExecutions: [{ code: '1' }],
      groundings: [emptySearch()],
      finishReason: 'a secret',
      modelVersion: 'v2',
      searchEntryPoint: '<b>',
    });
    const attemptTimes = [
      { startedMs: SAMPLE_TIME.getTime() - 5, endedMs: SAMPLE_TIME.getTime() + 10.4 },
      {
        startedMs: SAMPLE_TIME.getTime() + 20,
        endedMs: SAMPLE_TIME.getTime() + 5_000,
        serviceTier: 'flex' as const,
      },
    ];
    const given = { ...report, attemptErrors: ['a secret'], attemptTimes, serviceTier: 'flex' as const };
    expect(recorded({ outcome: { ok: true, response }, report: given })).toEqual({
      id: `${executionId}.002`,
      sessionId,
      executionId,
      iteration: 2,
      interactionType: 'iteration',
      serviceTier: 'flex',
      provider: 'google',
      model: model.model,
      modelVersion: 'v2',
      messageCount: 3,
      lastMessageId: `${executionId}.000009`,
      requestBytes: 7,
      responseBytes: 8,
      toolCallCount: 1,
      codeExecutionCount: 1,
      groundingCount: 1,
      codeExecutions: [{ code: '1' }],
      groundings: [{ kind: 'search', queries: ['x'], sources: [], supports: [], statuses: [] }],
      searchEntryPoint: null,
      thinking: 'Hm.',
      tokens: usage,
      costUsd: null,
      durationMs: 1_000,
      finishReason: 'a ***',
      attempts: 2,
      attemptErrors: ['a ***'],
      attemptTimes: [
        { startedMs: 0, endedMs: 10 },
        { startedMs: 20, endedMs: 1_000, serviceTier: 'flex' },
      ],
      repairedSignatures: false,
      failure: null,
      expireAt,
      createdAt: SAMPLE_TIME,
    });
  });

  it('has no answer of a call that failed, and the reason of its end', () => {
    const given = { ...report, attempts: 0, finishReason: 'a secret', repairedSignatures: true as const };
    expect(recorded({ outcome: failed, report: given, durationMs: -3 })).toMatchObject({
      serviceTier: null,
      modelVersion: null,
      toolCallCount: 0,
      codeExecutionCount: 0,
      groundingCount: 0,
      codeExecutions: [],
      groundings: [],
      searchEntryPoint: null,
      thinking: null,
      tokens: null,
      durationMs: 0,
      finishReason: 'a ***',
      attempts: 1,
      attemptTimes: [],
      repairedSignatures: true,
    });
    expect(recorded({ outcome: failed }).finishReason).toBeNull();
  });

  it('is a document of its own for conclusions, and for what else is asked', () => {
    expect(recorded({ mode: 'conclude' })).toMatchObject({
      id: `${executionId}.002.forced_conclusion`,
      interactionType: 'forced_conclusion',
    });
    expect(recorded({}, { kind: 'canary' }).id).toBe(`${executionId}.002.canary`);
  });

  it('keeps the suggestions of a search only where that is configured', () => {
    const outcome = { ok: true as const, response: answer({ searchEntryPoint: '<b>', thinking: '' }) };
    const agentModel = { ...model, storeSearchEntryPoint: true as const };
    expect(recorded({ outcome }, { agentModel })).toMatchObject({ searchEntryPoint: '<b>', thinking: null });
    expect(recorded({ outcome: failed }, { agentModel }).searchEntryPoint).toBeNull();
  });
});

describe('a model call', () => {
  const request: LlmRequest = { model, messages: [textMessage('user', 'Why?')], tools: [] };
  const call = async (
    generate: (request: LlmRequest, options: GenerateOptions) => ReturnType<LlmClient['generate']>,
    { held, asked = request }: { held?: Partial<Execution>; asked?: LlmRequest } = {},
  ) => {
    const clock = createTestClock();
    const extended: [number, string | undefined][] = [];
    const settled: number[] = [];
    const started = clock.now();
    const reservation = {
      kind: 'reserved' as const,
      extend: (used: number, failure?: string) => {
        extended.push([used, failure]);
        return Promise.resolve(extended.length < 3);
      },
      settle: (used: number) => settled.push(used),
      keep: () => null,
    };
    const context = {
      budget: { signal: new AbortController().signal, until: new Date(started.getTime() + 60_000) },
      guidance: { taken: 4 },
      deps: { llm: { generate }, clock, listPrices: () => [price] },
      ...(held && { held: { current: () => sampleExecution(held) } }),
    } as unknown as Parameters<typeof callModel>[2];
    const made = await callModel(asked, { mode: 'investigate', lastMessage: 9, reservation }, context);
    return { made, extended, settled, started, clock };
  };

  it('returns the answer with what was sent, and settles its tokens', async () => {
    const response = answer({ text: 'Memory.', usage });
    const { made, settled, started } = await call((_, { deadline, report: filled }) => {
      filled.attempts = deadline === undefined ? 0 : 1;
      return Promise.resolve(response);
    });
    expect(made).toEqual({
      mode: 'investigate',
      startedAt: started,
      durationMs: 0,
      messageCount: 1,
      lastMessage: 9,
      guidanceTaken: 4,
      report: { requestBytes: 0, responseBytes: 0, attempts: 1, attemptErrors: [] },
      listPrices: [price],
      outcome: { ok: true, response },
    });
    expect(settled).toEqual([usage.total]);
  });

  it.each([
    [0, 0],
    [41, callTokens(request).input + 21],
    [1e9, callTokens(request).input + callTokens(request).output],
  ])('that failed after %i bytes settles at most the tokens of what came', async (responseBytes, tokens) => {
    const { made, settled } = await call((_, { report: filled }) => {
      filled.responseBytes = responseBytes;
      return Promise.reject(failed.error);
    });
    expect(made.outcome).toEqual(failed);
    expect(settled).toEqual([tokens]);
  });

  it('reserves more for a further attempt only what the last one added, and stops where there is none', async () => {
    const allowed: (boolean | undefined)[] = [];
    const { extended } = await call(async (_, { mayRepeat, report: filled }) => {
      for (const total of [100, 250, 250]) {
        filled.usage = { ...usage, total };
        filled.attemptErrors.push(`MODEL_QUOTA: ${total}`);
        allowed.push(await mayRepeat?.());
      }
      throw failed.error;
    });
    expect(extended).toEqual([
      [100, 'MODEL_QUOTA: 100'],
      [150, 'MODEL_QUOTA: 250'],
      [0, 'MODEL_QUOTA: 250'],
    ]);
    expect(allowed).toEqual([true, true, false]);
  });

  const outage = (code: 'MODEL_QUOTA' | 'QUOTA_REACHED') => ({
    code,
    since: SAMPLE_TIME,
    pauses: 1,
    calls: 1,
    parked: false,
  });

  it.each<[string, 'flex' | 'priority' | undefined, Partial<Execution> | undefined, string | undefined]>([
    ['at first', 'flex', { consecutiveTimeouts: 0, outage: null }, 'flex'],
    ['without an execution', 'flex', undefined, 'flex'],
    ['after a time-out', 'flex', { consecutiveTimeouts: 1 }, 'standard'],
    ['in an outage', 'flex', { outage: outage('MODEL_QUOTA') }, 'standard'],
    ['after a wait for its quota', 'flex', { outage: outage('QUOTA_REACHED') }, 'flex'],
    ['at another tier', 'priority', { consecutiveTimeouts: 1 }, 'priority'],
    ['at no tier', undefined, { consecutiveTimeouts: 1 }, undefined],
  ])('uses the slow tier only while nothing is late: %s', async (_, serviceTier, held, tier) => {
    const asked = { ...request, model: { ...model, ...(serviceTier && { serviceTier }) } };
    const tiers: unknown[] = [];
    await call(
      (sent) => {
        tiers.push(sent.model.serviceTier);
        return Promise.resolve(answer());
      },
      { asked, ...(held && { held }) },
    );
    expect(tiers).toEqual([tier]);
  });
});

it.each([
  [undefined, undefined, undefined],
  ['flex', undefined, undefined],
  ['flex', 'flex', undefined],
  [undefined, 'standard', undefined],
  ['flex', 'standard', 'flex; the tier standard did'],
  [undefined, 'priority', 'standard; the tier priority did'],
] as const)('an answer at another tier than %s is noted: %s', (requested, answered, text) => {
  const asked = { ...model, ...(requested && { serviceTier: requested }) };
  const events = tierNotice(asked, { ...report, ...(answered && { serviceTier: answered }) });
  const content = `${model.model} did not answer at the service tier ${text}, at its price.`;
  const metadata = { code: 'tier_changed', subject: model.model };
  expect(events).toEqual(text === undefined ? [] : [{ eventType: 'notice', content, metadata }]);
});
