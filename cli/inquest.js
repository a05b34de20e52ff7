#!/usr/bin/env node
// The command `inquest`. Plain JavaScript without what Node 14 cannot parse: the commands are TypeScript, and where the Node
// that runs is older than the project's own, they are handed to that one.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Until there is something to end in order, a signal ends the process with the shell's code for it.
for (const signal of SIGNALS) process.on(signal, () => process.exit(128 + constants.signals[signal]));

const PROJECT = new URL('../', import.meta.url);
const COMMANDS = new URL('cli/cli.ts', PROJECT);
const OWN_NODE = new URL('node_modules/node/bin/node', PROJECT);

/** Compiled modules, for the next start: of this process and of all it starts, which inherit the variable. */
if (!process.env.NODE_COMPILE_CACHE) {
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('node_modules/.cache/compiled', PROJECT));
}

const { engines, devDependencies, version } = JSON.parse(
  readFileSync(new URL('package.json', PROJECT), 'utf8'),
);
const isTooOld = isOlder(process.versions.node, devDependencies.node);

const isVersion = process.argv.length === 3 && ['version', '-V', '--version'].includes(process.argv[2]);

if (isVersion) {
  // Needs no other module.
  process.stdout.write(`${version}\n`);
} else if (!existsSync(new URL('node_modules', PROJECT)) || (isTooOld && !existsSync(OWN_NODE))) {
  console.error(`inquest: ${whatToInstall(engines.node.replace('>=', ''))}`);
  process.exitCode = 1;
} else if (isTooOld) {
  runWithOwnNode();
} else {
  if (module.enableCompileCache) module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(COMMANDS.href);
}

/** What is missing to run a command, in one sentence. `oldest` is the oldest Node that the packages are installed with. */
function whatToInstall(oldest) {
  const folder = fileURLToPath(PROJECT);
  if (!isOlder(process.versions.node, oldest)) {
    return `run \`npm ci\` in ${folder} first: its packages are not installed`;
  }
  return `this is Node ${process.versions.node}: install Node ${oldest} or newer, then run \`npm ci\` in ${folder}`;
}

/** Compares versions like `20.9.0` and `20.10.1`. */
function isOlder(version, other) {
  const [numbers, others] = [version, other].map((text) => text.split('.').map(Number));
  const index = others.findIndex((number, at) => number !== numbers[at]);
  return index >= 0 && numbers[index] < others[index];
}

/** Runs the same command with the project's own Node, and ends as it does. */
function runWithOwnNode() {
  const node = fileURLToPath(OWN_NODE);
  // As npm does: a tool server that is started as `node` gets the project's own, too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const args = [fileURLToPath(COMMANDS), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit', env });
  // Ctrl-C reaches the child from the terminal, too; interrupt.ts takes both for one.
  for (const signal of SIGNALS) {
    const earlier = process.listeners(signal);
    // Comes first: Node drops a signal that waits for its listener when the last listener is removed.
    process.on(signal, () => child.kill(signal));
    for (const listener of earlier) process.removeListener(signal, listener);
  }
  child.once('error', (error) => {
    console.error(`inquest: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
