// The operations of investigations, counted while they run side by side through the real handlers, in memory
// and in virtual time, at the pace of a real model.

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { FUNCTIONS } from '../../../functions/manifest.ts';
import { ALL_ON } from '../../../shared/contract/switches.ts';
import { type Publisher, TOPICS } from '../../../shared/core/contract/publisher.ts';
import { runIteration } from '../../../shared/core/iteration/runIteration.ts';
import type { Clock, RuntimeDeps } from '../../../shared/core/kernel/deps.ts';
import { createRandom } from '../../../shared/engine/testing/random.ts';
import { createVirtualTime, type VirtualTime } from '../../../shared/engine/testing/virtualTime.ts';
import { ingestAlert } from '../../../shared/features/alerts/ingestAlert.ts';
import { intakeFeatures } from '../../../shared/lists/intakeFeatures.ts';
import { FEATURES } from '../../../shared/lists/iterationFeatures.ts';
import { createMemoryPublisher } from '../../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { createWriteRates, type WriteRate } from '../../support/writeRates.ts';
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

const INVESTIGATIONS = 20;
/** As many as are deployed. A message reaches any of them, and few know its conversation. */
const INSTANCES = { ingestAlert: 2, runIteration: FUNCTIONS.runIteration.instance.maxInstances };
const DELIVERY_MS = 50;
/** Those with most writes: the others are further from their limits. */
const INDEXES = 5;
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
  const { iterations, dailyTokens, sessionsPerHour } = inputs.investigation;
  const limit = (value: number) => (value === 0 ? [] : [{ chain: null, limit: value }]);
  const config = benchConfig(iterations, {
    dailyTokens: limit(dailyTokens),
    sessionsPerHour: limit(sessionsPerHour),
  });
  const deliveries: Delivery[] = [];
  const current = new AsyncLocalStorage<Delivery>();
  const rates = createWriteRates(clock.now);
  const store = rates.count(createMemoryStore());
  const memory = createMemoryPublisher();
  const background = recordCalls({ store, publisher: memory });
  const recorder = () => current.getStore()?.recorder ?? background;
  const random = createRandom(1);
  let failure: unknown;
  let open = count;

  const deliver = (investigation: number, service: ServiceName, handle: () => Promise<unknown>) => {
    const delivery: Delivery = {
      investigation,
      service,
      recorder: recordCalls({ store, publisher }),
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
      const deps = random.pick(runDeps);
      const run = () => runIteration(JSON.parse(message.data.toString()), null, deps, FEATURES);
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
    store: forwardCalls(store, () => recorder().store),
    publisher: forwardCalls<Publisher>(memory, () => recorder().publisher),
    clock,
  });
  const createInstance = () =>
    benchDeps({
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
  const createInstances = (number: number) =>
    Array.from({ length: number }, createInstance) as [RuntimeDeps, ...RuntimeDeps[]];
  const intakeDeps = createInstances(INSTANCES.ingestAlert);
  const runDeps = createInstances(INSTANCES.runIteration);
  // Alerts come evenly, until the first investigation ends.
  const durationMs = iterations * (inputs.model.seconds + inputs.tools.seconds) * 1000;
  for (let investigation = 0; investigation < count; investigation++) {
    const alert = {
      messageId: `alert-${investigation}`,
      data: Buffer.from(`Service ${investigation} is slow: p99 of 4 s since 10:20.`),
      attributes: {},
      publishedAt: null,
      traceparent: null,
      deliveryAttempt: null,
    };
    time.after((investigation * durationMs) / count, () =>
      deliver(investigation, 'ingestAlert', () =>
        ingestAlert(alert, config, random.pick(intakeDeps), intakeFeatures(ALL_ON)),
      ),
    );
  }
  await time.runUntil(() => failure !== undefined, START_MS + LONGEST_MS);
  if (failure !== undefined) throw failure;
  if (open !== 0) throw new Error(`${open} investigations were not run to their summaries`);
  // Writes that were gathered for later.
  for (const { segments, recorder: own } of deliveries) segments.at(-1)?.push(...own.take());
  return summarize(deliveries, count, rates.indexes());
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
function forwardCalls<T extends object>(like: T, target: () => T): T {
  const forward = (name: string) => {
    return (...args: unknown[]) =>
      (target() as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
  };
  return Object.fromEntries(Object.keys(like).map((name) => [name, forward(name)])) as T;
}

function summarize(deliveries: Delivery[], count: number, indexes: WriteRate[]): Counted {
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
    indexes: Object.fromEntries(
      indexes
        .toSorted((one, other) => other.operations - one.operations)
        .slice(0, INDEXES)
        .map(({ name, operations }) => [name, operations / count]),
    ),
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
