// Runs tasks in one or several processes. Results depend only on tasks, so order is free.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const WORKER = new URL('./worker.ts', import.meta.url);

/** A module that runs tasks. Tasks and results are sent between processes as structured clones. */
export interface TaskModule<T, R> {
  runTask(task: T): Promise<R>;
}

/** The tasks of a pool, and the module that runs them. */
export interface Pool<T, R> {
  /** The URL of a module of the form `TaskModule`. */
  module: URL;
  tasks: Iterable<T>;
  /** The number of processes; 1 is this process. */
  jobs: number;
  /** Called for each result. Returns false to stop: no further task or result. */
  onResult(result: R): boolean;
}

/**
 * Runs the tasks, each once.
 * @throws the error of a task, or Error when a process dies.
 */
export async function runTasks<T, R>({ module, tasks, jobs, onResult }: Pool<T, R>): Promise<void> {
  const iterator = tasks[Symbol.iterator]();
  let isStopped = false;
  const runUntilStopped = async (run: (task: T) => Promise<R>): Promise<void> => {
    while (!isStopped) {
      const { value: task, done } = iterator.next();
      if (done) return;
      const result = await run(task);
      if (!isStopped && !onResult(result)) isStopped = true;
    }
  };
  if (jobs === 1) {
    const { runTask }: TaskModule<T, R> = await import(module.href);
    return runUntilStopped(runTask);
  }
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const worker = fork(WORKER, [module.href], { serialization: 'advanced' });
      try {
        await runUntilStopped((task) => askWorker(worker, task));
      } catch (error) {
        isStopped = true;
        throw error;
      } finally {
        worker.disconnect();
      }
    }),
  );
}

async function askWorker<T, R>(worker: ChildProcess, task: T): Promise<R> {
  const ended = new AbortController();
  const died = once(worker, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`the process of the task ${JSON.stringify(task)} died`);
  });
  worker.send(task as object);
  try {
    const [result] = await Promise.race([once(worker, 'message', { signal: ended.signal }), died]);
    return result as R;
  } finally {
    ended.abort();
    died.catch(() => undefined);
  }
}
