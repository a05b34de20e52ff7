// `npm run simulate`: runs seeds, reports injected faults, outcomes, and broken rules.

import { Command } from 'commander';
import { rateOf, runCampaign, wholeNumber } from '../mutants/campaign.ts';
import { type RunSummary, runOf, type SeedTask } from './summarizeSeed.ts';

interface Options {
  seeds: number;
  from: number;
  seed?: number;
  jobs: number;
  keepGoing?: boolean;
  upgrades: boolean;
  background: boolean;
  oneFault: boolean;
}

const program = new Command('simulate')
  .description(
    'Runs the functions on a simulated cloud that duplicates, delays, reorders and loses messages, kills and stalls processes, and fails the store, Pub/Sub, the model and tools. After each run every invariant is checked. The same seed gives the same run.',
  )
  .option('--seeds <count>', 'how many seeds to run', wholeNumber, 200)
  .option('--from <seed>', 'the first of them', wholeNumber, 1)
  .option('--seed <seed>', 'run only this one, and print everything that happens', wholeNumber)
  .option('--jobs <count>', 'how many processes to run them in', wholeNumber, 1)
  .option('--upgrades', 'deploy a release with other versions of documents in each run', false)
  .option('--background', 'have models answer in the background in each run', false)
  .option('--one-fault', 'the same, with one session and one fault in each run', false)
  .option('--keep-going', 'do not stop at the first seed that breaks a rule')
  .showHelpAfterError()
  .parse();
const options = program.opts<Options>();
process.exitCode =
  options.seed === undefined ? await runMany(options) : await runOne({ ...options, seed: options.seed });

async function runOne(task: SeedTask): Promise<number> {
  const run = await runOf(task);
  for (const line of run.trace) console.log(line);
  console.log(`\n${summary(run)}`);
  for (const violation of run.violations) console.log(`  ${violation}`);
  return run.violations.length > 0 ? 1 : 0;
}

async function runMany({ seeds, from, jobs, keepGoing = false, ...kind }: Options): Promise<number> {
  const totals = new Map<string, number>();
  const add = (name: string, count: number) => totals.set(name, (totals.get(name) ?? 0) + count);
  const broken: number[] = [];
  const end = await runCampaign<SeedTask, RunSummary>({
    module: new URL('./summarizeSeed.ts', import.meta.url),
    tasks: Array.from({ length: seeds }, (_, index) => ({ ...kind, seed: from + index })),
    jobs,
    unit: 'seeds',
    total: seeds,
    keepGoing,
    isFailure: ({ violations }) => violations.length > 0,
    linesOf: (run) => {
      add(`outcome ${run.outcome}`, 1);
      for (const [fault, count] of run.faults) add(`fault ${fault}`, count);
      for (const [point, count] of run.kills) add(`kill ${point}`, count);
      for (const row of run.rows) add(`row ${row}`, 1);
      for (const [name, count] of Object.entries(run.thoughts)) add(`thought ${name}`, count);
      for (const name of ['iterations', 'modelCalls', 'toolRuns', 'deadLetters'] as const)
        add(name, run[name]);
      if (run.violations.length === 0) return [];
      broken.push(run.seed);
      return [
        summary(run),
        ...run.violations.slice(0, 10).map((violation) => `  ${violation}`),
        `  to see all of it: npm run simulate -- ${describeKind(kind)}--seed ${run.seed}`,
      ];
    },
  });
  console.log(rateOf(end, 'seeds'));
  report(totals);
  console.log(broken.length === 0 ? 'Every invariant held.' : `Broken by seed ${broken.join(', ')}.`);
  return end.exitCode;
}

/** The options of a run, as they are written. */
function describeKind({
  upgrades,
  background,
  oneFault,
}: Pick<Options, 'upgrades' | 'background' | 'oneFault'>) {
  if (upgrades) return '--upgrades ';
  return oneFault ? '--one-fault ' : background ? '--background ' : '';
}

function summary({ seed, outcome, violations, iterations, modelCalls, toolRuns }: RunSummary): string {
  const rules = violations.length === 0 ? 'every invariant held' : `${violations.length} rules broken`;
  return `seed ${seed}: ${outcome}, ${iterations} iterations, ${modelCalls} model calls, ${toolRuns} tool runs, ${rules}`;
}

function report(totals: Map<string, number>): void {
  const section = (title: string, prefix: string) => {
    const rows = [...totals].filter(([name]) => name.startsWith(prefix)).sort(([, a], [, b]) => b - a);
    if (rows.length > 0) console.log(`\n${title}`);
    for (const [name, count] of rows) {
      console.log(`  ${String(count).padStart(8)}  ${name.slice(prefix.length).replaceAll('_', ' ')}`);
    }
  };
  const total = (name: string) => totals.get(name) ?? 0;
  console.log(
    `${total('iterations')} iterations, ${total('modelCalls')} model calls, ${total('toolRuns')} tool runs, ${total('deadLetters')} dead letters`,
  );
  section('Runs by outcome', 'outcome ');
  section('Faults injected', 'fault ');
  section('Processes killed at', 'kill ');
  section('Runs in which', 'row ');
  section('Questions in the background', 'thought ');
  console.log('');
}
