// `npm run bench`: the numbers of docs/performance.md, measured side by side in one run. Prints; never judges.
// `npm run bench -- cloud` measures one part alone: loads, iterations, cloud or masking.

import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildFunctions } from '../deploy/build.ts';
import { measureCloud } from './bench/cloud.ts';
import { measureIterations } from './bench/iterations.ts';
import { measureMasking } from './bench/masking.ts';
import { startEmulators } from './emulators.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Below the project, so that the bundle finds the functions-framework. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'inquest-bench');
const LOADS = 11;
// The SDKs would look for Google's metadata server, which is not on this machine.
process.env.METADATA_SERVER_DETECTION = 'none';

const PARTS: Record<string, () => Promise<void>> = {
  loads: loadTimes,
  iterations: iterationTimes,
  cloud: () => measureCloud(FOLDER),
  masking: measureMasking,
};
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

await mkdir(FOLDER, { recursive: true });
try {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (asked.length === 0 || asked.includes(name)) await measure();
  }
} finally {
  await rm(FOLDER, { recursive: true, force: true });
}

/** Each load in a process of its own, the candidates taking turns, so that the machine's moods hit all alike. */
async function loadTimes(): Promise<void> {
  const bundle = join(FOLDER, 'functions');
  await buildFunctions(bundle);
  const lib = join(bundle, 'lib');
  const candidates: Record<string, string[]> = {
    'runIteration, the deployed bundle': [join(lib, 'runIteration.js')],
    'functions-framework alone': ['@google-cloud/functions-framework'],
    'firestore + pubsub + genai, plainly': [
      '@google-cloud/firestore',
      '@google-cloud/pubsub',
      '@google/genai',
    ],
  };
  const times = new Map<string, number[]>();
  for (let round = 0; round < LOADS; round++) {
    for (const [name, modules] of Object.entries(candidates)) {
      times.set(name, [...(times.get(name) ?? []), await loadOnce(modules)]);
    }
  }
  console.log(`Module load, ${LOADS} processes each, ms (min / median / max)`);
  for (const [name, values] of times) console.log(`  ${name.padEnd(38)} ${spread(values)}`);
}

async function loadOnce(modules: string[]): Promise<number> {
  const imports = modules.map((module) => `await import(${JSON.stringify(module)});`).join(' ');
  const script = `const t = performance.now(); ${imports} console.log(performance.now() - t); process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
  });
  return Number(stdout.trim().split('\n').at(-1));
}

async function iterationTimes(): Promise<void> {
  const projectId = 'demo-bench';
  const emulators = await startEmulators({ projectId });
  process.env.GOOGLE_CLOUD_PROJECT = projectId;
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  try {
    for (const iterations of [50, 200]) {
      const instances = await measureIterations(iterations);
      console.log(`\n${iterations} iterations, instant model, one 2 kB tool result each, local cloud`);
      for (const [name, { times, cpuTimes, early, late }] of Object.entries(instances)) {
        console.log(`  ${name} instance`);
        console.log(`    ms an iteration (min / median / max)   ${spread(times)}`);
        console.log(`    median of the first and last 10, ms    ${ends(times)}`);
        console.log(`    processor ms (min / median / max)      ${spread(cpuTimes)}`);
        console.log(`    median of the first and last 10, ms    ${ends(cpuTimes)}`);
        console.log(`    commits, iteration 5 and the last      ${early.commits} / ${late.commits}`);
        console.log(`    documents written, same                ${early.documents} / ${late.documents}`);
        console.log(`    bytes written, same                    ${early.bytes} / ${late.bytes}`);
        console.log(`    read calls, same                       ${early.reads} / ${late.reads}`);
      }
    }
  } finally {
    await emulators.stop();
  }
}

/** The first iteration is left out: it opens the connections. */
function ends(values: number[]): string {
  return `${median(values.slice(1, 11))} / ${median(values.slice(-10))}`;
}

function spread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[0] ?? 0, Number(median(values)), sorted.at(-1) ?? 0]
    .map((value) => value.toFixed(1))
    .join(' / ');
}

function median(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}
