// Faults between options of an agent: its strategy, models, tools and place. A configuration reports them
// with the place in a file, an engine with the name of the option.

import type { Abilities } from '../core/contract/controller.ts';
import { isExternalNativeTool } from '../core/contract/externalTools.ts';
import {
  bindsTools,
  COMBINING_NEEDS,
  canCombine,
  isNative,
  NATIVE_PROVIDER,
  takesThinkingLevel,
} from '../core/contract/modelFacts.ts';
import { readAbilities, STRATEGIES } from '../core/controllers/abilities.ts';
import type { ChainSnapshot, ModelSettings, NativeTool } from '../core/schema/agent.ts';
import { nameSchema } from '../core/schema/common.ts';

/** A fault of an option. */
export interface OptionFault {
  /** The option, and the position in its list. */
  path: readonly (string | number)[];
  /** What is wrong, with the fix. */
  message: string;
}

/** The options of an agent that depend on each other. */
export interface AgentUse {
  strategy: string;
  tools: readonly string[];
  nativeTools: readonly NativeTool[];
  skills?: readonly string[] | undefined;
  combineNativeTools?: boolean;
  outsideTools?: 'apart' | 'together';
}

/** A model of an agent: its own, or one of its fallback. */
export interface NamedModel {
  /** The name in messages. */
  name: string;
  settings: Pick<ModelSettings, 'provider' | 'model' | 'thinkingLevel'>;
  /** The option that names it. Null for the default model, which the agent does not name. */
  path: readonly (string | number)[] | null;
  /** The place of its settings, in messages: ` in models.yaml`. Default: none. */
  place?: string;
}

/** Faults of an agent whose options its strategy cannot use. */
export function strategyFaults(agent: AgentUse, models: readonly NamedModel[]): OptionFault[] {
  const { strategy, tools, nativeTools, skills } = agent;
  const abilities = readAbilities(strategy);
  const faults: OptionFault[] = [];
  const fault = (option: string, what: string, wanted: Partial<Abilities>) => {
    const message = `strategy ${strategy} ${what}; remove this, or use ${strategiesWith(wanted)}`;
    faults.push({ path: [option], message });
  };
  if (tools.length > 0 && !abilities.tools) fault('tools', 'calls no tools', { tools: true });
  if (skills !== undefined && !abilities.tools) fault('skills', 'loads no skills', { tools: true });
  if (nativeTools.length > 0 && !abilities.nativeTools)
    fault('nativeTools', 'has no native tools', { nativeTools: true, combines: abilities.combines });
  for (const model of models)
    for (const message of modelFaults(agent, model))
      faults.push({ path: model.path ?? ['strategy'], message });
  return faults;
}

/** Abilities that an agent needs and its model does not have. */
export function modelFaults(
  { strategy, nativeTools, tools: own, skills = [] }: AgentUse,
  { name, settings, place = '' }: Omit<NamedModel, 'path'>,
): string[] {
  const { geminiOnly, bindsTools: binds, tools, combines } = readAbilities(strategy);
  const { provider, thinkingLevel } = settings;
  const faults: string[] = [];
  if (geminiOnly && !isNative(provider)) {
    const others = strategiesWith({ geminiOnly: false, tools, combines });
    faults.push(
      `strategy ${strategy} needs a model of provider ${NATIVE_PROVIDER}; "${name}" is of ${provider}. Use ${others}, or another model`,
    );
  } else if (nativeTools.length > 0 && !isNative(provider)) {
    faults.push(
      `nativeTools need models of provider ${NATIVE_PROVIDER}; "${name}" is of ${provider}. Remove nativeTools, or use another model`,
    );
  }
  if (own.length + skills.length > 0 && binds && !bindsTools(provider)) {
    const others = strategiesWith({ tools: true, bindsTools: false });
    faults.push(
      `strategy ${strategy} binds tools, which models of ${provider} do not take ("${name}"). Use ${others}, or another model`,
    );
  }
  if (thinkingLevel !== undefined && !takesThinkingLevel(provider)) {
    faults.push(
      `model "${name}" sets thinkingLevel, which provider ${provider} does not take; remove it${place}`,
    );
  }
  return faults;
}

/**
 * Faults of `combineNativeTools`, and of native tools beside skills. Vertex AI cannot combine them either,
 * but whether requests go there is known only at the first one.
 */
export function nativeToolFaults(
  { skills, nativeTools, combineNativeTools = false }: AgentUse,
  models: readonly NamedModel[],
): OptionFault[] {
  if (skills !== undefined && nativeTools.length > 0 && !combineNativeTools) {
    const message =
      'takes the native tools away: skills are loaded with a function tool. Set combineNativeTools, or keep one of the two';
    return [{ path: ['skills'], message }];
  }
  if (!combineNativeTools) return [];
  if (nativeTools.length === 0) {
    const message = 'there is nothing to combine: list nativeTools, or remove this';
    return [{ path: ['combineNativeTools'], message }];
  }
  return models.flatMap((model) => {
    const message = combinationFault(model);
    if (message === undefined) return [];
    return [{ path: model.path?.[0] === 'fallback' ? model.path : ['combineNativeTools'], message }];
  });
}

/** Why a model cannot serve an agent with `combineNativeTools`; undefined if it can. */
export function combinationFault({
  name,
  settings: { model },
}: Omit<NamedModel, 'path'>): string | undefined {
  if (canCombine(model)) return undefined;
  return `model "${name}" (${model}) cannot combine native tools with function tools: ${COMBINING_NEEDS}; set combineNativeTools to false, or give the agent another model`;
}

/** The fix of agents with private and outside tools. */
export const SEPARATE = 'give them to two agents, or set outsideTools: together to allow both';

/**
 * Faults of an agent with private and outside tools, which could leak the data that it reads.
 * @param isOutside whether a tool reaches outside.
 * @param explainPrivate a further fix for a private tool. Default: none.
 */
export function externalToolFaults(
  { tools, nativeTools, outsideTools }: AgentUse,
  isOutside: (tool: string) => boolean,
  explainPrivate: (tool: string) => string = () => '',
): OptionFault[] {
  const isPrivate = tools.find((tool) => !isOutside(tool));
  if (outsideTools === 'together' || isPrivate === undefined) return [];
  const why = `is private, and whatever the agent reads could leave with a call: ${SEPARATE}${explainPrivate(isPrivate)}`;
  const faultOf = (option: string, index: number, tool: string): OptionFault => ({
    path: [option, index],
    message: `${tool} reaches outside, but ${isPrivate} ${why}`,
  });
  return [
    ...tools.flatMap((tool, index) => (isOutside(tool) ? [faultOf('tools', index, tool)] : [])),
    ...nativeTools.flatMap((tool, index) =>
      isExternalNativeTool(tool) ? [faultOf('nativeTools', index, tool)] : [],
    ),
  ];
}

/** Whether agents of a strategy combine the results of others. */
export const combines = (strategy: string): boolean => readAbilities(strategy).combines;

/** The fault of an agent that another one is to ask; undefined if it can be asked. */
export function askedFault(name: string, strategy: string): string | undefined {
  if (!combines(strategy)) return undefined;
  return `agent "${name}" combines the results of a stage (${strategy}), so it cannot be asked; remove it`;
}

/** The fault of an agent of a stage; undefined if it fits. */
export function stageAgentFault(name: string, strategy: string): string | undefined {
  if (!combines(strategy)) return undefined;
  return `agent "${name}" combines results; name it in \`synthesis\` of a stage instead`;
}

/** The fault of the agent that combines the results of a stage; undefined if it fits. */
export function synthesisFault(name: string, strategy: string): string | undefined {
  if (combines(strategy)) return undefined;
  return `agent "${name}" does not combine results; give it the strategy ${strategiesWith({ combines: true })}`;
}

function strategiesWith(wanted: Partial<Abilities>): string {
  const keys = Object.keys(wanted) as (keyof Abilities)[];
  return STRATEGIES.filter((strategy) => {
    const abilities = readAbilities(strategy);
    return keys.every((key) => abilities[key] === wanted[key]);
  }).join(' or ');
}

/** Runs of agents in one stage. */
export const MAX_RUNS = 20;

/** Faults of agents that a stage names twice. */
export function repeatedFaults(agents: readonly string[]): OptionFault[] {
  return agents.flatMap((agent, index) => {
    if (agents.indexOf(agent) === index) return [];
    const message = `agent "${agent}" is already in this stage; write replicas, or a list as its model, to run it more than once`;
    return [{ path: [index], message }];
  });
}

/**
 * Faults of the runs of a stage. An execution id is of stage and run, so these and the agent that combines
 * them need distinct names.
 * @param runs each with its agent, and the position of the agent in the list.
 * @param combiner the agent that combines the results, and the option that leads to it. Absent: none.
 */
export function runFaults(
  runs: readonly { name: string; agent: string; position: number }[],
  combiner: { name: string; option: string } | undefined,
): OptionFault[] {
  const faults: OptionFault[] = [];
  const add = (path: OptionFault['path'], message: string) => faults.push({ path, message });
  if (runs.length > MAX_RUNS)
    add(['agents'], `has ${runs.length} runs with all models and replicas; at most ${MAX_RUNS} fit a stage`);
  for (const [index, { name, agent, position }] of runs.entries()) {
    const path = ['agents', position];
    if (!nameSchema.safeParse(name).success)
      add(path, `"${name}" would be too long for a replica's name; give the agent a shorter one`);
    const other = runs.findIndex((run) => run.name === name);
    // A repeated agent has a separate fault.
    if (other === index || runs[other]?.agent === agent) continue;
    add(path, `"${name}" is the name of a replica in this stage; give the agent a different name`);
  }
  if (combiner !== undefined && runs.some((run) => run.name === combiner.name))
    add(
      [combiner.option],
      `agent "${combiner.name}" combines the results of this stage, so it cannot be one of its agents`,
    );
  return faults;
}

/** The session document holds the chain, the alert's text and the analysis. Its limit is 900 kB. */
const MAX_CHAIN_BYTES = 200_000;

/** The fault of a chain that is too large for its session; undefined if it fits. */
export function chainSizeFault(chain: ChainSnapshot): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(chain));
  if (bytes <= MAX_CHAIN_BYTES) return undefined;
  return `takes ${bytes} bytes with the instructions of its agents; at most ${MAX_CHAIN_BYTES} fit a session`;
}
