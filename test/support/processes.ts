// The processes that a command started, its grandchildren included: found by a mark in their environment.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/**
 * An environment that marks every process started with it. Tool servers inherit only some variables; this is
 * one. `running` lists the marked processes: id and command line.
 */
export function marked(): { env: Record<string, string>; running(): { pid: number; command: string }[] } {
  const mark = `inquest-${randomUUID()}`;
  return {
    env: { LOGNAME: mark },
    running() {
      // With `e`, the environment stands after the command line.
      const table = execFileSync('ps', ['axeww', '-o', 'pid=,command='], {
        encoding: 'utf8',
        maxBuffer: 2 ** 27,
      });
      return table
        .split('\n')
        .filter((line) => line.includes(`LOGNAME=${mark}`))
        .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().slice(0, 200) }));
    },
  };
}

/** Kills the one process with this command line, not its guard. */
export function killOne(running: { pid: number; command: string }[], pattern: RegExp): void {
  const found = running.filter(
    ({ command }) => pattern.test(command) && !command.includes('processGuard.ts'),
  );
  if (found.length !== 1) throw new Error(`${found.length} processes with ${pattern}, not one`);
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
}
