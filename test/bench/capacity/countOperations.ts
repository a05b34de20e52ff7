// The operations of investigations, counted while they run side by side through the real handlers: on a
// Firestore in this process, in virtual time, at the pace of a real model.

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import indexes from '../../../firestore.indexes.json' with { type: 'json' };
import { openDatabase } from '../../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../../packages/local-cloud/src/firestore/firestoreService.ts';
import { startGrpcServer } from '../../../packages/local-cloud/src/server/grpcServer.ts';
import { ALL_ON } from '../../../shared/contract/switches.ts';
import { type Publisher, TOPICS } from '../../../shared/core/contract/publisher.ts';
import type { Store } from '../../../shared/core/contract/store.ts';
import { runIteration } from '../../../shared/core/iteration/runIteration.ts';
import type { Clock } from '../../../shared/core/kernel/deps.ts';
import { createVirtualTime, type VirtualTime } from '../../../shared/engine/testing/virtualTime.ts';
import { ingestAlert } from '../../../shared/features/alerts/ingestAlert.ts';
import { intakeFeatures } from '../../../shared/lists/intakeFeatures.ts';
import { FEATURES } from '../../../shared/lists/iterationFeatures.ts';
import { createMemoryPublisher } from '../../../shared/store/memory/memoryPublisher.ts';
import { openCloud } from '../../../shared/wiring/openCloud.ts';
import { benchDeps } from '../benchDeps.ts';
import { instantModel, instantTool } from '../instantWorld.ts';
import { benchConfig, concluding } from '../money.ts';
import { type RecordedCall, type Recorder, recordCalls } from '../recordedCalls.ts';
import type { Inputs } from './inputs.ts';

/** A function that handles messages. */
export type ServiceName = 'ingestAlert' | 'runIteration';

/** A call of Firestore. */
export interface Operation {
  /** Whether it waits for limits: reads do not. */
  isCommit: boolean;
  /** Documents that are read, and that are written. */
  reads: number;
  writes: number;
  /** Operations by root collection. */
  collections: Record<string, number>;
  /** The written documents that other investigations write as well, without times in their names. */
  documents: string[];
}

/** The handling of a message: operations, then a wait, then operations, and so on. */
export interface Message {
  service: ServiceName;
  segments: Operation[][];
  /** One fewer than segments. */
  waits: ('model' | 'tool')[];
}

/** Counted operations. */
export interface Counted {
  /** For each investigation its messages, of which each publishes the next. */
  investigations: Message[][];
  /** The documents of an investigation that are there in the end. */
  documents: number;
  /** Writes of an investigation by index with values that grow. */
  indexes: Record<string, number>;
}

/** Of one instance, as in production, because instances gather writes. */
const INVESTIGATIONS = 20;
const DELIVERY_MS = 50;
/** Any time: the same in each run. */
const START_MS = Date.UTC(2026, 10, 30, 10);
/** Longer than all of them take. */
const LONGEST_MS = 86_400_000;
/** Names of days, hours and minutes in documents. */
const PERIODS = /\d{4}-\d\d(?:-\d\d)?(?:T\d\d(?:\d\d)?)?/g;

/** A delivered message, with the calls of its handler. */
interface Delivery {
  investigation: number;
  service: ServiceName;
  recorder: Recorder;
  /** The calls before each wait. */
  segments: RecordedCall[][];
  waits: Message['waits'];
}

/** Runs investigations, and counts. @param count how many run side by side. */
export async function countOperations(inputs: Inputs, count = INVESTIGATIONS): Promise<Counted> {
  const time = createVirtualTime(START_MS);
  const clock = virtualClock(time);
  const database = openDatabase();
  // A rate that nothing reaches: what counts is the report.
  const limits = { writesPerSecond: 1_000_000, clock };
  const service = createFirestoreService(database, indexes as never, limits);
  const server = await startGrpcServer([service]);
  const { FIRESTORE_EMULATOR_HOST: before } = process.env;
  process.env.FIRESTORE_EMULATOR_HOST = server.host;
  const cloud = openCloud(process.env);
  try {
    const deliveries = await runInvestigations(inputs, count, time, clock, cloud.store);
    const report = await fetch(`http://${server.host}/limits`);
    return summarize(deliveries, count, (await report.json()) as Report);
  } finally {
    if (before === undefined) delete process.env.FIRESTORE_EMULATOR_HOST;
    else process.env.FIRESTORE_EMULATOR_HOST = before;
    await cloud.close();
    service.close();
    await server.stop();
    database.close();
  }
}

async function runInvestigations(
  inputs: Inputs,
  count: number,
  time: VirtualTime,
  clock: Clock,
  store: Store,
): Promise<Delivery[]> {
  const { iterations, dailyTokens, sessionsPerHour } = inputs.investigation;
  const limit = (value: number) => (value === 0 ? [] : [{ chain: null, limit: value }]);
  const config = benchConfig(iterations, {
    dailyTokens: limit(dailyTokens),
    sessionsPerHour: limit(sessionsPerHour),
  });
  const deliveries: Delivery[] = [];
  const current = new AsyncLocalStorage<Delivery>();
  const held = forwardCalls(store, () => store, time.hold);
  const memory = createMemoryPublisher();
  const background = recordCalls({ store: held, publisher: memory });
  const recorder = () => current.getStore()?.recorder ?? background;
  let failure: unknown;
  let open = count;

  const deliver = (investigation: number, service: ServiceName, handle: () => Promise<unknown>) => {
    const delivery: Delivery = {
      investigation,
      service,
      recorder: recordCalls({ store: held, publisher }),
      segments: [],
      waits: [],
    };
    deliveries.push(delivery);
    const handled = current.run(delivery, handle);
    handled.then(
      () => delivery.segments.push(delivery.recorder.take()),
      (error) => {
        failure = error;
      },
    );
  };
  const publisher: Publisher = {
    ...memory,
    async publish(topic, data, attributes) {
      const id = await memory.publish(topic, data, attributes);
      const message = memory.published.at(-1);
      const investigation = current.getStore()?.investigation;
      if (topic !== TOPICS.iterations || message === undefined || investigation === undefined) return id;
      const run = () => runIteration(JSON.parse(message.data.toString()), null, runDeps, FEATURES);
      time.after(DELIVERY_MS, () => deliver(investigation, 'runIteration', run));
      return id;
    },
  };
  const wait = (kind: 'model' | 'tool', seconds: number) =>
    new Promise<void>((resolve) => {
      const delivery = current.getStore();
      delivery?.segments.push(delivery.recorder.take());
      delivery?.waits.push(kind);
      time.after(seconds * 1000, resolve);
    });
  const model = concluding(instantModel(), iterations);
  const tool = instantTool();
  /** Of one instance: some keep what they gathered by their store. */
  const createShared = () => ({
    store: forwardCalls(held, () => recorder().store),
    publisher: forwardCalls<Publisher>(memory, () => recorder().publisher),
    clock,
  });
  const intakeDeps = benchDeps(createShared());
  const runDeps = benchDeps({
    ...createShared(),
    llm: {
      async generate(request, options) {
        await wait('model', inputs.model.seconds);
        if (request.tools.length === 0) open--;
        return model.generate(request, options);
      },
    },
    connectTools: async () => ({
      ...tool,
      async execute(...call: Parameters<typeof tool.execute>) {
        await wait('tool', inputs.tools.seconds);
        return tool.execute(...call);
      },
    }),
  });
  const iterationMs = (inputs.model.seconds + inputs.tools.seconds) * 1000;
  for (let investigation = 0; investigation < count; investigation++) {
    const alert = {
      messageId: `alert-${investigation}`,
      data: Buffer.from(`Service ${investigation} is slow: p99 of 4 s since 10:20.`),
      attributes: {},
      publishedAt: null,
      traceparent: null,
      deliveryAttempt: null,
    };
    time.after((investigation * iterationMs) / count, () =>
      deliver(investigation, 'ingestAlert', () =>
        ingestAlert(alert, config, intakeDeps, intakeFeatures(ALL_ON)),
      ),
    );
  }
  await time.runUntil(() => failure !== undefined, START_MS + LONGEST_MS);
  if (failure !== undefined) throw failure;
  if (open !== 0) throw new Error(`${open} investigations were not run to their summaries`);
  // Writes that were gathered for later.
  for (const { segments, recorder: own } of deliveries) segments.at(-1)?.push(...own.take());
  return deliveries;
}

/** Timers keep the context that they were started in, so that renewals count for their message. */
function virtualClock(time: VirtualTime): Clock {
  const after = (ms: number, action: () => void) => time.after(ms, AsyncResource.bind(action));
  return {
    now: () => new Date(time.now()),
    after,
    every(ms, action) {
      let cancel = after(ms, repeat);
      function repeat() {
        cancel = after(ms, repeat);
        action();
      }
      return () => cancel();
    },
  };
}

/** The same functions, those of `target` at the time of each call. */
function forwardCalls<T extends object>(
  like: T,
  target: () => T,
  hold = <R>(call: Promise<R>): Promise<R> => call,
): T {
  const forward = (name: string) => {
    return (...args: unknown[]) => {
      const result = (target() as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
      return result instanceof Promise ? hold(result) : result;
    };
  };
  return Object.fromEntries(Object.keys(like).map((name) => [name, forward(name)])) as T;
}

/** The part of `GET /limits` that is used. */
interface Report {
  indexes: { hottest: { name: string; operations: number }[] };
}

function summarize(deliveries: Delivery[], count: number, { indexes }: Report): Counted {
  const writers = new Map<string, Set<number>>();
  for (const { investigation, segments } of deliveries) {
    for (const path of segments.flat().flatMap(listWritten)) {
      const name = withoutPeriods(path);
      writers.set(name, (writers.get(name) ?? new Set()).add(investigation));
    }
  }
  const isShared = (name: string) => (writers.get(name)?.size ?? 0) > 1;
  const toMessage = ({ service, segments, waits }: Delivery): Message => ({
    service,
    waits,
    segments: segments.map((calls) => calls.flatMap((call) => toOperation(call, isShared))),
  });
  return {
    investigations: Array.from({ length: count }, (_, index) =>
      deliveries.filter(({ investigation }) => investigation === index).map(toMessage),
    ),
    documents: writers.size / count,
    indexes: Object.fromEntries(indexes.hottest.map(({ name, operations }) => [name, operations / count])),
  };
}

const withoutPeriods = (path: string): string => path.replace(PERIODS, '*');

function listWritten(call: RecordedCall): string[] {
  if (call.kind === 'commit') return call.writes.map(({ path }) => path);
  return call.kind === 'increment' ? [call.path] : [];
}

function toOperation(call: RecordedCall, isShared: (name: string) => boolean): Operation[] {
  if (call.kind === 'publish') return [];
  const written = listWritten(call);
  const reads = call.kind === 'get' ? 1 : call.kind === 'list' ? Math.max(1, call.documents) : 0;
  const places = call.kind === 'list' ? [call.collection] : call.kind === 'get' ? [call.path] : written;
  const collections: Record<string, number> = {};
  for (const place of places) {
    const root = place.split('/', 1)[0] ?? '';
    collections[root] = (collections[root] ?? 0) + (reads || 1);
  }
  const documents = [...new Set(written.map(withoutPeriods))].filter(isShared);
  return [{ isCommit: written.length > 0, reads, writes: written.length, collections, documents }];
}
