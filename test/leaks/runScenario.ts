// Runs one scenario with the secrets of a seed, and says which of them came out.

import { createLeakFinder } from './findLeaks.ts';
import { type Case, createPlan, type Plan } from './plan.ts';
import { acceptedAlerts, refusedAlerts } from './scenarios/alerts.ts';
import { answerParts, reactAnswers } from './scenarios/answers.ts';
import { repeatedCalls, requestedChecks } from './scenarios/checks.ts';
import { wrongConfiguration } from './scenarios/configuration.ts';
import { failedCalls, strangeEndpoints } from './scenarios/failures.ts';
import { decisions, talk } from './scenarios/people.ts';
import { runbooks } from './scenarios/runbooks.ts';
import { structuredAnswers } from './scenarios/structured.ts';
import { missingServers, toolDefinitions, toolResults } from './scenarios/tools.ts';
import type { Outputs } from './world.ts';

/** Everything that is done to Inquest with secrets, by name. */
export const SCENARIOS = {
  'accepted alerts': acceptedAlerts,
  'refused alerts': refusedAlerts,
  'tool results': toolResults,
  'tool definitions': toolDefinitions,
  'missing servers': missingServers,
  'answer parts': answerParts,
  'react answers': reactAnswers,
  'failed calls': failedCalls,
  'strange endpoints': strangeEndpoints,
  decisions,
  talk,
  runbooks,
  'wrong configuration': wrongConfiguration,
  'structured answers': structuredAnswers,
  'requested checks': requestedChecks,
  'repeated calls': repeatedCalls,
} satisfies Record<string, (plan: Plan) => Promise<Outputs>>;

/** The name of a scenario. */
export type ScenarioName = keyof typeof SCENARIOS;

/** All names, in the order in which they run. */
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** A secret that came out. */
export interface Leak {
  /** Where it was planted. */
  field: string;
  kind: string;
  encoding: string;
  /** Where it came out. */
  output: string;
  excerpt: string;
}

/** The result of a scenario. */
export interface ScenarioRun {
  scenario: ScenarioName;
  seed: number;
  /** How many secrets were planted, those of servers.yaml included. */
  cases: number;
  /** By field, encoding and kind. */
  fields: string[];
  leaks: Leak[];
}

/** A scenario with a seed. */
export interface ScenarioTask {
  scenario: ScenarioName;
  seed: number;
}

/** Runs a task of `npm run fuzz`. */
export async function runTask({ scenario, seed }: ScenarioTask): Promise<ScenarioRun> {
  return runScenario(scenario, seed);
}

/** Runs a scenario. The same seed plants the same secrets. */
export async function runScenario(scenario: ScenarioName, seed: number): Promise<ScenarioRun> {
  const plan = createPlan(seed * SCENARIO_NAMES.length + SCENARIO_NAMES.indexOf(scenario));
  const outputs = await SCENARIOS[scenario](plan);
  const settings = plan.serverValues.map((raw): Case => {
    const secret = { kind: 'known value', raw, text: raw, known: 'servers' as const };
    return { field: 'servers.yaml', kind: secret.kind, encoding: 'raw', secret };
  });
  // A value of servers.yaml that is planted is a case of its field.
  const planted = new Set(plan.cases.map(({ secret }) => secret.raw));
  const cases = [...plan.cases, ...settings.filter(({ secret }) => !planted.has(secret.raw))];
  const finder = createLeakFinder(cases.map((of) => ({ raw: of.secret.raw.replaceAll('\n', ''), of })));
  const leaks = Object.entries(outputs).flatMap(([output, values]) =>
    finder.find(values).map(({ of, excerpt }): Leak => {
      const { field, kind, encoding } = of;
      return { field, kind, encoding, output, excerpt };
    }),
  );
  return { scenario, seed, cases: cases.length, fields: cases.map(({ field }) => field), leaks };
}
