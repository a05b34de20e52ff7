// The replicas of an agent in a stage: how many runs it has, and their names. Pure.

/** An agent of a stage, which runs once, or once on each of its models and for each of its replicas. */
interface Replicated {
  /** Absent: the agent's own. */
  model?: readonly unknown[] | undefined;
  /** How often it runs on each model. Absent: once. */
  replicas?: number | undefined;
}

/** One run of an agent in a stage. */
interface Replica<E extends Replicated> {
  /** The agent's name, followed by a number when there are several runs: `logs`, or `logs-1` and `logs-2`. */
  name: string;
  /** The agent as its stage has it. */
  entry: E;
  /** Whether it is one of several runs. */
  isReplica: boolean;
  /** Absent: the agent's own. */
  model: NonNullable<E['model']>[number] | undefined;
  /** Of the agent in its list, from 0. */
  position: number;
}

/** The runs of a stage in the order of its agents; of one agent by model, then by replica. */
export function listReplicas<E extends Replicated>(
  agents: readonly E[],
  nameAgent: (entry: E) => string,
): Replica<E>[] {
  return agents.flatMap((entry, position) => {
    const { model: models = [undefined], replicas = 1 } = entry;
    const runs = models.flatMap((model) => Array.from({ length: replicas }, () => model));
    const isReplica = runs.length > 1;
    const agent = nameAgent(entry);
    return runs.map((model, index) => ({
      name: isReplica ? `${agent}-${index + 1}` : agent,
      entry,
      isReplica,
      model,
      position,
    }));
  });
}
