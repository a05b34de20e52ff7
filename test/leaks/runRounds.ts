// Runs scenarios until enough cases have been tried, in this process or in several. What is planted depends on the seed
// alone, so the order of the runs does not matter.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { runScenario, SCENARIO_NAMES, type ScenarioName, type ScenarioRun } from './runScenario.ts';

/** One scenario with one seed. */
export interface Task {
  scenario: ScenarioName;
  seed: number;
}

const WORKER = new URL('./worker.ts', import.meta.url);

/** All scenarios of seed after seed. */
export function* tasksFrom(
  seed: number,
  scenarios: readonly ScenarioName[] = SCENARIO_NAMES,
): Generator<Task, never> {
  for (let current = seed; ; current++) for (const scenario of scenarios) yield { scenario, seed: current };
}

/**
 * Runs tasks in `jobs` processes, this one alone if it is 1.
 * @param onRun called for each run as it ends; it returns false to start no further one.
 */
export async function runRounds(
  tasks: Iterator<Task>,
  jobs: number,
  onRun: (run: ScenarioRun) => boolean,
): Promise<void> {
  let isOver = false;
  const runAll = async (run: (task: Task) => Promise<ScenarioRun>): Promise<void> => {
    while (!isOver) {
      const { value: task, done } = tasks.next();
      if (done) return;
      const ended = await run(task);
      if (!isOver && !onRun(ended)) isOver = true;
    }
  };
  if (jobs === 1) return runAll(({ scenario, seed }) => runScenario(scenario, seed));
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const worker = fork(WORKER);
      try {
        await runAll((task) => askWorker(worker, task));
      } finally {
        worker.disconnect();
      }
    }),
  );
}

async function askWorker(worker: ChildProcess, task: Task): Promise<ScenarioRun> {
  const ended = new AbortController();
  const died = once(worker, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`the process of "${task.scenario}" with seed ${task.seed} died`);
  });
  worker.send(task);
  try {
    const [run] = await Promise.race([once(worker, 'message', { signal: ended.signal }), died]);
    return run as ScenarioRun;
  } finally {
    ended.abort();
    died.catch(() => undefined);
  }
}
