// A service's instance: a process in the archive's folder, with the declared environment.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptsConnections, freePorts } from '../../local/processes/ports.ts';
import type { Rights } from './rights.ts';
import type { ServiceSettings } from './settings.ts';

const PROBE_INTERVAL_MS = 30;

/** The only instance of a service, which starts with the first call and after it has died. */
export interface Instance {
  /** The process's port, when it accepts connections. @throws Error with its output if it ends before. */
  port(): Promise<number>;
  /** Ends the process at once, as the kernel does that has no more memory. */
  kill(): Promise<void>;
}

/**
 * An instance that does not run yet.
 * @param folder the extracted archive.
 * @param env variables beside those that the settings declare: addresses of this machine, and secrets that
 * need a form.
 * @param rights an instance whose account must not read its secrets does not start.
 */
export function createInstance(
  { command, args, environment, secrets, service_account: account }: ServiceSettings,
  folder: string,
  env: Record<string, string>,
  rights: Rights,
): Instance {
  let running: Promise<{ child: ChildProcess; port: number }> | undefined;
  const values = Object.fromEntries(Object.keys(secrets).map((name) => [name, `secret-${name}`]));

  const start = async () => {
    for (const { secret } of Object.values(secrets))
      if (!rights.allows(`serviceAccount:${account}`, 'roles/secretmanager.secretAccessor', secret))
        throw new Error(`${account} must not read ${secret}`);
    const [port = 0] = await freePorts(1);
    const child = spawn(command[0], args, {
      cwd: folder,
      env: { ...environment, ...values, ...env, PORT: String(port), PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('exit', () => {
      running = undefined;
    });
    while (!(await acceptsConnections(port))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${args.join(' ')} ended: ${output}`);
      await sleep(PROBE_INTERVAL_MS);
    }
    return { child, port };
  };

  return {
    async port() {
      running ??= start().catch((error: unknown) => {
        running = undefined;
        throw error;
      });
      return (await running).port;
    },
    async kill() {
      if (running === undefined) return;
      const { child } = await running;
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
