// Notices that an emulator has died: by the end of its process, or, where it was not started here, by its silence.

import { connect } from 'node:net';
import type { GuardedProcess } from '../processes/childProcess.ts';

/** Between two looks at an emulator that was started elsewhere. */
const LOOK_EVERY_MS = 1_000;
/** One refused connection may be a restart. */
const REFUSALS = 2;

/** An emulator that runs: as a process of ours, or somewhere else. */
export interface Watched {
  /** For people: `the Firestore emulator at 127.0.0.1:8080`. */
  name: string;
  /** `host:port` */
  host: string;
  process?: GuardedProcess | undefined;
}

/**
 * Resolves with the error of the first one that dies; never, if `stopped` aborts before.
 * The error says how it ended and what it wrote last.
 */
export function firstDeath(watched: readonly Watched[], stopped: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    const report = (error: Error) => !stopped.aborted && resolve(error);
    for (const emulator of watched) {
      if (emulator.process === undefined) watchPlace(emulator, stopped, report);
      else void watchProcess(emulator.name, emulator.process).then(report);
    }
  });
}

async function watchProcess(name: string, process: GuardedProcess): Promise<Error> {
  const how = await process.exited;
  const lines = process.lastLines();
  const output = lines.length > 0 ? ` Its last output:\n  ${lines.join('\n  ')}` : '';
  return new Error(`${name} ended with ${how}; nothing works without it.${output}`);
}

function watchPlace({ name, host }: Watched, stopped: AbortSignal, report: (error: Error) => void): void {
  let refusals = 0;
  const timer = setInterval(async () => {
    refusals = (await isRefused(host)) ? refusals + 1 : 0;
    if (refusals < REFUSALS) return;
    clearInterval(timer);
    report(new Error(`${name} does not answer any more; nothing works without it`));
  }, LOOK_EVERY_MS).unref();
  stopped.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Whether nothing listens at `host:port`. A place that is slow or cannot be looked up is not dead. */
export function isRefused(host: string): Promise<boolean> {
  const { hostname, port } = new URL(`http://${host}`);
  return new Promise((resolve) => {
    const socket = connect(Number(port || 80), hostname.replace(/^\[(.*)\]$/, '$1'));
    socket.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
