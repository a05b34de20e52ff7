// Work that a test's time limit can end: in a thread of its own, because a function that does not return
// cannot be interrupted in this one.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CODE = `
  const { parentPort, workerData: { module, name } } = require('node:worker_threads');
  import(module).then((exports) => parentPort.on('message', (texts) => {
    texts.forEach((text) => exports[name](text));
    parentPort.postMessage('done');
  }));`;

/** Threads without work, by function: most of a thread's time is the loading of the module. */
const idle = new Map<string, Worker>();

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
  const key = `${module.href} ${name}`;
  const worker = idle.get(key) ?? new Worker(CODE, { eval: true, workerData: { module: module.href, name } });
  idle.delete(key);
  try {
    worker.ref();
    worker.postMessage(texts);
    await once(worker, 'message', { signal });
  } catch (error) {
    await worker.terminate();
    throw signal.aborted ? new Error(`${name} did not return in time`) : error;
  }
  worker.unref();
  idle.set(key, worker);
}
