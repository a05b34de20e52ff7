// `npm run fuzz`: plants secrets in all that Inquest reads, and searches all that it writes.

import { Command, Option } from 'commander';
import { rateOf, runCampaign, wholeNumber } from '../mutants/campaign.ts';
import {
  type Leak,
  SCENARIO_NAMES,
  type ScenarioName,
  type ScenarioRun,
  type ScenarioTask,
} from './runScenario.ts';

interface Options {
  cases: number;
  seed: number;
  jobs: number;
  scenario?: ScenarioName;
  keepGoing?: boolean;
}

/** Different leaks that are printed with `--keep-going`. */
const MAX_SHOWN = 50;

const program = new Command('fuzz')
  .description(
    'Plants secrets, as they are and encoded, in alerts, results and errors of tools, answers and errors of models, decisions of people and settings, and looks for them in prompts, documents, messages, logs, terminals, answers of functions and calls of tools. A case is one secret in one field. The same seed plants the same secrets.',
  )
  .option('--cases <count>', 'how many cases to try, at least', wholeNumber, 2_000)
  .option('--seed <seed>', 'the seed of the first round; later rounds count on from it', wholeNumber, 1)
  .option('--jobs <count>', 'how many processes to run them in', wholeNumber, 1)
  .addOption(new Option('--scenario <name>', 'run only this scenario').choices(SCENARIO_NAMES))
  .option('--keep-going', 'do not stop at the first secret that comes out')
  .showHelpAfterError()
  .parse();
process.exitCode = await run(program.opts<Options>());

async function run({ cases, seed, jobs, scenario, keepGoing = false }: Options): Promise<number> {
  const fields = new Set<string>();
  const leaks = new Map<string, number>();
  let runs = 0;
  let lastSeed = seed;
  const end = await runCampaign<ScenarioTask, ScenarioRun>({
    module: new URL('./runScenario.ts', import.meta.url),
    tasks: tasksFrom(seed, scenario === undefined ? SCENARIO_NAMES : [scenario]),
    jobs,
    unit: 'cases',
    total: cases,
    sizeOf: (ended) => ended.cases,
    keepGoing,
    isFailure: (ended) => ended.leaks.length > 0,
    linesOf: (ended) => {
      runs++;
      lastSeed = Math.max(lastSeed, ended.seed);
      for (const field of ended.fields) fields.add(field);
      return ended.leaks.flatMap((leak) => noteLeak(leak, ended, leaks));
    },
  });
  console.log(
    `${rateOf(end, 'cases')}, in ${fields.size} fields, ${runs} runs, seeds ${seed} to ${lastSeed}`,
  );
  console.log(leaks.size === 0 ? 'No secret came out.' : `Secrets came out in ${leaks.size} ways.`);
  return end.exitCode;
}

/** All scenarios of seed after seed. */
function* tasksFrom(seed: number, scenarios: readonly ScenarioName[]): Generator<ScenarioTask, never> {
  for (let current = seed; ; current++) for (const scenario of scenarios) yield { scenario, seed: current };
}

/** Counts a leak. @returns lines for the first leak of a field into an output, else none. */
function noteLeak(leak: Leak, { scenario, seed }: ScenarioRun, leaks: Map<string, number>): string[] {
  const way = `${leak.field} -> ${leak.output}`;
  const count = leaks.get(way) ?? 0;
  leaks.set(way, count + 1);
  if (count > 0 || leaks.size > MAX_SHOWN) return [];
  return [
    `seed ${seed}: "${leak.field}" came out in: ${leak.output} (${leak.kind}, ${leak.encoding})`,
    `  ${JSON.stringify(leak.excerpt)}`,
    `  to see it again: npm run fuzz -- --seed ${seed} --cases 1 --scenario "${scenario}"`,
  ];
}
