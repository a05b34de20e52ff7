// Faults of the options of agents and chains of a program.

import { type LimitOptions, limitFaults } from '../agents/limits.ts';
import {
  askedFault,
  externalToolFaults,
  type NamedModel,
  nativeToolFaults,
  type OptionFault,
  repeatedFaults,
  runFaults,
  stageAgentFault,
  strategyFaults,
  synthesisFault,
} from '../agents/optionFaults.ts';
import { AGENT_DEFAULTS, type AgentSettings, narrowTools, type StageSettings } from '../agents/planAgent.ts';
import { skillFault } from '../agents/skillFields.ts';
import { STRATEGIES } from '../core/controllers/abilities.ts';
import { describeExpected } from '../text/suggest.ts';
import type { Agent, AgentOptions, ChainOptions, StageOptions } from './agentOptions.ts';
import type { Model } from './model.ts';

const readStrategy = ({ strategy = AGENT_DEFAULTS.strategy }: Pick<AgentSettings, 'strategy'>): string =>
  strategy;

/** The faults of an agent. @param model its own, or that of the engine. */
export function* agentFaults<T>(
  options: AgentOptions<T>,
  settings: AgentSettings,
  model: Model,
): Generator<OptionFault> {
  const { fallback = [], tools = [], asks = [], skills = [] } = options;
  const { instructions, outsideTools, combineNativeTools = false, nativeTools = [] } = settings;
  if (instructions.trim() === '')
    yield { path: ['instructions'], message: 'is empty; state what the agent does' };
  yield* limitFaults(options);
  const strategy = readStrategy(settings);
  if (!STRATEGIES.includes(strategy)) {
    yield { path: ['strategy'], message: `unknown strategy; ${describeExpected(strategy, STRATEGIES)}` };
    return;
  }
  if (fallback.includes(model))
    yield { path: ['fallback'], message: "has the agent's own model; name a different model, or remove it" };
  const use = {
    strategy,
    tools: settings.tools ?? [],
    nativeTools,
    skills: skills.length === 0 ? undefined : settings.skills,
    combineNativeTools,
    ...(outsideTools !== undefined && { outsideTools }),
  };
  const models = [
    nameModel(model, options.model === undefined ? null : ['model']),
    ...fallback.map((one, index) => nameModel(one, ['fallback', index])),
  ];
  yield* strategyFaults(use, models);
  yield* nativeToolFaults(use, models);
  const outside = tools.flatMap((one) =>
    one.kind === 'mcp' && one.config.reaches === 'outside' ? one.name : [],
  );
  yield* externalToolFaults(use, (tool) => outside.includes(tool));
  for (const [index, skill] of skills.entries()) yield* listFault(['skills', index], skillFault(skill));
  for (const [index, asked] of asks.entries())
    yield* listFault(['asks', index], askedFault(asked.name, readStrategy(asked.settings)));
}

const nameModel = ({ settings }: Model, path: NamedModel['path']): NamedModel => ({
  name: settings.model,
  settings,
  path,
});

/** The faults of a chain. @param planned its stages with their runs. */
export function* chainFaults<T>(
  options: ChainOptions<T>,
  planned: readonly StageSettings[],
): Generator<OptionFault> {
  const { stages } = options;
  yield* limitFaults(options);
  for (const [index, { agents, synthesis, ...stage }] of stages.entries()) {
    const place = ['stages', index];
    const entries: readonly (LimitOptions & { agent: Agent })[] = agents.map((one) =>
      'agent' in one ? one : { agent: one },
    );
    const combiner = synthesis && { name: synthesis.name, option: 'synthesis' };
    const runs = (planned[index]?.runs ?? []).map((run) => ({
      name: run.name,
      agent: run.agent.name,
      position: entries.findIndex(({ agent }) => agent.name === run.agent.name),
    }));
    yield* below(place, limitFaults(stage));
    yield* below([...place, 'agents'], repeatedFaults(entries.map(({ agent }) => agent.name)));
    for (const [position, entry] of entries.entries()) {
      const at = [...place, 'agents', position];
      yield* below(at, limitFaults(entry));
      if ('replicas' in entry && !(Number.isInteger(entry.replicas) && Number(entry.replicas) > 0))
        yield { path: [...at, 'replicas'], message: 'must be a whole number above 0' };
      yield* listFault(at, stageAgentFault(entry.agent.name, readStrategy(entry.agent.settings)));
    }
    if (synthesis !== undefined)
      yield* listFault(
        [...place, 'synthesis'],
        synthesisFault(synthesis.name, readStrategy(synthesis.settings)),
      );
    yield* below(place, runFaults(runs, combiner));
    yield* below(place, collectFaults(stage.collect ?? [], planned[index]));
  }
  yield* answerFaults(options);
}

/** Faults of calls that no agent of their stage makes, or that can change something. */
function collectFaults(
  collect: NonNullable<StageOptions['collect']>,
  { runs = [], tools }: Partial<StageSettings> = {},
): OptionFault[] {
  const given = runs.flatMap(({ agent }) => narrowTools(agent.tools ?? [], tools));
  return collect.flatMap(({ tool }, position) => {
    const name = typeof tool === 'string' ? tool : tool.definition.name;
    const path = ['collect', position];
    if (narrowTools(given, [name]).length === 0)
      return [{ path, message: `no agent of this stage has ${name}; give it to one, or remove this call` }];
    if (typeof tool === 'string' || tool.definition.readOnly) return [];
    return [
      { path, message: `${name} changes something, and only read-only tools are called; remove this call` },
    ];
  });
}

/** The fault of a chain that declares the form of an answer which its last agent does not give. */
function answerFaults<T>({ answer, stages }: ChainOptions<T>): OptionFault[] {
  const last = stages.at(-1);
  if (answer === undefined || last === undefined) return [];
  const [only, ...others] = last.synthesis ? [last.synthesis] : last.agents;
  const agent = only && ('agent' in only ? only.agent : only);
  if (others.length > 0)
    return [{ path: ['answer'], message: 'the last stage has several results; add a synthesis to it' }];
  if (agent?.answer !== undefined) return [];
  return [
    { path: ['answer'], message: `agent ${agent?.name} of the last stage has no answer; set it there` },
  ];
}

const below = (path: OptionFault['path'], faults: readonly OptionFault[]): OptionFault[] =>
  faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] }));

const listFault = (path: OptionFault['path'], message: string | undefined): OptionFault[] =>
  message === undefined ? [] : [{ path, message }];
