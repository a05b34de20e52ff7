// Runs many tasks with progress, an orderly Ctrl-C, and a report: `simulate`, `fuzz`, `mutants`.

import { InvalidArgumentError } from 'commander';
import { Interrupted, interruptSignal } from '../../cli/process/interrupt.ts';
import { type Pool, runTasks } from './pool.ts';

/** Where no terminal shows the progress, a line is printed this often. */
const PROGRESS_MS = 10_000;

/** The tasks of a campaign, and how its results are reported. */
export interface Campaign<T, R> extends Omit<Pool<T, R>, 'onResult'> {
  /** What is counted, as a plural: `seeds`. */
  unit: string;
  /** How many of them run: for a task, 1 unless `sizeOf` returns another number. */
  total: number;
  sizeOf?: (result: R) => number;
  /** Whether tasks continue to run after the first failure. */
  keepGoing: boolean;
  isFailure(result: R): boolean;
  /** Notes a result. @returns the lines to print about it. */
  linesOf(result: R): string[];
}

/** The result of a campaign. */
export interface CampaignEnd {
  /** In `unit`. */
  done: number;
  failures: number;
  /** In seconds. */
  duration: number;
  /** For the process: the shell's code after an interrupt, 1 after a failure, else 0. */
  exitCode: number;
}

/** Runs a campaign to its end, a failure without `keepGoing`, or Ctrl-C; a second one exits. */
export async function runCampaign<T, R>(campaign: Campaign<T, R>): Promise<CampaignEnd> {
  const { unit, total, sizeOf = () => 1, keepGoing, isFailure, linesOf } = campaign;
  const startedAt = performance.now();
  const signal = interruptSignal();
  const progress = createProgress();
  let done = 0;
  let failures = 0;
  await runTasks<T, R>({
    ...campaign,
    onResult: (result) => {
      done += sizeOf(result);
      if (isFailure(result)) failures++;
      progress.clear();
      for (const line of linesOf(result)) console.log(line);
      progress.show(`${done} of ${total} ${unit}, ${failures} failed`);
      return done < total && !signal.aborted && (keepGoing || failures === 0);
    },
  });
  progress.clear();
  if (signal.aborted) console.log(`Interrupted after ${done} of ${total} ${unit}.`);
  const interrupted = signal.reason instanceof Interrupted ? signal.reason.exitCode : 0;
  return {
    done,
    failures,
    duration: (performance.now() - startedAt) / 1000,
    exitCode: interrupted || Number(failures > 0),
  };
}

/** One line that is overwritten on a terminal; elsewhere a line from time to time. */
function createProgress(): { show(line: string): void; clear(): void } {
  const { stderr } = process;
  let shownAt = performance.now();
  return {
    show(line) {
      if (stderr.isTTY) stderr.write(line);
      else if (performance.now() - shownAt > PROGRESS_MS) {
        shownAt = performance.now();
        stderr.write(`${line}\n`);
      }
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}

/** `120 seeds in 4.0 s (30 a second)`, in the unit of the campaign. */
export function rateOf({ done, duration }: CampaignEnd, unit: string): string {
  return `${done} ${unit} in ${duration.toFixed(1)} s (${(done / duration).toFixed(1)} a second)`;
}

/** Reads a number of the command line. @throws InvalidArgumentError if it is no whole number from 1 on. */
export function wholeNumber(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 2 ** 31 - 1) {
    throw new InvalidArgumentError('It must be a whole number from 1 on.');
  }
  return value;
}
