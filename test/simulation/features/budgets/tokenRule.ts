// Token budgets: runs with them, and the rule that used and running ones stay within.

import type { LlmRequest } from '../../../../shared/core/contract/llm.ts';
import { callTokens } from '../../../../shared/core/kernel/tokens/estimateTokens.ts';
import type { Agent, Limits, PlannedAgent } from '../../../../shared/core/schema/agent.ts';
import { isTerminal, type TokenUsage } from '../../../../shared/core/schema/common.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import { readQuestion } from '../../../../shared/features/interactions/thought.ts';
import { usageType } from '../../../../shared/lists/documents.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import { executionKey, type Invocation } from '../../record.ts';
import type { World } from '../../world.ts';

type Violate = (rule: string, detail: string) => void;

/** A reservation counts at least so long, less a stall between it and the submission. */
const LEAST_KEPT_MS = 8 * MINUTE;

/** Seeds with budgets, modulo 25: none that notices other faults. */
const BUDGET_SEEDS = [0, 16];

/** The plan of a seed with budgets of tokens, which two of 25 have. Nothing is drawn for it. */
export function withTokens(plan: FaultPlan, seed: number): FaultPlan {
  if (plan.peaceful || !BUDGET_SEEDS.includes(seed % 25)) return plan;
  const session = 10_000 + 5_000 * (Math.floor(seed / 25) % 3);
  const tokens = { session, day: seed % 2 === 0 ? 30_000 : null };
  // What the store or a clock loses of a count is not checked.
  const without = {
    commit_failed: 0,
    commit_answer_lost: 0,
    instance_cut_off: 0,
    clock_skewed: 0,
    clock_jumped: 0,
  };
  const probability = { ...plan.probability, ...without };
  return {
    ...plan,
    tokens,
    probability,
    storeOutage: null,
    // The executions of older code have no budget of a session.
    migrateAfterMs: null,
    agents: 1 + (seed % 3),
    deadlineMs: 60 * MINUTE,
  };
}

/** The agent with the budgets of the run, and answers that are short enough for them. */
export function withTokenLimits<A extends PlannedAgent>(agent: A, { tokens }: FaultPlan): A {
  if (tokens === null) return agent;
  const short = (model: Agent['model']) => ({ ...model, maxOutputTokens: 1_000 });
  const limits: Limits = {
    ...agent.limits,
    sessionTokens: tokens.session,
    ...(tokens.day !== null && { dailyTokens: [{ chain: null, limit: tokens.day }] }),
  };
  return { ...agent, limits, model: short(agent.model), fallback: agent.fallback.map(short) };
}

/** What one call of a model uses: less than it reserves. */
export function usageOf(request: LlmRequest, { plan }: World): TokenUsage {
  const input = plan.tokens === null ? 100 : Math.floor(callTokens(request).input * 0.9);
  return { input, output: 10, thinking: 0, cached: 0, total: input + 10 };
}

/** What a starting request can use; reports when it, running and recorded ones pass a budget. */
export function reserveInRecord(request: LlmRequest, by: Invocation, world: World): number {
  const { plan, record } = world;
  const { input, output } = callTokens(request);
  const tokens = input + output;
  if (plan.tokens === null || record.tokens.isLost || hasWrongClocks(world)) return tokens;
  // Who asks again keeps what was reserved at first, as long as it counts.
  const written = record.executions.get(executionKey(by))?.value;
  const question = written && readQuestion(written);
  if (listSubmissions(executionKey(by), world).length > 0 || (question?.asked ?? 1) > 1) return tokens;
  const check = (what: string, limit: number, isOf: (sessionId: string | undefined) => boolean) => {
    const recorded = [...record.executions.values()]
      .filter(({ value }) => isOf(value.sessionId))
      .reduce((sum, { value }) => sum + value.tokens.total, 0);
    const running = record.activities
      .filter((one) => one.kind === 'model' && one.endedAt === undefined && isOf(one.by.sessionId))
      .filter((one) => one.by.process.alive && (one.by.leases.get(executionKey(one)) ?? 0) > world.time.now())
      .reduce((sum, one) => sum + (one.tokens ?? 0), 0);
    const thinking = [...record.executions.values()]
      .filter(({ value }) => isOf(value.sessionId) && !isTerminal(value.status))
      .reduce((sum, { value }) => sum + thinkingTokens(value, world), 0);
    if (recorded + running + thinking + tokens > limit)
      record.violations.push(
        `token budget: ${what} has ${limit}, of which ${recorded} are recorded, ${running} run, ${thinking} are thought about and ${tokens} follow`,
      );
  };
  check(`session ${by.sessionId}`, plan.tokens.session, (sessionId) => sessionId === by.sessionId);
  // A question in the background is counted by the day when its answer comes.
  if (plan.tokens.day !== null && !plan.background) check('the day', plan.tokens.day, () => true);
  return tokens;
}

/** What a question in the background can use; 0 without, and when its reservation can be over. */
function thinkingTokens(execution: Execution, world: World): number {
  const asked = listSubmissions(executionKey(execution), world);
  const [first, last] = [asked[0], asked.at(-1)];
  if (first === undefined || last === undefined || last.outcome === 'refused') return 0;
  // A process that died before it sent a question had reserved its tokens.
  if (readQuestion(execution)?.asked !== asked.length) return 0;
  const isAnswered = asked.some(({ thought }) => (thought?.answered.length ?? 0) > 0);
  const isKept = world.time.now() - first.at < LEAST_KEPT_MS;
  return isKept && !isAnswered ? first.tokens : 0;
}

/** The submissions of an execution's iteration. */
function listSubmissions(key: string, { record }: World) {
  const iteration = record.executions.get(key)?.value.iteration;
  return record.submissions.filter((one) => executionKey(one) === key && one.iteration === iteration);
}

/** Records what a call has used, whether its answer is stored or not. */
export function useInRecord(by: Invocation, used: number, { record }: World): void {
  const written = record.executions.get(executionKey(by));
  if (written === undefined) return;
  const stage = `${written.value.sessionId}/${written.value.stageId}`;
  record.tokens.used.set(stage, (record.tokens.used.get(stage) ?? 0) + used);
}

/** Checks final counts: all recorded, not more than used; nothing stays reserved. */
export async function checkTokens(world: World, violate: Violate): Promise<void> {
  const { plan, record, reader: store } = world;
  if (plan.tokens === null || record.tokens.isLost || record.expired.size > 0) return;
  const executions = [...record.executions.values()].map(({ value }) => value);
  const stages = new Set(executions.map(({ sessionId, stageId }) => `${sessionId}/${stageId}`));
  for (const stage of stages) {
    const [sessionId, stageId] = stage.split('/');
    const path = `sessions/${sessionId}/usage/${stageId}`;
    const counted = (await store.get(path, usageType))?.value;
    if (counted === undefined) continue;
    const recorded = executions
      .filter((one) => one.sessionId === sessionId && one.stageId === stageId)
      .reduce((sum, { tokens }) => sum + tokens.total, 0);
    // What is lost or deleted in the background counts as its request could use.
    const unanswered = record.submissions
      .filter((one) => {
        const value = record.executions.get(executionKey(one))?.value;
        const isOwn = value?.sessionId === sessionId && value?.stageId === stageId;
        return isOwn && (one.thought?.answered.length ?? 0) === 0;
      })
      .reduce((sum, { tokens }) => sum + tokens, 0);
    const used = (record.tokens.used.get(stage) ?? 0) + unanswered;
    const isOver = counted.count > used && !plan.background;
    if (counted.count < recorded || isOver)
      violate('token budget', `${stage} has counted ${counted.count} of ${used}; ${recorded} are recorded`);
    const reserved = Object.values(counted.reserved).reduce((sum, tokens) => sum + tokens, 0);
    // Of an execution that ended while its model thought, they stay until their window ends.
    if (reserved !== 0 && !record.tokens.hasDeaths && !(unanswered > 0 && reserved <= unanswered))
      violate('token budget', `${stage} has ${reserved} reserved, and nothing runs`);
  }
}

/** Windows of reservations are those of each process's own clock. */
function hasWrongClocks({ faults }: World): boolean {
  return faults.has('clock_skewed') || faults.has('clock_jumped');
}
