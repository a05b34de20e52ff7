// Detects a dead emulator: its process ended or, if started elsewhere, it refuses connections.

import { connect } from 'node:net';
import type { GuardedProcess } from '../processes/childProcess.ts';

/** Between two probes of an emulator that was started elsewhere. */
const PROBE_EVERY_MS = 1_000;
/** A single refused connection can be a restart. */
const REFUSALS = 2;

interface Watched {
  /** For messages: `the Firestore emulator at 127.0.0.1:8080`. */
  name: string;
  /** `host:port` */
  host: string;
  /** Absent when it was started elsewhere. */
  process?: GuardedProcess | undefined;
}

/**
 * Resolves with an error when the first emulator dies. The error has its exit code and its last output. Never
 * resolves when `stopped` aborts before.
 */
export function firstDeath(watched: readonly Watched[], stopped: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    const report = (error: Error) => !stopped.aborted && resolve(error);
    for (const emulator of watched) {
      if (emulator.process === undefined) watchHost(emulator, stopped, report);
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

function watchHost({ name, host }: Watched, stopped: AbortSignal, report: (error: Error) => void): void {
  let refusals = 0;
  const timer = setInterval(async () => {
    refusals = (await isRefused(host)) ? refusals + 1 : 0;
    if (refusals < REFUSALS) return;
    clearInterval(timer);
    report(new Error(`${name} does not answer any more; nothing works without it`));
  }, PROBE_EVERY_MS).unref();
  stopped.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Whether `host:port` refuses connections. A slow host or a failed DNS lookup does not count. */
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
