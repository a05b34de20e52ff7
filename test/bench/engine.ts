// Iterations of the engine beside those of LangGraph.js with a saver for Firestore, each a call of its own,
// as a push of Pub/Sub makes it: with the same answers of the model, the same tool and the same Firestore.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Firestore } from '@google-cloud/firestore';
import { PubSub, type Topic } from '@google-cloud/pubsub';
import { durable, firestore, pubsub, type Queue, script, tool, z } from '../../shared/engine/engine.ts';
import { emulatorSettings } from '../../shared/store/emulator.ts';
import { messageBytes } from '../../shared/store/messageBytes.ts';
import { contestants } from './contestants.ts';
import type { Counts } from './countingProxy.ts';
import { PROJECT } from './documents.ts';
import type { StartThread, Turn } from './graphThread.ts';

const PROXY = fileURLToPath(new URL('./countingProxy.ts', import.meta.url));
/** Not by its name: it is compiled with the types of test/packages. */
const GRAPH = new URL('../packages/langGraph.ts', import.meta.url).href;
const TOPIC = 'engine';
const INSTRUCTIONS = 'Look at one object after the other.';
const INPUT = 'Look at everything.';
const RESULT = 'x'.repeat(2_000);

/** What the iterations of a contestant took. */
export interface EngineMeasured {
  /** Milliseconds of processor time of this process in each iteration. */
  cpuTimes: number[];
  /** What each iteration asked of Firestore. */
  counts: Counts[];
  /** Why it could not continue; undefined if it ran all iterations. */
  failure?: string;
}

/** A contestant. */
interface Running {
  /** Runs one iteration and publishes the message of the next one. */
  next(): Promise<void>;
  close(): Promise<unknown>;
}

/** Runs `iterations` iterations of each contestant, in turn. @param folder for the script of the model. */
export async function measureEngine(
  folder: string,
  iterations: number,
): Promise<Record<string, EngineMeasured>> {
  const cloud = await contestants(folder).memory();
  if (cloud === undefined) throw new Error('the local cloud did not start');
  const proxy = await startProxy(cloud.firestore);
  const env = { ...process.env };
  process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
  process.env.FIRESTORE_EMULATOR_HOST = proxy.host;
  process.env.PUBSUB_EMULATOR_HOST = cloud.pubsub;
  const client = new PubSub({ projectId: PROJECT, ...emulatorSettings('pubsub') });
  const topic = client.topic(TOPIC, { batching: { maxMessages: 1, maxMilliseconds: 0 } });
  await topic.get({ autoCreate: true });
  const turns = Array.from({ length: iterations + 1 }, (_, index) => ({
    text: 'One more look.',
    objects: [`object-${index}`],
  }));
  const running: Record<string, Running> = {
    'engine, warm': await startRun(folder, turns, { isCold: false }),
    'engine, cold': await startRun(folder, turns, { isCold: true }),
    'LangGraph.js, sync': await startGraph(turns, 'sync', topic),
    'LangGraph.js, exit': await startGraph(turns, 'exit', topic),
  };
  try {
    return await takeTurns(running, iterations, proxy.take);
  } finally {
    await Promise.all([client.close(), ...Object.values(running).map((one) => one.close())]);
    proxy.stop();
    await cloud.stop();
    process.env = env;
  }
}

async function takeTurns(
  running: Record<string, Running>,
  iterations: number,
  take: () => Promise<Counts>,
): Promise<Record<string, EngineMeasured>> {
  const names = Object.keys(running);
  const measured = Object.fromEntries(
    names.map((name) => [name, { cpuTimes: [], counts: [] } as EngineMeasured]),
  );
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (const [turn] of names.entries()) {
      const name = names[(turn + iteration) % names.length] as string;
      const one = measured[name] as EngineMeasured;
      if (one.failure !== undefined) continue;
      await take();
      const before = process.cpuUsage();
      try {
        await running[name]?.next();
      } catch (error) {
        one.failure = String(error).slice(0, 200);
        continue;
      }
      const { user, system } = process.cpuUsage(before);
      one.cpuTimes.push((user + system) / 1_000);
      one.counts.push(await take());
    }
  }
  return measured;
}

/** A run of the engine. @param options.isCold whether each iteration starts without kept messages. */
async function startRun(folder: string, turns: Turn[], { isCold }: { isCold: boolean }): Promise<Running> {
  const file = join(folder, 'engine.json');
  const answers = turns.map(({ text, objects }) => ({
    text,
    toolCalls: objects.map((object) => ({ name: 'code.look', args: { object } })),
  }));
  await writeFile(file, JSON.stringify({ conversations: [{ turns: answers }] }));
  const store = firestore();
  const inner = pubsub(TOPIC);
  let message: Buffer | undefined;
  const queue: Queue = {
    ...inner,
    publisher: {
      ...inner.publisher,
      publish(topic, data, attributes) {
        message = messageBytes(data);
        return inner.publisher.publish(topic, data, attributes);
      },
    },
  };
  const look = tool({
    name: 'look',
    version: '1',
    description: 'Looks at an object.',
    input: z.object({ object: z.string() }),
    run: () => RESULT,
  });
  const open = () => {
    const agents = durable({ store, queue, model: script(file) });
    const looker = agents.agent({
      name: 'looker',
      instructions: INSTRUCTIONS,
      tools: [look],
      maxIterations: turns.length,
      sessionTokens: 1_000_000_000,
    });
    return { agents, looker };
  };
  const kept = open();
  await kept.agents.start(kept.looker, { input: INPUT });
  return {
    async next() {
      const { agents } = isCold ? open() : kept;
      const data = message?.toString('base64');
      message = undefined;
      const body = { message: { messageId: randomUUID(), data, attributes: {} }, deliveryAttempt: 1 };
      let status = 0;
      const response = {
        status(code: number) {
          status = code;
          return response;
        },
        json: () => {},
      };
      await agents.handlers.work({ body }, response);
      if (status !== 200 || message === undefined) throw new Error(`status ${status}, and nothing published`);
    },
    close: () => kept.agents.close(),
  };
}

async function startGraph(turns: Turn[], durability: 'sync' | 'exit', topic: Topic): Promise<Running> {
  const { startThread }: { startThread: StartThread } = await import(GRAPH);
  const db = new Firestore({ projectId: PROJECT, ...emulatorSettings('firestore') });
  const threadId = randomUUID();
  const thread = await startThread(threadId, {
    firestore: db,
    durability,
    turns,
    instructions: INSTRUCTIONS,
    input: INPUT,
    look: () => RESULT,
  });
  return {
    async next() {
      if (!(await thread.next())) throw new Error('the thread ended');
      await topic.publishMessage({ data: Buffer.from(JSON.stringify({ threadId })) });
    },
    close: () => db.terminate(),
  };
}

/** The counting proxy as a process, so that its work is none of the contestants'. */
async function startProxy(upstream: string): Promise<{
  host: string;
  take(): Promise<Counts>;
  stop(): void;
}> {
  const child = fork(PROXY, [upstream.split(':')[1] ?? '']);
  const [port] = await once(child, 'message');
  return {
    host: `127.0.0.1:${port}`,
    async take() {
      const taken = once(child, 'message');
      child.send('take');
      return (await taken)[0];
    },
    stop: () => child.disconnect(),
  };
}
