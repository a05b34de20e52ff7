// `npm run capacity`: how many investigations at the same time a deployment carries, and what carries more.
// docs/scale.md has its results.

import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { calibrate } from './calibrate.ts';
import { countOperations } from './countOperations.ts';
import { findSettings } from './findSettings.ts';
import { defaultInputs, readProfile } from './inputs.ts';
import { reportInputs, reportSettings } from './report.ts';

interface Options {
  investigations: number;
  profile?: string;
  seed: number;
  calibrate?: boolean;
}

const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/inquest-capacity', import.meta.url));
// The SDKs would look for Google's metadata server, which is not on this machine.
process.env.METADATA_SERVER_DETECTION = 'none';

const program = new Command('capacity')
  .description(
    'Simulates investigations on Pub/Sub, Cloud Run, Firestore and a model. Counts the operations of the code in the same run, and prints the inputs with their sources, the limit that is reached first, instance-seconds, operations, dollars an hour, the age of the oldest message, and settings that carry the investigations. The same seed gives the same output.',
  )
  .option('--investigations <count>', 'how many are open at the same time', parseCount, 1_000)
  .option('--profile <file>', 'inputs that override the printed ones; YAML or JSON, `model: { seconds: 12 }`')
  .option('--seed <seed>', 'the random numbers of the simulation', parseCount, 1)
  .option(
    '--calibrate',
    'instead: measure the processor time of 20, 60 and 100 investigations of the local system, three times; some minutes on a quiet machine',
  )
  .showHelpAfterError()
  .parse();
const options = program.opts<Options>();
const note = (line: string) => console.error(`${line} …`);

try {
  const inputs = options.profile === undefined ? defaultInputs() : readProfile(options.profile);
  if (options.calibrate) {
    await mkdir(FOLDER, { recursive: true });
    for (const line of await calibrate(FOLDER, inputs, note)) console.log(line);
    await rm(FOLDER, { recursive: true });
  } else {
    note('counts the operations of investigations');
    const counted = await countOperations(inputs);
    const { investigations, seed } = options;
    for (const line of reportInputs(inputs, counted, investigations)) console.log(line);
    const settings = findSettings(inputs, counted, investigations, seed, note);
    for (const line of ['', ...reportSettings(inputs, counted, investigations, settings)]) console.log(line);
    console.log('\nFirestore, Pub/Sub, Cloud Run and the model were not measured: docs/scale.md.');
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return count;
}
