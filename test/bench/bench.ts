// `npm run bench`: the numbers of docs/performance.md, measured side by side in one run. Prints; never
// judges. `npm run bench -- cloud` measures one part alone: loads, cold, iterations, tools, bytes, system,
// storms, copies, api, web, money, thinking, cloud, deliveries, masking, memory, statements or engine.
// `--against COMMIT` has the iterations of that commit's code take their turns beside ours.
// `--variants warm,floor` selects the contestants of the iterations.

import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Argument, Command } from 'commander';
import { buildFunctions } from '../../deploy/build.ts';
import { startEmulators } from '../../local/emulators/emulators.ts';
import { writePage } from '../support/pageFixture.ts';
import { measureApi } from './api.ts';
import { measureCloud } from './cloud.ts';
import { codeOfCommit } from './code.ts';
import { measureCold } from './cold.ts';
import { type Copies, measureCopies } from './copies.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureEngine } from './engine.ts';
import { measureAnswers, measureLists } from './hostileTools.ts';
import { type Measured, measureIterations, type StoreWork, VARIANTS } from './iterations.ts';
import { measureMasking } from './masking.ts';
import { measureMaskingMemory } from './maskingMemory.ts';
import { costOf, countIdleSweep, countInvestigation, idleMonth } from './money.ts';
import { median, spread } from './spread.ts';
import { measureStatements } from './statements.ts';
import { measureStorm } from './storms.ts';
import { measureThinking } from './thinking.ts';
import { measureTools } from './tools.ts';
import { measureAlone, measureAtOnce } from './wholeSystem.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Below the project, so that the bundle finds the functions-framework. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'inquest-bench');
/** Code of another commit: not below node_modules, from where Node loads no TypeScript. */
const BEFORE = join(ROOT, '.inquest', 'bench');
const LOADS = 11;
const TOOL_ITERATIONS = 30;
// The SDKs would look for Google's metadata server, which is not on this machine.
process.env.METADATA_SERVER_DETECTION = 'none';

const PARTS: Record<string, () => Promise<void>> = {
  loads: loadTimes,
  cold: () => onEmulators(coldTimes),
  iterations: () => onEmulators(iterationTimes),
  tools: async () => {
    await onEmulators(toolTimes);
    await listTimes();
  },
  bytes: answerBytes,
  system: systemTimes,
  storms: stormTable,
  copies: copiesTable,
  api: apiTimes,
  web: webTimes,
  money: moneyTable,
  thinking: () => onEmulators(thinkingTable),
  cloud: () => measureCloud(FOLDER),
  deliveries: () => measureDeliveries(join(FOLDER, 'deliveries')),
  masking: measureMasking,
  memory: measureMaskingMemory,
  statements: async () => measureStatements(),
  engine: engineTable,
};
const program = new Command('bench')
  .description('Measures the numbers of docs/performance.md, side by side in one run. Prints; never judges.')
  .addArgument(new Argument('[parts...]', 'what to measure; all by default').choices(Object.keys(PARTS)))
  .option('--against <commit>', 'iterations of the code of this commit take their turns beside ours')
  .option('--variants <names>', `contestants of the iterations, separated by commas: ${VARIANTS.join(',')}`)
  .option(
    '--limits <rate>',
    'system and storms on a Firestore with the limits of production, in a time so many times as fast',
    Number,
  )
  .showHelpAfterError()
  .parse();
const parts = program.args;
const options = program.opts<{ against?: string; variants?: string; limits?: number }>();
const { against } = options;
const variants = VARIANTS.filter((name) => options.variants?.split(',').includes(name) ?? true);

await mkdir(FOLDER, { recursive: true });
try {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (parts.length === 0 || parts.includes(name)) await measure();
  }
} finally {
  await rm(FOLDER, { recursive: true, force: true });
}

/** Each load in its own process, candidates in turn: the machine's moods hit all alike. */
async function loadTimes(): Promise<void> {
  const bundle = join(FOLDER, 'functions');
  const page = writePage();
  await buildFunctions(bundle, { page });
  await rm(page, { recursive: true });
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
  try {
    const before = against === undefined ? undefined : await codeOfCommit(against, BEFORE);
    for (const iterations of [50, 200]) {
      const measured = await measureIterations(iterations, { before, variants });
      const warm = measured.warm as Measured;
      console.log(`\n${iterations} iterations, instant model, one 2 kB tool result each, local cloud`);
      for (const [name, { times, publishedTimes, cpuTimes, work }] of Object.entries(measured)) {
        console.log(`  ${name}`);
        console.log(`    ms an iteration (min / median / max)   ${spread(times)}`);
        console.log(`    median of the first and last 10, ms    ${ends(times)}`);
        console.log(`    ms until the next message is published ${spread(publishedTimes)}`);
        console.log(`    processor ms (min / median / max)      ${spread(cpuTimes)}`);
        console.log(`    median of the first and last 10, ms    ${ends(cpuTimes)}`);
        console.log(`    warm is so many times it, time and cpu ${ratio(warm, { times, cpuTimes })}`);
        if (work.length > 0) console.log(`    iteration 5, and the last              ${asked(work)}`);
      }
    }
  } finally {
    await rm(BEFORE, { recursive: true, force: true });
  }
}

/** Emulators for one part, named in this process's environment. */
async function onEmulators(measure: () => Promise<void>): Promise<void> {
  const projectId = 'demo-bench';
  const emulators = await startEmulators({ projectId });
  process.env.GOOGLE_CLOUD_PROJECT = projectId;
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  try {
    await measure();
  } finally {
    await emulators.stop();
    // The next part starts its own.
    delete process.env.FIRESTORE_EMULATOR_HOST;
    delete process.env.PUBSUB_EMULATOR_HOST;
  }
}

async function coldTimes(): Promise<void> {
  const measured = await measureCold(join(FOLDER, 'cold'), LOADS);
  console.log(`\nThe first iteration of a new instance, ${LOADS} processes each, local cloud`);
  console.log('  ms, processor ms of the process (min / median / max)');
  for (const [name, { times, cpuTimes }] of Object.entries(measured)) {
    console.log(`  ${name.padEnd(42)} ${spread(times).padEnd(24)} ${spread(cpuTimes)}`);
  }
}

async function toolTimes(): Promise<void> {
  const servers = await measureTools(TOOL_ITERATIONS);
  console.log(`\n${TOOL_ITERATIONS} iterations, instant model, one MCP call with 2 kB each, local cloud`);
  console.log('  ms, processor ms of this process (min / median / max; the first iteration is left out)');
  for (const [name, { times, cpuTimes }] of Object.entries(servers)) {
    console.log(`  ${name.padEnd(34)} ${spread(times.slice(1)).padEnd(24)} ${spread(cpuTimes.slice(1))}`);
  }
}

async function listTimes(): Promise<void> {
  console.log(
    '\nLists of tools: processor ms of the event loop / its longest stop, ms; first, and when the list is kept',
  );
  for (const [name, { first, again, outcome }] of Object.entries(await measureLists())) {
    const shown = [first, again].map(({ cpuMs, longestMs }) =>
      `${cpuMs.toFixed(0)} / ${longestMs.toFixed(0)}`.padEnd(12),
    );
    console.log(`  ${name.padEnd(28)} ${shown.join(' ')} ${outcome}`);
  }
}

async function answerBytes(): Promise<void> {
  console.log(
    '\nA tool answers 200 MB: MB above what the process had (resident / external / heap / kept), ms',
  );
  for (const [name, cost] of Object.entries(await measureAnswers())) {
    const { ms, peakMb, externalMb, heapMb, heldMb, content } = cost;
    const shown = [peakMb, externalMb, heapMb, heldMb].map((value) => value.toFixed(0)).join(' / ');
    console.log(
      `  ${name.padEnd(24)} ${shown.padEnd(20)} ${ms.toFixed(0).padEnd(8)} ${content.slice(0, 90)}`,
    );
  }
}

/** The first iteration is left out: it opens the connections. */
function ends(values: number[]): string {
  return `${median(values.slice(1, 11)).toFixed(1)} / ${median(values.slice(-10)).toFixed(1)}`;
}

/** Of the sums: what all iterations together took. */
function ratio(
  ours: Pick<Measured, 'times' | 'cpuTimes'>,
  others: Pick<Measured, 'times' | 'cpuTimes'>,
): string {
  const sum = (values: number[]) => values.slice(1).reduce((all, value) => all + value, 0);
  const of = (kind: 'times' | 'cpuTimes') => (sum(ours[kind]) / sum(others[kind])).toFixed(2);
  return `${of('times')} / ${of('cpuTimes')}`;
}

function asked(work: StoreWork[]): string {
  return [work[4], work.at(-1)]
    .map(
      (one) =>
        `${one?.reads} reads, ${one?.commits} commits, ${one?.documents} documents, ${one?.bytes} bytes`,
    )
    .join('; ');
}

async function systemTimes(): Promise<void> {
  const model = options.limits === undefined ? 'instant model' : 'a model that takes 10 s';
  console.log(`\nInvestigations of 10 iterations in the whole local system, ${model}, MCP over HTTP; warm`);
  if (options.limits === undefined) {
    const { firstEvent, gaps } = await measureAlone(FOLDER, 10);
    console.log(`  alert to first event, ms (min / median / max)        ${spread(firstEvent)}`);
    console.log(`  answer to next model call, ms (min / median / max)   ${spread(gaps)}`);
  }
  const { limits } = options;
  const few = { investigations: 20, iterationsEach: 60, resultBytes: 20_000, functionHeap: true };
  const many = { investigations: 100, iterationsEach: 10, resultBytes: 2_000, functionHeap: false };
  await printAtOnce({ ...many, limits });
  await printAtOnce({ ...few, limits });
}

async function stormTable(): Promise<void> {
  console.log(
    '\nStorms, whole local system: alerts of one problem, and of as many problems that belong together',
  );
  for (const alerts of [1_000, 5_000]) {
    for (const problems of [1, alerts]) {
      const { sessions, accepted, seconds, peakMb } = await measureStorm(
        FOLDER,
        alerts,
        problems,
        options.limits,
      );
      const figures = [alerts, problems, accepted, sessions, seconds.toFixed(0), peakMb?.toFixed(0) ?? '?'];
      console.log(`  alerts, problems, accepted, sessions, s, MB   ${figures.join(' / ')}`);
    }
  }
}

async function copiesTable(): Promise<void> {
  console.log('\nFour investigations of 22 iterations at once, whole local system, every push in copies');
  for (const copies of ['none', 'burst', 'late'] satisfies Copies[]) {
    const { iterations, publications, deliveries, completed, seconds } = await measureCopies(FOLDER, copies);
    console.log(
      `  ${copies.padEnd(8)} iterations, messages, deliveries, completed, s   ${[iterations, publications, deliveries, completed, seconds.toFixed(0)].join(' / ')}`,
    );
  }
}

async function apiTimes(): Promise<void> {
  const { model, firstText, followUp, opened, firstEvent } = await measureApi(FOLDER, 20);
  console.log('\nThe HTTP API in the whole local system, instant model; warm; ms (min / median / max)');
  console.log(`  model alone, until its whole answer              ${spread(model)}`);
  console.log(`  /v1/chat/completions, until the first text       ${spread(firstText)}`);
  console.log(`  the same, in a session that answered before      ${spread(followUp)}`);
  console.log(`  alert until the stream of sessions has it        ${spread(opened)}`);
  console.log(`  alert until its own stream has the first event   ${spread(firstEvent)}`);
}

/** The dashboard measures itself: it is built on what stands here, not the other way round. */
async function webTimes(): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'web', 'dev', 'bench.ts')]);
  console.log(`\n${stdout.trimEnd()}`);
}

async function printAtOnce(options: Parameters<typeof measureAtOnce>[1]): Promise<void> {
  const { investigations, iterationsEach, resultBytes, functionHeap } = options;
  const { iterations, seconds, failed, cpuMs, peakMb } = await measureAtOnce(FOLDER, options);
  console.log(
    `  ${investigations} at once, ${iterationsEach} iterations with ${resultBytes} bytes each${functionHeap ? ', heap as in 1 GiB' : ''}`,
  );
  console.log(
    `    seconds, iterations a second, not completed        ${[seconds, iterations / seconds, failed].map((value) => value.toFixed(0)).join(' / ')}`,
  );
  console.log(`    processor ms of the functions' process, each       ${cpuMs?.toFixed(1) ?? 'unknown'}`);
  console.log(`    memory of the functions' process, at most, MB      ${peakMb?.toFixed(0) ?? 'unknown'}`);
}

/** LangGraph.js is one of the packages of test/packages. */
async function engineTable(): Promise<void> {
  await promisify(execFile)('npm', ['run', '-s', 'test-packages'], { cwd: ROOT });
  for (const iterations of [50, 200]) {
    console.log(`\n${iterations} iterations, each a call, scripted model, one 2 kB tool result, local cloud`);
    console.log(
      '  processor ms: median, of the last 10; the last: documents read / written, kB read / written',
    );
    for (const [name, { cpuTimes, counts, failure }] of Object.entries(
      await measureEngine(FOLDER, iterations),
    )) {
      const last = counts.at(-1);
      const times = [median(cpuTimes), median(cpuTimes.slice(-10))].map((ms) => ms.toFixed(1)).join(', ');
      const kilobytes = [last?.readBytes ?? 0, last?.writtenBytes ?? 0].map((bytes) =>
        (bytes / 1_000).toFixed(0),
      );
      const work = [last?.reads, last?.writes, ...kilobytes].join(' / ');
      console.log(`  ${name.padEnd(20)} ${times.padEnd(12)} ${work} ${failure ?? ''}`);
    }
  }
}

async function thinkingTable(): Promise<void> {
  console.log('\nAn investigation of 20 iterations with thoughts of 30 s, without the price of the model');
  for (const wait of ['inline', 'background'] as const) {
    // The first one loads modules.
    await measureThinking(wait);
    const { calls, instanceSeconds, ownMs, firstEventMs, dollars } = await measureThinking(wait);
    console.log(`  ${wait}`);
    console.log(`    calls, ms without thoughts (min / median / max)     ${calls}, ${spread(ownMs)}`);
    console.log(`    ms from a thought to its first event                ${spread(firstEventMs)}`);
    for (const concurrency of [1, 20])
      console.log(
        `    instance-seconds, dollars at ${String(concurrency).padStart(2)} calls an instance     ${(instanceSeconds / concurrency).toFixed(1)}, ${dollars(concurrency).toFixed(5)}`,
      );
  }
}

async function moneyTable(): Promise<void> {
  const dollars = (value: number) => value.toFixed(value < 1 ? 5 : 2);
  console.log('\nAn investigation, in operations and US dollars at list prices');
  for (const iterations of [20, 200]) {
    const operations = await countInvestigation(iterations);
    const { firestore, pubsub, functions, model, summary } = costOf(operations);
    const { reads, writes, documents, messages, messageBytes, calls } = operations;
    console.log(`  ${iterations} iterations`);
    console.log(
      `    documents read / written / kept until they expire   ${reads} / ${writes} / ${documents}`,
    );
    console.log(
      `    messages, bytes that count, calls                   ${messages} / ${messageBytes} / ${calls}`,
    );
    console.log(
      `    Firestore, Pub/Sub, functions                       ${[firestore, pubsub, functions].map(dollars).join(' / ')}`,
    );
    console.log(
      `    model, nothing cached / all it can                  ${dollars(model.uncached)} / ${dollars(model.cached)}`,
    );
    console.log(`    of it the executive summary, model and function     ${dollars(summary)}`);
  }
  const idle = await countIdleSweep();
  console.log(
    `  a month without an alert (a sweep: ${idle.reads} reads, ${idle.writes} writes)   ${dollars(idleMonth(idle))}`,
  );
}
