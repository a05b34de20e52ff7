// The chain of a run, drawn from the seed, and small enough for thousands of runs.

import type { Config } from '../../shared/config/config.ts';
import { NO_RUNBOOKS } from '../../shared/config/runbooks.ts';
import {
  ASK_AGENT,
  type ChainSnapshot,
  type ModelSettings,
  type PlannedAgent,
  SUMMARY_STRATEGY,
  type UsageLimit,
} from '../../shared/core/schema/agent.ts';
import { composeExecutionId } from '../../shared/core/schema/coreDocuments.ts';
import type { Random } from '../../shared/engine/testing/random.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { sampleAgent } from '../support/samples.ts';
import { type FaultPlan, MINUTE } from './faults.ts';
import { withTokenLimits } from './features/budgets/tokenRule.ts';
import { SCHEDULES } from './features/checks/simulatedSchedules.ts';
import { ruleCollect } from './features/claims/rulesRule.ts';
import {
  checkedBy,
  checkingAgent,
  ITERATIONS_WITH_LEDGER,
  strategyOfCheck,
  withLedgerOf,
} from './features/claims/simulatedLedger.ts';
import { SIMULATED_COLLECT } from './features/collect/collectRule.ts';
import { RELATED_TRIAGE } from './features/correlation/simulatedRelated.ts';
import { thinking } from './features/interactions/backgroundPlans.ts';
import { simulatedModels } from './features/modelOutages/fallbackRule.ts';
import { PROBED_RETENTION_MS } from './features/outcomes/simulatedProbes.ts';
import { HELPERS, READ_TOOL } from './helpers.ts';

/** Questions of one session at most. */
const MAX_QUESTIONS = 20;

/** What the configuration of a run is. */
export interface Scenario {
  /** The chain of each session. */
  chains: string[];
  /**
   * The configuration that an alert finds, by the id of its message. Where one chain has several sessions,
   * the agents of each have names of their own.
   */
  configFor(messageId: string): Config;
  /** Its models, by provider and id. */
  models: string[];
  /** The strategy of an execution's agent; of one that was asked by its name. */
  strategyOf(executionId: string, agentName: string | undefined): string;
}

/** The tools of an agent with this strategy, and whom it may ask. */
function toolsOf(strategy: string, trees: boolean): Pick<PlannedAgent, 'tools' | 'asks'> {
  if (strategy !== 'native-thinking' && strategy !== 'react') return { tools: [] };
  if (!trees) return { tools: ['sim'] };
  return { tools: ['sim', ASK_AGENT], asks: HELPERS.map((name) => ({ name })) };
}

/** Their limits are small, because they multiply. */
function askedAgents(
  model: ModelSettings | undefined,
  fallback: ModelSettings[],
): Record<string, PlannedAgent> {
  const strategies = ['native-thinking', 'react', 'native-thinking'];
  return Object.fromEntries(
    strategies.map((strategy, index) => {
      const name = HELPERS[index] ?? '';
      const limits = {
        maxIterations: 2,
        iterationTimeoutMs: MINUTE,
        toolTimeoutMs: MINUTE,
        toolResultBytes: 64_000,
        afterFailure: 'conclude' as const,
      };
      const agent = sampleAgent({
        name,
        strategy,
        ...(model && { model }),
        fallback,
        ...toolsOf(strategy, true),
        nativeTools: [],
        limits,
      });
      return [name, agent];
    }),
  );
}

/** Draws a chain per session, and agents' limits. Unique agents give unique execution ids. */
export function drawScenario(random: Random, plan: FaultPlan): Scenario {
  const strategies = new Map<string, string>();
  const models = simulatedModels(plan.fallback);
  const [model, ...fallback] = plan.background ? models.map(thinking) : models;
  const agent = (stage: number, name: string, drawn: string, replicaOf?: string): PlannedAgent => {
    const isAsking = plan.trees || plan.rules;
    const strategy = isAsking && drawn === 'single-call' ? 'native-thinking' : drawn;
    strategies.set(composeExecutionId(stage, name), strategy);
    const hasTools = strategy === 'native-thinking' || strategy === 'react';
    return sampleAgent({
      name,
      ...(replicaOf !== undefined && { replicaOf }),
      strategy,
      ...(model && { model }),
      fallback,
      ...withLedgerOf(toolsOf(strategy, plan.trees), plan),
      collect: !hasTools || !plan.collect ? [] : plan.rules ? ruleCollect(READ_TOOL) : SIMULATED_COLLECT,
      nativeTools: [],
      combineNativeTools: false,
      outsideTools: 'apart',
      limits: {
        maxIterations: Math.max(random.int(1, plan.big ? 2 : 5), plan.ledger ? ITERATIONS_WITH_LEDGER : 0),
        iterationTimeoutMs: random.pick([1, 2, 4]) * MINUTE,
        toolTimeoutMs: MINUTE,
        toolResultBytes: 64_000,
        afterFailure: random.pick(['fail', 'conclude']),
      },
    });
  };
  // Its limits are what they are in every configuration, so that nothing is drawn for it.
  const summaryAgent = (stage: number, name: string): PlannedAgent => {
    strategies.set(composeExecutionId(stage, name), SUMMARY_STRATEGY);
    const limits = {
      maxIterations: 1,
      iterationTimeoutMs: MINUTE,
      toolTimeoutMs: MINUTE,
      toolResultBytes: 64_000,
      afterFailure: 'fail' as const,
    };
    return sampleAgent({
      name,
      strategy: SUMMARY_STRATEGY,
      ...(model && { model }),
      tools: [],
      nativeTools: [],
      limits,
    });
  };
  /** Who answers questions, with limits for which nothing is drawn. */
  const chatAgent = (stages: number, name: string): PlannedAgent => {
    for (let question = 1; question <= MAX_QUESTIONS; question++)
      strategies.set(composeExecutionId(stages + 1 + question, name), 'native-thinking');
    const limits = {
      maxIterations: 3,
      iterationTimeoutMs: MINUTE,
      toolTimeoutMs: MINUTE,
      toolResultBytes: 64_000,
      afterFailure: 'conclude' as const,
    };
    return sampleAgent({
      name,
      strategy: 'native-thinking',
      ...(model && { model }),
      fallback,
      tools: ['sim'],
      nativeTools: [],
      limits,
    });
  };
  const drawStages = (chain: string) =>
    Array.from({ length: plan.big ? 10 : random.int(1, 2) }, (_, position) => {
      const index = position + 1;
      const agents = Array.from(
        { length: plan.big ? 5 : (plan.agents ?? random.pick([1, 1, 2, 3])) },
        (_, number) =>
          agent(
            index,
            `${chain}-${number + 1}`,
            random.pick(['native-thinking', 'native-thinking', 'react', 'single-call']),
            chain,
          ),
      );
      const synthesis =
        agents.length > 1 && random.chance(0.5) ? agent(index, `${chain}-synthesis`, 'synthesis') : null;
      const { successPolicy, stageTimeoutMs: timeoutMs } = plan;
      return { name: `stage-${index}`, successPolicy, timeoutMs, agents, synthesis };
    });
  const withLimits = (one: PlannedAgent) => withTokenLimits(one, plan);
  const asked = plan.trees ? askedAgents(model, fallback) : {};
  const helpers = Object.fromEntries(Object.entries(asked).map(([name, one]) => [name, withLimits(one)]));
  const names = Array.from({ length: plan.sessions }, (_, index) => `chain-${index + 1}`);
  const chains = names.map((name): [string, ChainSnapshot] => {
    const stages = drawStages(name).map((stage) => ({
      ...stage,
      agents: stage.agents.map(withLimits),
      synthesis: stage.synthesis && withLimits(stage.synthesis),
    }));
    const chain = {
      name,
      stages,
      ...(plan.ledger && checkedBy(withLimits(checkingAgent(model)))),
      ...(plan.rules && { rules: 'first' as const }),
      ...(plan.asked && { chat: withLimits(chatAgent(stages.length, `${name}-chat`)) }),
    };
    if (!plan.summary) return [name, chain];
    return [name, { ...chain, summary: withLimits(summaryAgent(stages.length + 1, `${name}-summary`)) }];
  });
  const incident = plan.incidents ?? plan.grouped;
  const config: Config = {
    askable: helpers,
    chains: Object.fromEntries(
      chains.map(([name, chain]) => [name, incident === null ? chain : { ...chain, incident }]),
    ),
    defaultChain: 'chain-1',
    alertRules: {},
    servers: {},
    sessionDeadlineMs: () => plan.deadlineMs,
    retentionMs: plan.probes ? PROBED_RETENTION_MS : 24 * 60 * MINUTE,
    budgets: () => ({ sessionsPerHour: sessionsPerHour(plan), dailyTokens: [] }),
    ownServices: [],
    alertPromptBytes: 64_000,
    masking: DEFAULT_MASKING,
    runbooks: NO_RUNBOOKS,
    ...(plan.checks && { schedules: SCHEDULES }),
    ...(plan.related && { triage: RELATED_TRIAGE }),
  };
  /** A chain whose agents are called otherwise. */
  const renamed = (chain: ChainSnapshot, suffix: string): ChainSnapshot => {
    const rename = (index: number, agent: PlannedAgent): PlannedAgent => {
      const name = `${agent.name}-${suffix}`;
      strategies.set(composeExecutionId(index, name), agent.strategy);
      return { ...agent, name };
    };
    const stages = chain.stages.map((stage, position) => ({
      ...stage,
      agents: stage.agents.map((one) => rename(position + 1, one)),
      synthesis: stage.synthesis && rename(position + 1, stage.synthesis),
    }));
    const last = stages.length + 1;
    const chat = chain.chat && { ...chain.chat, name: `${chain.chat.name}-${suffix}` };
    for (let question = 1; chat !== undefined && question <= MAX_QUESTIONS; question++)
      strategies.set(composeExecutionId(last + question, chat.name), chat.strategy);
    const summary = chain.summary && rename(last, chain.summary);
    return { ...chain, stages, ...(summary && { summary }), ...(chat && { chat }) };
  };
  return {
    chains: names,
    models: [model ?? sampleAgent().model, ...fallback].map((one) => `${one.provider}/${one.model}`),
    strategyOf: (executionId, agentName = '') =>
      strategyOfCheck(executionId) ??
      strategies.get(executionId) ??
      helpers[agentName]?.strategy ??
      'single-call',
    configFor(messageId) {
      if (plan.incidents === null && !plan.checks && !plan.related && !plan.mentions) return config;
      const entries = Object.entries(config.chains).map(([name, chain]) => [
        name,
        renamed(chain, `m${messageId}`),
      ]);
      return { ...config, chains: Object.fromEntries(entries) };
    },
  };
}

/** With incidents, an unused budget makes deliveries wait for the one that opens a session. */
function sessionsPerHour({ sessionsPerHour, incidents }: FaultPlan): UsageLimit[] {
  if (incidents !== null && incidents.coolDownMs > 0 && sessionsPerHour === null)
    return [{ chain: null, limit: 1_000 }];
  return sessionsPerHour === null ? [] : [{ chain: null, limit: sessionsPerHour }];
}
