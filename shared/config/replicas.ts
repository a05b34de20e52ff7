// The runs of a stage: each agent once, or once for each of its models and replicas. Pure.

import { nameSchema } from '../core/schema/common.ts';
import type { LimitEntries } from './limitFields.ts';

/** An agent of a stage as the file defines it. */
export type StageAgent = {
  /** Its name in agents.yaml. */
  agent: string;
  /** Models of models.yaml, each of which it runs on. Absent: its own. */
  model?: string[] | undefined;
  /** Models that take over from these. Absent: those of the agent. */
  fallback?: string[] | undefined;
  /** How often it runs on each model. Absent: once. */
  replicas?: number | undefined;
} & LimitEntries;

interface StageRun {
  /** The agent's name, followed by a number when there are several runs: `logs`, or `logs-1` and `logs-2`. */
  name: string;
  /** The agent as the file defines it. */
  entry: StageAgent;
  /** Whether it is one of several runs. */
  isReplica: boolean;
  /** Absent: the agent's own. */
  model: string | undefined;
  /** Of the agent in its list, from 0. */
  position: number;
}

/** The runs of a stage in the order of its agents; of one agent by model, then by replica. */
export function listReplicas(agents: readonly StageAgent[]): StageRun[] {
  return agents.flatMap((entry, position) => {
    const { agent, model: models = [undefined], replicas = 1 } = entry;
    const runs = models.flatMap((model) => Array.from({ length: replicas }, () => model));
    const isReplica = runs.length > 1;
    return runs.map((model, index) => ({
      name: isReplica ? `${agent}-${index + 1}` : agent,
      entry,
      isReplica,
      model,
      position,
    }));
  });
}

/** Whether a run can have this name: a number after a long name can make it too long. */
export function isRunName(name: string): boolean {
  return nameSchema.safeParse(name).success;
}
