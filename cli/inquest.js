#!/usr/bin/env node
// The command `inquest`. Plain JavaScript that Node 14 can parse. The commands are TypeScript; if the running Node is older
// than the project's own, it runs them with the project's Node.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Until a command handles signals, a signal ends the process with the shell's code for it.
for (const signal of SIGNALS) process.on(signal, () => process.exit(128 + constants.signals[signal]));

const PROJECT = new URL('../', import.meta.url);
const SOURCES = new URL('cli/cli.ts', PROJECT);
// The package has compiled modules in place of the sources, and no Node of its own.
const isCheckout = existsSync(SOURCES);
const COMMANDS = isCheckout ? SOURCES : new URL('lib/cli/cli.js', PROJECT);
const OWN_NODE = new URL('node_modules/node/bin/node', PROJECT);

/** Caches compiled modules for later starts. Child processes inherit the variable. */
if (!process.env.NODE_COMPILE_CACHE) {
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('node_modules/.cache/compiled', PROJECT));
}

const { engines, devDependencies, version } = JSON.parse(
  readFileSync(new URL('package.json', PROJECT), 'utf8'),
);
const oldest = engines.node.replace('>=', '');
const isTooOld = isOlder(process.versions.node, isCheckout ? devDependencies.node : oldest);

const isVersion = process.argv.length === 3 && ['version', '-V', '--version'].includes(process.argv[2]);

if (isVersion) {
  // Answered without loading another module.
  process.stdout.write(`${version}\n`);
} else if (
  (isCheckout && !existsSync(new URL('node_modules', PROJECT))) ||
  (isTooOld && !existsSync(OWN_NODE))
) {
  console.error(`inquest: ${whatToInstall()}`);
  process.exitCode = 1;
} else if (isTooOld) {
  runWithOwnNode();
} else {
  if (module.enableCompileCache) module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(COMMANDS.href);
}

/** The installation step that is missing, in one sentence. */
function whatToInstall() {
  const folder = fileURLToPath(PROJECT);
  if (!isOlder(process.versions.node, oldest)) {
    return `run \`npm ci\` in ${folder} first: its packages are not installed`;
  }
  const then = isCheckout ? `, then run \`npm ci\` in ${folder}` : '';
  return `this is Node ${process.versions.node}: install Node ${oldest} or newer${then}`;
}

/** Compares versions like `20.9.0` and `20.10.1`. */
function isOlder(version, other) {
  const [numbers, others] = [version, other].map((text) => text.split('.').map(Number));
  const index = others.findIndex((number, at) => number !== numbers[at]);
  return index >= 0 && numbers[index] < others[index];
}

/** Runs the same command with the project's own Node, and exits with its code or signal. */
function runWithOwnNode() {
  const node = fileURLToPath(OWN_NODE);
  // As npm does: a tool server that is started as `node` also runs with the project's own.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const args = [fileURLToPath(COMMANDS), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit', env });
  // The terminal also sends Ctrl-C to the child; interrupt.ts treats both signals as one.
  for (const signal of SIGNALS) {
    const earlier = process.listeners(signal);
    // Added before the other is removed: when the last listener is removed, Node drops a pending signal.
    process.on(signal, () => child.kill(signal));
    for (const listener of earlier) process.removeListener(signal, listener);
  }
  child.once('error', (error) => {
    console.error(`inquest: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
