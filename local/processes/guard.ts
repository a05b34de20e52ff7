// The guard: runs one command in a process group of its own and ends it, with all it started, when the guard's
// standard input closes. The parent holds the other end of that pipe, so however the parent dies, SIGKILL included,
// the operating system closes it and nothing is left behind.
// Usage: node local/processes/guard.ts COMMAND [ARGUMENT...]. Exits as the command does (128 + number for a signal).

import { execFileSync, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** How long a command may take to end in good order before it is killed. Ctrl-C ends everything within 3 s: one is left for the rest. */
const GRACE_MS = 2_000;

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: guard.ts COMMAND [ARGUMENT...]');

const child = spawn(command, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
let family: number[] = [];
let ending = false;

child.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once('exit', (code, signal) => {
  killAll();
  process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
});
process.stdin.once('end', end).once('error', end).once('close', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);

function end(): void {
  if (ending || child.pid === undefined) return;
  ending = true;
  family = descendants(child.pid);
  send(-child.pid, 'SIGTERM');
  setTimeout(killAll, GRACE_MS);
}

/** Kills what is left of the group, and descendants that had made groups of their own. */
function killAll(): void {
  if (child.pid !== undefined) send(-child.pid, 'SIGKILL');
  for (const pid of family) send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** All processes below `root`; none where there is no `ps`, then only the group is ended. */
function descendants(root: number): number[] {
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
