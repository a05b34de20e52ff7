// `npm run simulate`: runs many seeds and reports the injected faults, the outcomes, and the seeds that broke a rule.

import { Command, InvalidArgumentError } from 'commander';
import { Interrupted, interruptSignal } from '../../cli/process/interrupt.ts';
import { runSeed } from './runSeed.ts';
import { type RunSummary, runSeeds } from './runSeeds.ts';

interface Options {
  seeds: number;
  from: number;
  seed?: number;
  jobs: number;
  keepGoing?: boolean;
}

const program = new Command('simulate')
  .description(
    'Runs the functions on a simulated cloud that duplicates, delays, reorders and loses messages, kills and stalls processes, and fails the store, Pub/Sub, the model and tools. After each run every invariant is checked. The same seed gives the same run.',
  )
  .option('--seeds <count>', 'how many seeds to run', wholeNumber, 200)
  .option('--from <seed>', 'the first of them', wholeNumber, 1)
  .option('--seed <seed>', 'run only this one, and print everything that happens', wholeNumber)
  .option('--jobs <count>', 'how many processes to run them in', wholeNumber, 1)
  .option('--keep-going', 'do not stop at the first seed that breaks a rule')
  .showHelpAfterError()
  .parse();
const options = program.opts<Options>();
process.exitCode = options.seed === undefined ? await runMany(options) : await runOne(options.seed);

async function runOne(seed: number): Promise<number> {
  const run = await runSeed(seed);
  for (const line of run.trace) console.log(line);
  console.log(`\n${summary(run)}`);
  for (const violation of run.violations) console.log(`  ${violation}`);
  return run.violations.length > 0 ? 1 : 0;
}

async function runMany({ seeds, from, jobs, keepGoing }: Options): Promise<number> {
  const startedAt = performance.now();
  const totals = new Map<string, number>();
  const add = (name: string, count: number) => totals.set(name, (totals.get(name) ?? 0) + count);
  const broken: number[] = [];
  const signal = interruptSignal();

  let done = 0;
  await runSeeds({ from, seeds, jobs }, (run) => {
    const { seed } = run;
    done++;
    add(`outcome ${run.outcome}`, 1);
    for (const [fault, count] of run.faults) add(`fault ${fault}`, count);
    for (const [point, count] of run.kills) add(`kill ${point}`, count);
    for (const row of run.rows) add(`row ${row}`, 1);
    for (const name of ['iterations', 'modelCalls', 'toolRuns', 'deadLetters'] as const) add(name, run[name]);
    progress(done, seeds, seed, broken.length);
    if (run.violations.length === 0) return !signal.aborted;
    broken.push(seed);
    clearProgress();
    console.log(summary(run));
    for (const violation of run.violations.slice(0, 10)) console.log(`  ${violation}`);
    console.log(`  to see all of it: npm run simulate -- --seed ${seed}`);
    return keepGoing === true && !signal.aborted;
  });
  clearProgress();
  report(totals, done, (performance.now() - startedAt) / 1000);
  if (signal.aborted) console.log(`Interrupted after ${done} of ${seeds} seeds.`);
  console.log(broken.length === 0 ? 'Every invariant held.' : `Broken by seed ${broken.join(', ')}.`);
  if (broken.length > 0) return 1;
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : 0;
}

function summary({ seed, outcome, violations, iterations, modelCalls, toolRuns }: RunSummary): string {
  const rules = violations.length === 0 ? 'every invariant held' : `${violations.length} rules broken`;
  return `seed ${seed}: ${outcome}, ${iterations} iterations, ${modelCalls} model calls, ${toolRuns} tool runs, ${rules}`;
}

function report(totals: Map<string, number>, seeds: number, seconds: number): void {
  const section = (title: string, prefix: string) => {
    const rows = [...totals].filter(([name]) => name.startsWith(prefix)).sort(([, a], [, b]) => b - a);
    if (rows.length > 0) console.log(`\n${title}`);
    for (const [name, count] of rows) {
      console.log(`  ${String(count).padStart(8)}  ${name.slice(prefix.length).replaceAll('_', ' ')}`);
    }
  };
  const rate = (seeds / seconds).toFixed(1);
  console.log(`${seeds} seeds in ${seconds.toFixed(1)} s (${rate} a second)`);
  const total = (name: string) => totals.get(name) ?? 0;
  console.log(
    `${total('iterations')} iterations, ${total('modelCalls')} model calls, ${total('toolRuns')} tool runs, ${total('deadLetters')} dead letters`,
  );
  section('Runs by outcome', 'outcome ');
  section('Faults injected', 'fault ');
  section('Processes killed at', 'kill ');
  section('Runs in which', 'row ');
  console.log('');
}

/** Shows the progress: one line that is overwritten on a terminal, elsewhere a line for every 250 seeds. */
function progress(done: number, of: number, seed: number, broken: number): void {
  const line = `${done} of ${of} seeds, at seed ${seed}, ${broken} broken`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (done % 250 === 0 || done === of) process.stderr.write(`${line}\n`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) {
    throw new InvalidArgumentError('It must be a whole number from 1 on.');
  }
  return value;
}
