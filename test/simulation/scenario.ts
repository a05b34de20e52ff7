// The chain of a run, drawn from the seed, and small enough for thousands of runs.

import type { Config } from '../../shared/config/config.ts';
import type { ChainSnapshot, PlannedAgent } from '../../shared/schema/agent.ts';
import { executionIdOf } from '../../shared/schema/documents.ts';
import { sampleAgent } from '../support/samples.ts';
import { type FaultPlan, MINUTE } from './faults.ts';
import type { Random } from './random.ts';

/** The configuration of a run. */
export interface Scenario {
  config: Config;
  /** The strategy of an execution's agent. */
  strategyOf(executionId: string): string;
}

/** Draws the chain and the limits of its agents. */
export function drawScenario(random: Random, plan: FaultPlan): Scenario {
  const strategies = new Map<string, string>();
  const agent = (stage: number, name: string, strategy: string): PlannedAgent => {
    strategies.set(executionIdOf(stage, name), strategy);
    return sampleAgent({
      name,
      strategy,
      tools: strategy === 'native-thinking' || strategy === 'react' ? ['sim'] : [],
      nativeTools: [],
      combineNativeTools: false,
      limits: {
        maxIterations: random.int(1, 5),
        iterationTimeoutMs: random.pick([1, 2, 4]) * MINUTE,
        toolTimeoutMs: MINUTE,
        toolResultBytes: 64_000,
        afterFailure: random.pick(['fail', 'conclude']),
      },
    });
  };
  const stages = Array.from({ length: random.int(1, 2) }, (_, position) => {
    const index = position + 1;
    const agents = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, number) =>
      agent(
        index,
        `agent-${number + 1}`,
        random.pick(['native-thinking', 'native-thinking', 'react', 'single-call']),
      ),
    );
    const synthesis = agents.length > 1 && random.chance(0.5) ? agent(index, 'synthesis', 'synthesis') : null;
    return { name: `stage-${index}`, agents, synthesis };
  });
  const chain: ChainSnapshot = { name: 'simulated', stages };
  return {
    strategyOf: (executionId) => strategies.get(executionId) ?? 'single-call',
    config: {
      chains: { simulated: chain },
      defaultChain: 'simulated',
      servers: {},
      sessionDeadlineMs: () => plan.deadlineMs,
      retentionMs: 24 * 60 * MINUTE,
      alertPromptBytes: 64_000,
    },
  };
}
