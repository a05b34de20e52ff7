// Whole investigations through the whole local system: functions behind the functions-framework in one
// process, push delivery, the local cloud, Gemini's SDK and MCP over HTTP. First one after the other, then
// many at once.

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../local/processes/childProcess.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { deriveAlertKey, deriveSessionId } from '../../shared/kits/alerts/sessionId.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { startWorld, type World } from './world.ts';

/** Of a real model, from the question to the end of its answer. */
const ANSWER_MS = 10_000;
const ALERT = 'Checkout is slow: p99 of 4 s since 10:20.';
/** Heap of Node where there is 1 GiB, as in an instance of `runIteration`. */
const FUNCTION_HEAP_MB = 512;

/** Latencies of investigations that run alone, on warm functions. */
export interface Alone {
  /** Milliseconds from publishing an alert to the first event that a watcher of the timeline has. */
  firstEvent: number[];
  /** Milliseconds from an answer to the next question: commits, a tool, publish, push, claim. */
  gaps: number[];
}

/** Investigations that ran at the same time. */
export interface AtOnce {
  iterations: number;
  seconds: number;
  /** Investigations that did not complete. */
  failed: number;
  /** CPU milliseconds of the functions' process per iteration; undefined without /proc. */
  cpuMs: number | undefined;
  /** Resident memory of that process, in MB; undefined without /proc. */
  peakMb: number | undefined;
}

/** Runs investigations of 10 iterations one after the other. @param folder for the configuration. */
export function measureAlone(folder: string, investigations: number): Promise<Alone> {
  return withSystem(folder, { answersEach: 10 }, {}, async ({ store, publish, takeGaps }) => {
    const firstEvent: number[] = [];
    const gaps: number[] = [];
    for (let run = 0; run <= investigations; run++) {
      const startedAt = performance.now();
      const sessionId = await publish();
      await firstEventOf(store, sessionId);
      const untilFirst = performance.now() - startedAt;
      await untilEnded(store, new Set([sessionId]));
      // Taken after each: the next alert's question does not continue this one's answer.
      const taken = await takeGaps();
      // The first one finds everything cold.
      if (run === 0) continue;
      firstEvent.push(untilFirst);
      gaps.push(...taken);
    }
    return { firstEvent, gaps };
  });
}

/** Runs simultaneous investigations, results of `resultBytes`. @param functionHeap as in 1 GiB. */
export function measureAtOnce(
  folder: string,
  options: {
    investigations: number;
    iterationsEach: number;
    resultBytes: number;
    functionHeap: boolean;
    limits?: number | undefined;
  },
): Promise<AtOnce> {
  const { investigations, iterationsEach: answersEach, resultBytes, functionHeap, limits } = options;
  const env = functionHeap ? { NODE_OPTIONS: `--max-old-space-size=${FUNCTION_HEAP_MB}` } : {};
  return withSystem(folder, { answersEach, resultBytes, limits }, env, async ({ store, publish }) => {
    const before = await functionsUse();
    const startedAt = performance.now();
    const sessionIds = await Promise.all(Array.from({ length: investigations }, publish));
    const completed = await untilEnded(store, new Set(sessionIds));
    const seconds = (performance.now() - startedAt) / 1_000;
    const iterations = investigations * answersEach;
    const after = await functionsUse();
    const cpuMs = before && after && (after.cpuMs - before.cpuMs) / iterations;
    return { iterations, seconds, failed: investigations - completed, cpuMs, peakMb: after?.peakMb };
  });
}

interface System {
  store: Store;
  /** Publishes an alert; resolves with the id of its session. */
  publish(): Promise<string>;
  takeGaps: World['takeGaps'];
  running: RunningSystem;
}

/**
 * Starts the whole system for a measurement, and stops it.
 * @param folder for the configuration.
 * @param options.limits a Firestore with the limits of production, where time is so many times as fast: a
 * model takes 10 s, and a document one write a second. Prints the hottest documents. Default: none.
 */
export async function withSystem<T>(
  folder: string,
  { limits, ...options }: Parameters<typeof startWorld>[0] & { limits?: number | undefined },
  env: Environment,
  measure: (system: System) => Promise<T>,
): Promise<T> {
  const world = await startWorld({ ...options, answerMs: limits === undefined ? 0 : ANSWER_MS / limits });
  const config = await writeConfig(join(folder, 'config'), world.mcpUrl);
  const system = await startSystem({
    projectId: 'demo-bench',
    limits,
    env: { ...world.env, ...env, INQUEST_CONFIG: config, LOG_LEVEL: 'warn' },
  });
  const cloud = openCloud(Object.assign(process.env, system.env));
  const publish = async () => {
    const data = Buffer.from(ALERT);
    const messageId = await cloud.publisher.publish(TOPICS.alerts, data, {});
    // Its title is its text. Waiting for its key would be part of what is measured.
    return deriveSessionId({
      title: ALERT,
      publishedAt: new Date(),
      key: deriveAlertKey({ messageId, data }),
    });
  };
  try {
    const measured = await measure({
      store: cloud.store,
      publish,
      takeGaps: world.takeGaps,
      running: system,
    });
    if (limits !== undefined) await printHottest(system, limits);
    return measured;
  } finally {
    await cloud.close();
    await Promise.all([system.stop(), world.stop()]);
    for (const name of Object.keys(system.env)) delete process.env[name];
  }
}

/** Prints the documents with the greatest rates, in the time of production. */
async function printHottest({ endpoints }: RunningSystem, limits: number): Promise<void> {
  const answer = await fetch(`http://${endpoints.firestore}/limits`);
  const { documents } = (await answer.json()) as {
    documents: {
      hottest: { name: string; greatestRate: number; lateSeconds: number; aborted: number }[];
    };
  };
  console.log('  the hottest documents: writes a second over 10 s / late, s / aborted');
  for (const { name, greatestRate, lateSeconds, aborted } of documents.hottest) {
    const figures = [(greatestRate / limits).toFixed(1), lateSeconds.toFixed(0), aborted];
    console.log(`    ${figures.join(' / ').padEnd(20)} ${name}`);
  }
}

/** Writes a configuration with one agent and one MCP server. @returns its folder. */
export async function writeConfig(folder: string, mcpUrl: string): Promise<string> {
  const files = {
    'agents.yaml': 'agents:\n  bench:\n    tools: [bench]\n    instructions: Look.\n',
    'chains.yaml':
      'default: bench\nchains:\n  bench:\n    stages:\n      - name: bench\n        agents: [bench]\n',
    'models.yaml': 'default: flash\nmodels:\n  flash:\n    provider: google\n    model: gemini-3.8-flash\n',
    'system.yaml': 'maxIterations: 100\nsessionsPerHour: off\n',
    'servers.yaml': `servers:\n  bench:\n    transport: http\n    url: ${mcpUrl}\n    readOnly: ["*"]\n`,
  };
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Resolves when a watcher of the session's timeline has its first event. */
function firstEventOf(store: Store, sessionId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = store.watch(
      { collection: paths.timeline(sessionId) },
      timelineEventType,
      () => {
        stop();
        resolve();
      },
      reject,
    );
  });
}

/** Resolves when all have ended, with how many completed. */
export function untilEnded(store: Store, open: Set<string>): Promise<number> {
  let completed = 0;
  return new Promise((resolve, reject) => {
    const stop = store.watch(
      { collection: paths.sessions },
      sessionType,
      (sessions) => {
        for (const { id, value } of sessions) {
          if (!isTerminal(value.status) || !open.delete(id)) continue;
          if (value.status === 'completed') completed++;
        }
        if (open.size > 0) return;
        stop();
        resolve(completed);
      },
      reject,
    );
  });
}

/** What the process of the functions has used so far. */
interface ProcessUse {
  /** Processor time of all its threads, in milliseconds. */
  cpuMs: number;
  /** Resident memory at most, in MB. */
  peakMb: number;
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Of the process that hosts the functions; undefined where the system has no /proc. */
export async function functionsUse(): Promise<ProcessUse | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,rss=,args=']);
    const hosts = stdout
      .split('\n')
      .filter((line) => line.includes('/functionHost.ts'))
      .map((line) => line.trim().split(/\s+/).map(Number));
    // The guard before it has the same arguments, and is small.
    const [pid] = hosts.reduce((largest, host) => ((host[1] ?? 0) > (largest[1] ?? 0) ? host : largest));
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    // Behind the name, which may hold blanks: state, ten numbers, then the ticks in user and in system mode.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuMs: ticks * TICK_MS, peakMb: Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1_000 };
  } catch {
    return undefined;
  }
}
