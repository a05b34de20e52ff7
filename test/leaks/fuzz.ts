// `npm run fuzz`: plants secrets in everything that Inquest reads, and looks for them in everything that it writes.

import { Command, InvalidArgumentError, Option } from 'commander';
import { Interrupted, interruptSignal } from '../../cli/process/interrupt.ts';
import { runRounds, tasksFrom } from './runRounds.ts';
import { type Leak, SCENARIO_NAMES, type ScenarioName, type ScenarioRun } from './runScenario.ts';

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

async function run({ cases, seed, jobs, scenario, keepGoing }: Options): Promise<number> {
  const startedAt = performance.now();
  const signal = interruptSignal();
  const fields = new Set<string>();
  const leaks = new Map<string, number>();
  let done = 0;
  let runs = 0;
  let lastSeed = seed;
  const tasks = tasksFrom(seed, scenario === undefined ? undefined : [scenario]);
  await runRounds(tasks, jobs, (ended) => {
    runs++;
    done += ended.cases;
    lastSeed = Math.max(lastSeed, ended.seed);
    for (const field of ended.fields) fields.add(field);
    for (const leak of ended.leaks) noteLeak(leak, ended, leaks);
    progress(done, cases, runs, leaks.size);
    return done < cases && !signal.aborted && (keepGoing === true || leaks.size === 0);
  });
  clearProgress();

  const seconds = (performance.now() - startedAt) / 1000;
  const rate = (done / seconds).toFixed(0);
  console.log(
    `${done} cases in ${fields.size} fields, ${runs} runs, seeds ${seed} to ${lastSeed}, in ${seconds.toFixed(1)} s (${rate} a second)`,
  );
  if (signal.aborted) console.log(`Interrupted after ${done} of ${cases} cases.`);
  console.log(leaks.size === 0 ? 'No secret came out.' : `Secrets came out in ${leaks.size} ways.`);
  if (leaks.size > 0) return 1;
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : 0;
}

/** Prints the first leak of a field into an output. */
function noteLeak(leak: Leak, { scenario, seed }: ScenarioRun, leaks: Map<string, number>): void {
  const way = `${leak.field} -> ${leak.output}`;
  const count = leaks.get(way) ?? 0;
  leaks.set(way, count + 1);
  if (count > 0 || leaks.size > MAX_SHOWN) return;
  clearProgress();
  console.log(`seed ${seed}: "${leak.field}" came out in: ${leak.output} (${leak.kind}, ${leak.encoding})`);
  console.log(`  ${JSON.stringify(leak.excerpt)}`);
  console.log(`  to see it again: npm run fuzz -- --seed ${seed} --cases 1 --scenario "${scenario}"`);
}

/** One line that is overwritten on a terminal, elsewhere a line for every 100 runs. */
function progress(done: number, of: number, runs: number, leaks: number): void {
  const line = `${done} of ${of} cases, ${leaks} leaks`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (runs % 100 === 0) process.stderr.write(`${line}\n`);
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
