#!/usr/bin/env node
// The command `scripted-gemini`. Plain JavaScript that Node 14 can parse. The sources are TypeScript, and run on the Node
// of the checkout if the running Node is older.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const CHECKOUT = new URL('../../../', import.meta.url);
const COMMAND = new URL('../src/command.ts', import.meta.url);
const OWN_NODE = new URL('node_modules/node/bin/node', CHECKOUT);
const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));

if (!existsSync(OWN_NODE)) {
  console.error(
    `scripted-gemini: run \`npm ci\` in ${fileURLToPath(CHECKOUT)} first: its packages are not installed`,
  );
  process.exitCode = 1;
} else if (isOlder(process.versions.node, devDependencies.node)) {
  runWithOwnNode();
} else {
  if (module.enableCompileCache) module.enableCompileCache();
  await import(COMMAND.href);
}

/** Compares versions like `20.9.0` and `20.10.1`. */
function isOlder(version, other) {
  const [numbers, others] = [version, other].map((text) => text.split('.').map(Number));
  const index = others.findIndex((number, at) => number !== numbers[at]);
  return index >= 0 && numbers[index] < others[index];
}

/** Runs the same command with the Node of the checkout, and exits with its code or signal. */
function runWithOwnNode() {
  const args = [fileURLToPath(COMMAND), ...process.argv.slice(2)];
  const child = spawn(fileURLToPath(OWN_NODE), args, { stdio: 'inherit' });
  // The terminal also sends Ctrl-C to the child, which ends at the first of both.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`scripted-gemini: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
