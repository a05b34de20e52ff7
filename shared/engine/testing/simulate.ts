// `simulate`: a program's own agents on a simulated cloud that loses, repeats and reorders messages, kills
// and stalls processes, and fails commits, in virtual time. A seed determines everything.

import { TerminalError } from '../../core/errors.ts';
import { SCRIPT_PROVIDER } from '../../llm/scriptClient.ts';
import type { Agent, Chain } from '../agentOptions.ts';
import { type Agents, type Internals, readInternals } from '../durable.ts';
import type { Model } from '../model.ts';
import type { StartOptions } from '../startRun.ts';
import type { Tool } from '../tool.ts';
import type { Effects, Replacement } from './effects.ts';
import type { EngineFault } from './faults.ts';
import { type PlannedRun, type SeedOutcome, type SeedPlan, simulateSeed } from './simulateSeed.ts';

/** A run that each seed starts. */
export interface SimulatedRun extends Omit<StartOptions, 'id'> {
  agent: Agent | Chain;
  /** The task. Default: a short text. */
  input?: string;
}

/** What is simulated, and for how long. */
export interface SimulateOptions {
  /** How many seeds, from 1 on, or the seeds themselves. */
  seeds: number | readonly number[];
  /** The runs of each seed. Default: one of each agent and chain that is registered. */
  runs?: readonly SimulatedRun[];
  /**
   * Functions in place of those of the tools in code, by name. They must answer without waiting for anything,
   * and depend on nothing that changes between two simulations of a seed. Default: the answer `Done.`
   */
  tools?: Readonly<Record<string, Replacement>>;
  /** Tools in place of those of MCP servers, by the name of the server. Default: servers have no tools. */
  servers?: Readonly<Record<string, readonly Tool[]>>;
  /**
   * `script(file)` in place of all models. Default: agents with a script have that; other models draw calls
   * with arguments that fit the schemas of the tools.
   */
  model?: Model;
  /** Real milliseconds after which no further seed starts. Default: none. */
  limitMs?: number;
  /** Its abort ends the simulation after the current seed, which then throws the reason. */
  signal?: AbortSignal;
  /** Called after each seed. */
  onProgress?: (progress: Pick<Simulation, 'seeds' | 'crashes'> & { seed: number; total: number }) => void;
}

/** What a simulation has found. */
export interface Simulation {
  /** Seeds that have run; fewer than asked for after `limitMs`, or after a seed that broke a rule. */
  seeds: number;
  /** Processes that died. */
  crashes: number;
  /** Deliveries of messages that started an iteration. */
  deliveries: number;
  /** How often each fault occurred, deaths included. */
  faults: Partial<Record<EngineFault, number>>;
  runs: {
    started: number;
    /** Runs that have ended, by status. */
    ended: Record<string, number>;
    /** Runs that have not ended; a broken rule. */
    unfinished: number;
  };
  effects: Effects;
  /** The first seed that broke a rule; null if all rules hold. */
  failure: {
    seed: number;
    /** Each broken rule. */
    broken: string[];
    /** A line for each thing that happened: virtual seconds, the process, and what it did. */
    story: string[];
  } | null;
}

/** Thrown when a seed breaks a rule. */
export interface SimulationError extends Error {
  name: 'SimulationError';
  /** Everything up to and with the seed that broke a rule. */
  simulation: Simulation & { failure: NonNullable<Simulation['failure']> };
}

/**
 * Simulates runs of a program's agents, and checks after each seed that all runs have ended, and that each
 * effect of a tool happened once, or is reported as unknown. Neither models, tools, store nor queue of the
 * program are called.
 * @throws SimulationError with the seed and its story when a rule is broken; TerminalError `CONFIG_INVALID`
 *   or `REQUEST_INVALID` for options; the reason of an abort; RangeError for a tool that does not answer.
 */
export async function simulate(agents: Agents, options: SimulateOptions): Promise<Simulation> {
  const { signal, limitMs = Number.POSITIVE_INFINITY, onProgress } = options;
  const plan = readPlan(readInternals(agents), options);
  const seeds = listSeeds(options.seeds);
  const simulation: Simulation = {
    seeds: 0,
    crashes: 0,
    deliveries: 0,
    faults: {},
    runs: { started: 0, ended: {}, unfinished: 0 },
    effects: { once: 0, unknown: 0, doubled: 0, lost: 0 },
    failure: null,
  };
  const until = performance.now() + limitMs;
  for (const seed of seeds) {
    signal?.throwIfAborted();
    if (performance.now() >= until) break;
    const outcome = await simulateSeed(seed, plan);
    addOutcome(simulation, outcome);
    onProgress?.({ seed, total: seeds.length, seeds: simulation.seeds, crashes: simulation.crashes });
    if (outcome.broken.length === 0) continue;
    simulation.failure = { seed, broken: outcome.broken, story: outcome.story };
    throw composeError(simulation, outcome.broken, seed);
  }
  signal?.throwIfAborted();
  return simulation;
}

function listSeeds(seeds: SimulateOptions['seeds']): readonly number[] {
  const isWhole = (value: number) => Number.isInteger(value) && value > 0 && value < 2 ** 31;
  const list = typeof seeds !== 'number' ? seeds : isWhole(seeds) ? countSeeds(seeds) : [];
  if (list.length > 0 && list.every(isWhole)) return list;
  throw new TerminalError('REQUEST_INVALID', 'seeds: must be a whole number above 0, or a list of them');
}

const countSeeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function readPlan(engine: Internals, { runs, tools = {}, servers = {}, model }: SimulateOptions): SeedPlan {
  const refuse = (fault: string): never => {
    throw new TerminalError('CONFIG_INVALID', `simulate: ${fault}`);
  };
  const plans = [...engine.registry.chains.values()];
  const given: readonly SimulatedRun[] = runs ?? plans.map((agent) => ({ agent }));
  if (given.length === 0) refuse('there is no run; register an agent, or name one in runs');
  const planned = given.map(({ agent, input = 'A task.', ...options }, index): PlannedRun => {
    if (!plans.some(({ chain }) => chain === agent.chain))
      refuse(`runs: agent ${agent.name} is not of this engine`);
    return { agent, input, options: { ...options, id: `r${index + 1}` } };
  });
  const names = new Set(
    planned.flatMap(({ agent }) =>
      agent.tools.map((one) => (one.kind === 'tool' ? one.definition.name.replace('code.', '') : one.name)),
    ),
  );
  for (const name of [...Object.keys(tools), ...Object.keys(servers)])
    if (!names.has(name))
      refuse(`no agent of the runs has ${name}; known: ${[...names].join(', ') || 'none'}`);
  if (model !== undefined && model.settings.provider !== SCRIPT_PROVIDER)
    refuse('model: must be script(file); a simulation calls no other model');
  return { engine, runs: planned, tools, servers, model };
}

function addOutcome(simulation: Simulation, outcome: SeedOutcome): void {
  const { runs, effects, faults } = simulation;
  simulation.seeds++;
  simulation.crashes += outcome.crashes;
  simulation.deliveries += outcome.iterations;
  for (const [fault, count] of outcome.faults) faults[fault] = (faults[fault] ?? 0) + count;
  for (const status of outcome.statuses) {
    runs.started++;
    if (status === null) runs.unfinished++;
    else runs.ended[status] = (runs.ended[status] ?? 0) + 1;
  }
  for (const name of ['once', 'unknown', 'doubled', 'lost'] as const) effects[name] += outcome.effects[name];
}

function composeError(simulation: Simulation, broken: readonly string[], seed: number): SimulationError {
  const message = `seed ${seed} breaks ${broken.length === 1 ? 'a rule' : `${broken.length} rules`}: ${broken[0]}. To run it again: simulate(agents, { seeds: [${seed}], … })`;
  return Object.assign(new Error(message), { name: 'SimulationError', simulation }) as SimulationError;
}
