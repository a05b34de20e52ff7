// A Pub/Sub in a process of its own, on a file, that can be killed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('./fixtures/server.ts', import.meta.url));

export interface ServerProcess {
  /** With SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Bytes of memory that the process has now. */
  memory(): Promise<number>;
}

/**
 * Starts one and waits until it listens.
 * @param aheadMs how much its clock is ahead of this machine's.
 */
export async function startServerProcess(file: string, port: number, aheadMs = 0): Promise<ServerProcess> {
  const child = spawn(process.execPath, [SERVER, file, `${port}`, `${aheadMs}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    memory: () => askMemory(child),
  };
}

async function askMemory(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('memory');
  return Number((await answer)[0]);
}
