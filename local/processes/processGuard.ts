// The guard: runs one command in a separate process group, and ends it with its descendants when the standard
// input of the guard closes. The parent holds the other end of that pipe, so the operating system closes it
// even after SIGKILL. The first line of the input is the environment of the command as JSON: other processes
// can read the guard's own, so it has no secret. Usage: node local/processes/processGuard.ts COMMAND
// [ARGUMENT...]. Exits as the command does (128 + number for a signal).

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';

/** From SIGTERM to SIGKILL. Ctrl-C ends all processes within 3 s: one second is left for the other steps. */
const GRACE_MS = 2_000;

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: processGuard.ts COMMAND [ARGUMENT...]');

let child: ChildProcess | undefined;
let descendantPids: number[] = [];
let isStopping = false;

createInterface(process.stdin).once('line', (env) => startChild(command, JSON.parse(env)));
process.stdin.once('end', stopChild).once('error', stopChild).once('close', stopChild);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopChild);

function startChild(program: string, env: NodeJS.ProcessEnv): void {
  child = spawn(program, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'], env });
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.once('exit', (code, signal) => {
    killAll();
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
  });
}

function stopChild(): void {
  if (isStopping) return;
  isStopping = true;
  if (child?.pid === undefined) process.exit(0);
  descendantPids = findDescendants(child.pid);
  sendSignal(-child.pid, 'SIGTERM');
  setTimeout(killAll, GRACE_MS);
}

/** Kills the rest of the group, and descendants with process groups of their own. */
function killAll(): void {
  if (child?.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
  for (const pid of descendantPids) sendSignal(pid, 'SIGKILL');
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** All descendants of a process. Empty without `ps`: then only the process group ends. */
function findDescendants(root: number): number[] {
  const children = new Map<number, number[]>();
  try {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: GRACE_MS });
    for (const line of table.trim().split('\n')) {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    }
  } catch {
    return [];
  }
  const found: number[] = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const below = children.get(pid) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}
