// Measures the processor time of the functions' process in the whole local system, derives that of a call and
// of a new process from the smallest and the largest number of investigations, and checks the simulation
// with the number between them.

import { measureAtOnce } from '../wholeSystem.ts';
import { countOperations } from './countOperations.ts';
import type { Inputs } from './inputs.ts';
import { simulate } from './simulate.ts';

const FEW = 20;
const CHECKED = 60;
const MANY = 100;
const ROUNDS = 3;
/** Of each, with 2 kB in a result. */
const ITERATIONS = 10;

/** @returns the lines of the report. */
export async function calibrate(
  folder: string,
  inputs: Inputs,
  note: (line: string) => void,
): Promise<string[]> {
  const measured = new Map<number, number[]>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const investigations of [FEW, MANY, CHECKED]) {
      note(`round ${round}: runs ${investigations} investigations`);
      const settings = {
        investigations,
        iterationsEach: ITERATIONS,
        resultBytes: 2_000,
        functionHeap: false,
      };
      const { cpuMs, iterations } = await measureAtOnce(folder, settings);
      if (cpuMs === undefined)
        throw new Error('This system has no /proc: processor time cannot be measured.');
      measured.set(investigations, [...(measured.get(investigations) ?? []), (cpuMs * iterations) / 1000]);
    }
  }
  const medianOf = (investigations: number) => median(measured.get(investigations) ?? []);
  const each = (medianOf(MANY) - medianOf(FEW)) / (MANY - FEW);
  const investigation = { ...inputs.investigation, iterations: ITERATIONS };
  const counted = await countOperations({ ...inputs, investigation }, FEW);
  const calls = counted.investigations.flat().length / FEW;
  const run = {
    ...inputs.run,
    startProcessorSeconds: medianOf(FEW) - FEW * each,
    callProcessorSeconds: each / calls,
  };
  const simulated = simulateLocally({ ...inputs, investigation, run }, counted);
  const deviation = (100 * (simulated - medianOf(CHECKED))) / medianOf(CHECKED);
  return [
    'Processor seconds of the functions, investigations at once (three runs)',
    ...[...measured].map(
      ([investigations, seconds]) =>
        `  ${String(investigations).padStart(4)}  ${seconds.map((value) => value.toFixed(1)).join(' / ')}`,
    ),
    `run.startProcessorSeconds  ${run.startProcessorSeconds.toFixed(2)}`,
    `run.callProcessorSeconds   ${run.callProcessorSeconds.toFixed(4)}`,
    `Simulated with ${CHECKED}: ${simulated.toFixed(1)}, ${deviation.toFixed(0)} % from what was measured`,
  ];
}

/** The processor seconds of one process with a model and a cloud that answer at once. */
function simulateLocally(inputs: Inputs, counted: Parameters<typeof simulate>[1]): number {
  const local: Inputs = {
    ...inputs,
    model: { ...inputs.model, seconds: 0, requestsPerMinute: 1e9, tokensPerMinute: 1e12 },
    tools: { seconds: 0 },
    runIteration: { maxInstances: 1, concurrency: 1_000 },
    ingestAlert: { maxInstances: 1, concurrency: 1_000 },
    firestore: { ...inputs.firestore, documentWrites: 1e9, indexWrites: 1e9, warmMinutes: 120 },
  };
  const { processorSeconds } = simulate(local, counted, { open: CHECKED, isBurst: true }, 1);
  // The functions of the local system share one process, which starts once.
  return processorSeconds - inputs.run.startProcessorSeconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
