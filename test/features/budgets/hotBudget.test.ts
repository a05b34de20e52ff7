// Writes of a budget's documents at the pace of a real model, on a Firestore with the limits of production.

import { expect, it } from 'vitest';
import { answer } from '../../../shared/core/contract/llm.fixture.ts';
import type { LlmClient } from '../../../shared/core/contract/llm.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import type { PublishedMessage } from '../../../shared/store/memory/memoryPublisher.ts';
import { usedTokens } from '../../support/allowances.ts';
import { startBench } from '../../support/harness.ts';
import { startLimitedFirestore } from '../../support/limitedFirestore.ts';

const INVESTIGATIONS = 20;
const ITERATIONS = 3;
/** From one answer of a model to the next. */
const ITERATION_MS = 10_000;
const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  maxOutputTokens: 1_000,
};
const CALLS = [{ callId: 'a', name: 'fixture.echo', arguments: '{}' }];
const USAGE = { input: 900, output: 100, thinking: 0, cached: 0, total: 1_000 };

/** Calls a tool in each iteration but the last. */
function createModel(): LlmClient {
  return {
    async generate({ messages }, { report }) {
      report.attempts = 1;
      const isLast = messages.filter(({ role }) => role === 'assistant').length >= ITERATIONS - 1;
      return { ...answer(isLast ? { text: 'Memory.' } : { toolCalls: CALLS }), usage: USAGE };
    },
  };
}

/** The limits that investigations side by side exceed. Every 10 s each of them has one iteration. */
async function investigate(dailyTokens: number | undefined) {
  const firestore = await startLimitedFirestore();
  const limits = dailyTokens === undefined ? {} : { dailyTokens: [{ chain: null, limit: dailyTokens }] };
  const bench = await startBench({
    script: { conversations: [{ turns: [{ text: 'Memory.' }] }] },
    agent: { model: MODEL, tools: ['fixture.echo'], limits },
    inMemory: false,
    deadlineMs: 3_600_000,
  });
  const { clock, publisher } = bench.deps;
  firestore.clock = clock;
  const system = { ...bench.deps, llm: createModel() };
  for (let count = 0; count < INVESTIGATIONS; count++)
    await bench.publishAlert({ title: `Problem ${count}` });
  let open: PublishedMessage[] = [];
  for (let seen = 0; open.length > 0 || seen < publisher.published.length; clock.advance(ITERATION_MS)) {
    open = [...open, ...publisher.published.slice(seen)];
    seen = publisher.published.length;
    const results = await Promise.allSettled(open.map((message) => bench.deliver(message, system)));
    open = open.filter((_, index) => results[index]?.status === 'rejected');
  }
  const sessions = await bench.deps.store.list({ collection: paths.sessions }, sessionType);
  return {
    used: await usedTokens(bench.deps),
    report: await firestore.report(),
    statuses: sessions.map(({ value }) => value.status),
  };
}

it.each([
  ['without a budget', undefined],
  ['with a budget of the day', 10_000_000],
])('%s no document is written more than once a second', async (_, dailyTokens) => {
  const { used, report, statuses } = await investigate(dailyTokens);
  expect(statuses).toEqual(Array(INVESTIGATIONS).fill('completed'));
  expect(report.documents.exceeded).toEqual([]);
  const [hottest] = report.documents.hottest;
  expect(hottest?.greatestRate).toBeLessThanOrEqual(1);
  expect(used).toBe(dailyTokens === undefined ? 0 : INVESTIGATIONS * ITERATIONS * USAGE.total);
  if (process.env.PRINT_MEASURED) console.log(report.documents.hottest);
});
