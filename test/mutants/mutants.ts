// `npm run mutants`: breaks one line of the source at a time and runs the check that has to fail: seeds of
// the simulation, scenarios of the fuzz, or a file of unit tests. `npm test` does not: a mutant costs up to
// some seconds.

import { writeFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { MUTANTS as LEAK_MUTANTS } from '../leaks/mutants.ts';
import { PINNED_SEEDS, readPinnedSeeds, MUTANTS as SIMULATION_MUTANTS } from '../simulation/mutants.ts';
import type { TextChange } from '../support/mutant.ts';
import { rateOf, runCampaign, wholeNumber } from './campaign.ts';
import type { MutantRun } from './mutantSuite.ts';
import { UNIT_MUTANTS } from './unit/unitMutants.ts';

interface Suite {
  mutants: Record<string, TextChange>;
  /** The module that runs one mutant. */
  module: URL;
}

const SUITES: Record<string, Suite> = {
  simulation: { mutants: SIMULATION_MUTANTS, module: new URL('../simulation/mutants.ts', import.meta.url) },
  unit: { mutants: UNIT_MUTANTS, module: new URL('./unit/runMutant.ts', import.meta.url) },
  leaks: { mutants: LEAK_MUTANTS, module: new URL('../leaks/mutants.ts', import.meta.url) },
};

interface Options {
  suite?: string;
  jobs: number;
  pin?: boolean;
  moved?: boolean;
}

const program = new Command('mutants')
  .description('Breaks one line of the source at a time and checks that a test fails.')
  .addArgument(new Argument('[part]', 'a part of the name or of the file of the mutants to run').default(''))
  .addOption(new Option('--suite <name>', 'run only this suite').choices(Object.keys(SUITES)))
  .option('--jobs <count>', 'how many processes to run them in', wholeNumber, 1)
  .option('--pin', 'pin for each mutant of the simulation the cheapest seed that detects it')
  .option('--moved', 'with --pin: keep seeds that still detect their mutant')
  .showHelpAfterError()
  .parse();

const { suite, jobs, pin = false, moved = false } = program.opts<Options>();
for (const [name, { mutants, module }] of Object.entries(SUITES)) {
  if ((suite !== undefined && suite !== name) || (pin && name !== 'simulation')) continue;
  const code = await runSuite(name, mutants, module);
  process.exitCode ||= code;
  // Only an interrupt has a higher code.
  if (code > 1) break;
}

/** Runs the mutants of a suite that the command line selects. @returns the exit code. */
async function runSuite(
  suiteName: string,
  mutants: Record<string, TextChange>,
  module: URL,
): Promise<number> {
  const part = program.args[0] ?? '';
  const names = Object.keys(mutants).filter((name) => `${mutants[name]?.file} ${name}`.includes(part));
  if (names.length === 0) return 0;
  const seeds = readPinnedSeeds();
  const end = await runCampaign<{ name: string; isPinning: boolean }, MutantRun>({
    module,
    tasks: names.map((name) => ({ name, isPinning: pin && !moved })),
    jobs,
    unit: 'mutants',
    total: names.length,
    keepGoing: true,
    isFailure: ({ detectedBy }) => detectedBy === undefined,
    linesOf: ({ name, detectedBy, seed }) => {
      if (pin && seed !== undefined) {
        seeds[name] = seed;
        const pinned = Object.keys(SIMULATION_MUTANTS).map((pinnedName) => [pinnedName, seeds[pinnedName]]);
        writeFileSync(PINNED_SEEDS, `${JSON.stringify(Object.fromEntries(pinned), null, 2)}\n`);
      }
      return [detectedBy === undefined ? `survives: ${name}` : `${name}: ${detectedBy}`];
    },
  });
  console.log(`${suiteName}: ${rateOf(end, 'mutants')}, ${end.failures} survived`);
  return end.exitCode;
}
