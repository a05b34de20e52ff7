// Costs of excessive servers: lists of tools in event loop time, 200 MB answers in memory.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { shownTexts } from '../../shared/core/iteration/ask/shownTexts.ts';
import { createPins } from '../../shared/features/pins/toolPins.ts';
import { toolDeclarations } from '../../shared/llm/gemini/toolDeclarations.ts';
import { cleanTools } from '../../shared/masking/cleanTools.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';

const SERVER = fileURLToPath(new URL('./hostileServer.ts', import.meta.url));
const ANSWER = fileURLToPath(new URL('./answerMemory.ts', import.meta.url));
const run = promisify(execFile);

/** CPU milliseconds of the event loop's thread, and its longest standstill. */
interface Busy {
  cpuMs: number;
  longestMs: number;
}

/** What a list took when it was read first, and in an iteration that has it kept. */
export interface ListCost {
  first: Busy;
  again: Busy;
  /** How many tools were offered, or why the server is missing. */
  outcome: string;
}

/** Reads every list of the hostile server, over HTTP and from a process, as an iteration does. */
export async function measureLists(): Promise<Record<string, ListCost>> {
  const names = (await run(process.execPath, [SERVER, 'names'])).stdout.trim().split(' ');
  const { port, stop } = await startServer();
  try {
    // What is loaded and compiled at the first list is not that list's.
    for (let round = 0; round < 3; round++) await measureList(httpServer(port, 'ordinary'));
    const costs: Record<string, ListCost> = {};
    for (const name of names) {
      costs[`${name}, HTTP`] = await measureList(httpServer(port, name));
      costs[`${name}, stdio`] = await measureList(stdioServer(name));
    }
    return costs;
  } finally {
    stop();
  }
}

async function measureList(server: object): Promise<ListCost> {
  const kept = keepConnections({ now: Date.now });
  const sources = mcpSources({ hostile: mcpServerConfigSchema.parse(server) }, kept.connect);
  const connect = createToolConnector(sources, { warn: () => {} });
  const masker = createMasker({ known: ['a known secret'], sessionKey: '0123456789abcdef0123456789abcdef' });
  const use = async (): Promise<string> => {
    const executor = await connect(['hostile'], { signal: new AbortController().signal });
    const { offered, missing } = executor;
    for (const { tools } of offered) createPins(tools);
    const tools = await cleanTools(executor.list(), masker);
    shownTexts([], tools);
    toolDeclarations(tools.slice(0, 512));
    await executor.close();
    return missing[0]?.error.message ?? `${tools.length} tools`;
  };
  try {
    const first = await busyWhile(use);
    const again = await busyWhile(use);
    return { first: first.busy, again: again.busy, outcome: first.result };
  } finally {
    await kept.close();
  }
}

async function busyWhile<T>(work: () => Promise<T>): Promise<{ result: T; busy: Busy }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  // What has just ended is counted at the next tick.
  await sleep(5);
  delays.disable();
  return { result, busy: { cpuMs: (user + system) / 1_000, longestMs: delays.max / 1e6 } };
}

/** What an answer of 200 MB took above what the process had before. */
export interface AnswerCost {
  ms: number;
  /** Resident, at most. */
  peakMb: number;
  /** Outside of the heap, and in it, at most as sampled. */
  externalMb: number;
  heapMb: number;
  /** Resident afterwards. */
  heldMb: number;
  content: string;
}

/** Has a new process answered 200 MB, over each transport. */
export async function measureAnswers(): Promise<Record<string, AnswerCost>> {
  const { port, stop } = await startServer();
  const http = httpServer(port, 'ordinary');
  try {
    return {
      'a small answer, HTTP': await measureAnswer(http, {}),
      HTTP: await measureAnswer(http, { flood: 'plain' }),
      'HTTP, gzip': await measureAnswer(http, { flood: 'gzip' }),
      stdio: await measureAnswer(stdioServer('ordinary'), { flood: 'plain' }),
    };
  } finally {
    stop();
  }
}

async function measureAnswer(server: object, args: object): Promise<AnswerCost> {
  const { stdout } = await run(process.execPath, [ANSWER, JSON.stringify(server), JSON.stringify(args)]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

async function startServer() {
  const server = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { port: Number(String(port)), stop: () => void server.kill() };
}

const common = { readOnly: ['*'], connectTimeoutMs: 60_000 };
const httpServer = (port: number, list: string) => ({
  transport: 'http',
  url: `http://127.0.0.1:${port}/${list}`,
  ...common,
});
const stdioServer = (list: string) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [SERVER, 'stdio', list],
  ...common,
});
