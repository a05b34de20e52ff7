// Work that a test's time limit can end: in a thread of its own, because a function that does not return cannot be
// interrupted in this one.

import { Worker } from 'node:worker_threads';

const CODE = `
  const { workerData: { module, name, texts } } = require('node:worker_threads');
  import(module).then((exports) => texts.forEach((text) => exports[name](text)));`;

/**
 * Calls a function with each of the texts, one after another; resolves when all calls have returned.
 * @param module of the function, for example `new URL('./parse.ts', import.meta.url)`.
 * @param signal of the test: at its time limit the thread is ended.
 * @throws what the function throws; an Error when the time is up.
 */
export async function runInThread(
  module: URL,
  name: string,
  texts: string[],
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(CODE, { eval: true, workerData: { module: module.href, name, texts } });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`${name} did not return in time`)),
      );
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
