// The schemas of chains.yaml and of the files in chains/.

import * as z from 'zod';
import { MAX_RUNS, type OptionFault, repeatedFaults, runFaults } from '../agents/optionFaults.ts';
import { listReplicas } from '../agents/replicas.ts';
import { CLAIMS_STRATEGY, CONTRAST_STRATEGY, RULES, SUCCESS_POLICIES } from '../core/schema/agent.ts';
import { nameSchema } from '../core/schema/common.ts';
import { VERDICTS } from '../evidence/schema/verdict.ts';
import { isObject } from '../text/json.ts';
import { labelFault } from '../text/labelText.ts';
import { alertRulesSchema } from './alertRules.ts';
import {
  eachOnce,
  fallbackModels,
  type KnownNames,
  oneOrMany,
  referenceTo,
  schemaByValue,
  strictMapping,
  toolReference,
} from './fields.ts';
import type { LimitEntries } from './limitFields.ts';
import { budgetFields, incidentFields, limitFields, sessionTime } from './limitFields.ts';
import { notifyField } from './notify.ts';
import { runbookSetting } from './runbookFields.ts';
import { tierField } from './serviceTiers.ts';

/** Maximum number of calls of one stage. Every request of its agents contains their results. */
const MAX_CALLS = 20;
/** Characters of the arguments of one call, as JSON. */
const MAX_ARGUMENTS = 4_000;
/** Maximum nesting of arguments. Typical arguments have two or three levels. */
const MAX_DEPTH = 10;
/** The time, and as a whole text the query of the alert's own condition. */
const FILLED = /\$\{now(?:-\d{1,5}[smhd])?\}|^\$\{condition\}$/g;
const argumentsSchema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  checkValue(value, [], context);
  if (context.issues.length === 0 && JSON.stringify(value).length > MAX_ARGUMENTS)
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_ARGUMENTS} characters as JSON` });
});

/** An agent of a stage as the file defines it. */
type StageAgent = {
  /** Its name in agents.yaml. */
  agent: string;
  /** Models of models.yaml, each of which it runs on. Absent: its own. */
  model?: string[] | undefined;
  /** Models that take over from these. Absent: those of the agent. */
  fallback?: string[] | undefined;
  /** How often it runs on each model. Absent: once. */
  replicas?: number | undefined;
} & LimitEntries;

/** Name of the built-in agent that combines the results of a stage. */
export const BUILT_IN_SYNTHESIZER = 'synthesizer';

/** Value of a chain's `chat` that switches answers to questions off. */
export const CHAT_OFF = 'off';

/** Names defined elsewhere that chains refer to. */
export interface ChainReferences {
  /** Names of all agents. */
  agents: KnownNames;
  /** Names in models.yaml. */
  models: KnownNames;
  /** Names in servers.yaml. */
  servers: KnownNames;
  /** Tool sources that servers.yaml does not define. */
  ownSources: readonly string[];
  /** Names in destinations.yaml. */
  destinations: KnownNames;
}

/** A file of chains/, which holds only chains. */
export const chainFileSchema = (known: ChainReferences) => strictMapping({ chains: chainEntries(known) });

/**
 * chains.yaml.
 * @param chains the names of all chains.
 * @param hasMore whether there are files in chains/, so that this one need not define any.
 */
export const chainsFileSchema = (chains: KnownNames, known: ChainReferences, hasMore = false) =>
  strictMapping({
    default: referenceTo('chain', chains),
    chains: hasMore ? chainEntries(known).nullish() : chainEntries(known),
  });

const chainEntries = (known: ChainReferences) => z.record(nameSchema, chainSchema(known));

const chainSchema = (known: ChainReferences) =>
  strictMapping({
    alerts: alertRulesSchema.optional(),
    stages: z
      .array(stageSchema(known))
      .min(1)
      // Stage ids have two digits for the index.
      .max(99),
    tools: allowedTools(known),
    chat: referenceTo('agent', known.agents && [...known.agents, CHAT_OFF]).optional(),
    runbook: runbookSetting.optional(),
    notify: notifyField(known.destinations),
    ledger: z.enum(['off', 'on', 'required']).optional(),
    lookback: sessionTime,
    stopWhen: z.enum(VERDICTS).optional(),
    contrast: z.enum(['on', 'off']).optional(),
    rules: z.enum(RULES).optional(),
    sessionDeadline: sessionTime,
    serviceTier: tierField,
    ...incidentFields,
    ...budgetFields,
    ...limitFields,
  }).superRefine(verdictsAreKnown);
/** A chain as the file defines it. */
export type ChainEntry = z.output<ReturnType<typeof chainSchema>>;

const stageSchema = (known: ChainReferences) =>
  strictMapping({
    name: nameSchema,
    agents: stageAgents(known),
    synthesis: referenceTo('agent', known.agents).optional(),
    successPolicy: z.enum(SUCCESS_POLICIES).optional(),
    tools: allowedTools(known),
    collect: collectCalls(known.servers, known.ownSources),
    timeout: sessionTime,
    when: strictMapping({ verdict: z.array(z.enum(VERDICTS)).min(1).superRefine(eachOnce) }).optional(),
    ...limitFields,
  }).superRefine(runsAreDistinct);
/** A stage as the file defines it. */
export type StageEntry = z.output<ReturnType<typeof stageSchema>>;

/** The tools that its agents keep. An empty list would let Gemini's own tools take their place. */
const allowedTools = ({ servers, ownSources }: ChainReferences) =>
  z.array(toolReference(servers, ownSources)).min(1).max(100).superRefine(eachOnce).optional();

/** The agents of a stage: each a name, or a mapping with its number of runs and its models. */
function stageAgents({ agents, models }: ChainReferences) {
  const name = referenceTo('agent', agents).transform((agent): StageAgent => ({ agent }));
  const settings = strictMapping({
    agent: referenceTo('agent', agents),
    model: oneOrMany(referenceTo('model', models), MAX_RUNS).optional(),
    fallback: fallbackModels(models).optional(),
    replicas: z.int().min(1).max(MAX_RUNS).optional(),
    ...limitFields,
  });
  return z
    .array(schemaByValue<StageAgent>((value) => (typeof value === 'string' ? name : settings)))
    .min(1)
    .max(MAX_RUNS)
    .superRefine((entries, context) => addFaults(repeatedFaults(entries.map(({ agent }) => agent)), context));
}

/**
 * Verdicts need a ledger, and an earlier stage. Names of stages and agents that check claims are reserved.
 */
function verdictsAreKnown(
  {
    ledger,
    stopWhen,
    rules = 'off',
    stages,
  }: {
    ledger?: string | undefined;
    stopWhen?: string | undefined;
    rules?: string | undefined;
    stages: StageEntry[];
  },
  context: z.RefinementCtx,
): void {
  const add = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  const isOn = ledger !== 'off';
  const needsLedger = 'needs the verdicts of the chain; remove `ledger: off`';
  if (stopWhen !== undefined && !isOn) add(['stopWhen'], needsLedger);
  if (rules !== 'off' && !isOn) add(['rules'], needsLedger);
  for (const [index, { name, agents, when }] of stages.entries()) {
    const path = ['stages', index];
    if (when !== undefined && index === 0)
      add([...path, 'when'], 'the first stage has no verdict before it; remove it');
    else if (when !== undefined && !isOn) add([...path, 'when'], needsLedger);
    if (!isOn) continue;
    const taken = `is the name of a stage that checks claims; choose a different name`;
    if (CHECKS.includes(name)) add([...path, 'name'], `"${name}" ${taken}`);
    for (const { agent } of agents)
      if (CHECKS.includes(agent)) add([...path, 'agents'], `"${agent}" ${taken}`);
  }
}

const CHECKS: readonly string[] = [CLAIMS_STRATEGY, CONTRAST_STRATEGY];

/** Adds the faults of the runs of a stage and its synthesis. */
function runsAreDistinct(
  { agents, synthesis }: { agents: StageAgent[]; synthesis?: string | undefined },
  context: z.RefinementCtx,
): void {
  const runs = listReplicas(agents, ({ agent }) => agent);
  const builtIn = runs.length > 1 ? { name: BUILT_IN_SYNTHESIZER, option: 'agents' } : undefined;
  const combiner = synthesis === undefined ? builtIn : { name: synthesis, option: 'synthesis' };
  const named = runs.map(({ name, entry, position }) => ({ name, agent: entry.agent, position }));
  addFaults(runFaults(named, combiner), context);
}

function addFaults(faults: readonly OptionFault[], context: z.RefinementCtx): void {
  for (const { path, message } of faults) context.addIssue({ code: 'custom', path: [...path], message });
}

/** The calls of a stage, in order. */
function collectCalls(servers: KnownNames, ownSources: readonly string[]) {
  const tool = toolReference(servers, ownSources).refine((name) => name.includes('.'), {
    error: ({ input }) => `names a server; name one tool of it: ${String(input)}.TOOL`,
  });
  const call = strictMapping({ tool, arguments: argumentsSchema.optional() });
  return z.array(call).min(1).max(MAX_CALLS).optional();
}

/** Rejects values that JSON cannot express, and references to anything but labels. */
function checkValue(value: unknown, path: PropertyKey[], context: z.RefinementCtx): void {
  const message =
    path.length > MAX_DEPTH ? `is nested more than ${MAX_DEPTH} levels deep` : findTemplateFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', path, message });
  else if (Array.isArray(value))
    for (const [index, entry] of value.entries()) checkValue(entry, [...path, index], context);
  else if (isObject(value))
    for (const [key, entry] of Object.entries(value)) checkValue(entry, [...path, key], context);
}

function findTemplateFault(value: unknown): string | undefined {
  if (typeof value === 'string') return labelFault(value.replace(FILLED, ''));
  const isNumber = typeof value !== 'number' || Number.isFinite(value);
  return isNumber ? undefined : 'must be a number that JSON can hold';
}
