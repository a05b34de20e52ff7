// After ten minutes without the model, Firestore or Pub/Sub, and after a pause of the installation,
// investigations come back at the rate that they had, in virtual time.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import type { LlmClient } from '../../../shared/core/contract/llm.ts';
import { MAX_DELIVERIES, TOPICS } from '../../../shared/core/contract/publisher.ts';
import type { Store } from '../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import type { IterationMessage } from '../../../shared/core/schema/iterationMessage.ts';
import { pauseSystem, resumeSystem } from '../../../shared/kits/steering/pauseSystem.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import type { PublishedMessage } from '../../../shared/store/memory/memoryPublisher.ts';
import { instantTool } from '../../bench/instantWorld.ts';
import { startBench } from '../../support/harness.ts';
import { createPacedModel, ITERATION_MS, pacedBench } from '../../support/manyInvestigations.ts';
import { createWriteRates, type WriteRates } from '../../support/writeRates.ts';

const INVESTIGATIONS = 200;
const ITERATIONS = 20;
/** Seconds. All investigations have begun in the first ten. */
const AWAY_FROM = 40;
const AWAY_UNTIL = AWAY_FROM + 600;
/** One iteration more writes the summary. */
const IDEAL = (ITERATIONS + 1) * (ITERATION_MS / 1000) + 10 - AWAY_FROM;
const BACKOFF = { first: 10, longest: 600 };

type Outage = 'model' | 'firestore' | 'pubsub' | 'pause';

/** Refuses calls while `isAway`. */
function guard<A extends unknown[], R>(isAway: () => boolean, call: (...args: A) => Promise<R>) {
  return async (...args: A): Promise<R> => {
    if (isAway()) throw new RetryableError('STORE_UNAVAILABLE', 'away');
    return call(...args);
  };
}

function failingStore(store: Store, isAway: () => boolean): Store {
  return {
    ...store,
    get: guard(isAway, store.get) as Store['get'],
    list: guard(isAway, store.list) as Store['list'],
    find: guard(isAway, store.find) as Store['find'],
    listIds: guard(isAway, store.listIds),
    commit: guard(isAway, store.commit),
    increment: guard(isAway, store.increment) as Store['increment'],
    incrementAll: guard(isAway, store.incrementAll) as Store['incrementAll'],
    async *findByTime(query) {
      if (isAway()) throw new RetryableError('STORE_UNAVAILABLE', 'away');
      yield* store.findByTime(query);
    },
  };
}

/** Runs all investigations to their end. */
async function recover(outage: Outage) {
  let second = 0;
  const isAway = (what: Outage) => outage === what && second >= AWAY_FROM && second < AWAY_UNTIL;
  let rates: WriteRates | undefined;
  const bench = await startBench({
    ...pacedBench(),
    deadlineMs: 7_200_000,
    budgets: {},
    modelQuotas: {},
    wrapStore(store, { now }) {
      rates = createWriteRates(now);
      return failingStore(rates.count(store), () => isAway('firestore'));
    },
  });
  const { clock, publisher } = bench.deps;
  /** Answers of the model by second, and the sessions in the order in which they came back. */
  const calls: number[] = [];
  const back: string[] = [];
  const model = createPacedModel(ITERATIONS);
  const llm: LlmClient = {
    async generate(request, options) {
      options.report.attempts = 1;
      if (isAway('model')) throw new RetryableError('MODEL_UNAVAILABLE', 'away');
      calls[second] = (calls[second] ?? 0) + 1;
      return model.generate(request, options);
    },
  };
  let state = 7;
  const tool = instantTool();
  const system = {
    ...bench.deps,
    llm,
    random: () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    },
    connectTools: async () => tool,
    publisher: {
      ...publisher,
      publish: guard(() => isAway('pubsub'), publisher.publish),
    },
  };

  const due = new Map<number, { message: PublishedMessage; failures: number }[]>();
  const schedule = (at: number, message: PublishedMessage, failures: number) =>
    void due.set(at, [...(due.get(at) ?? []), { message, failures }]);
  let seen = 0;
  const takePublished = () => {
    for (; seen < publisher.published.length; seen++) {
      const message = publisher.published[seen] as PublishedMessage;
      const isIteration = message.topic === TOPICS.iterations;
      if (isIteration && second >= AWAY_UNTIL)
        back.push((JSON.parse(message.data.toString()) as IterationMessage).sessionId);
      schedule(second + (isIteration ? ITERATION_MS / 1000 : 0), message, 0);
    }
  };
  const retry = (message: PublishedMessage, failures: number) => {
    if (failures === MAX_DELIVERIES && message.topic === TOPICS.iterations)
      schedule(second + 1, { ...message, topic: TOPICS.iterationsDead }, 0);
    else schedule(second + Math.min(BACKOFF.first * 2 ** (failures - 1), BACKOFF.longest), message, failures);
  };

  let sweep: Promise<unknown> | undefined;
  let opened = 0;
  for (; second < AWAY_UNTIL + 3 * IDEAL; second++) {
    for (; opened < Math.min(INVESTIGATIONS, (second + 1) * (INVESTIGATIONS / 10)); opened++)
      await bench.publishAlert({
        title: `Problem ${opened}`,
        severity: opened % 10 === 9 ? 'critical' : 'warning',
        status: 'firing',
      });
    if (outage === 'pause' && second === AWAY_FROM)
      await pauseSystem({ by: 'ada', forMs: 3_600_000 }, system);
    if (outage === 'pause' && second === AWAY_UNTIL) await resumeSystem({ by: 'ada' }, system);
    takePublished();
    for (let open = due.get(second); open !== undefined; open = due.get(second)) {
      due.delete(second);
      for (const { message, failures } of open)
        await bench.deliver(message, system).catch(() => retry(message, failures + 1));
      takePublished();
    }
    // A sweep takes as long as it takes; the schedule starts no second one beside it.
    if (second % 60 === 59)
      sweep ??= bench
        .tick(system)
        .catch(() => {})
        .finally(() => {
          sweep = undefined;
        });
    for (let turn = 0; sweep !== undefined && turn < 300; turn++) await setImmediate();
    takePublished();
    clock.advance(1000);
  }
  const sessions = await bench.deps.store.list({ collection: paths.sessions }, sessionType);
  const peak = (from: number, to: number) =>
    Math.max(...Array.from({ length: to - from }, (_, index) => calls[from + index] ?? 0));
  return {
    sessions: sessions.map(({ value }) => value),
    back: [...new Set(back)],
    sustained: peak(20, AWAY_FROM),
    peak: peak(AWAY_UNTIL, calls.length),
    took: calls.length - 1 - AWAY_UNTIL,
    // The first messages of an hour are an exception of the rule of documents.
    hot: rates
      ?.documents()
      .filter(({ name, perSecond }) => perSecond > 1 && !name.startsWith('destinations/')),
  };
}

it.each<Outage>(['model', 'firestore', 'pubsub', 'pause'])(
  'ten minutes without it are followed by the rate before, at most half as much again: %s',
  async (outage) => {
    const { sessions, back, sustained, peak, took, hot } = await recover(outage);
    if (process.env.PRINT_MEASURED) console.log(outage, { sustained, peak, took, ideal: IDEAL });
    expect(sessions.map(({ status }) => status)).toEqual(Array(INVESTIGATIONS).fill('completed'));
    expect(peak).toBeLessThanOrEqual(1.5 * sustained);
    expect(took).toBeLessThanOrEqual(2 * IDEAL);
    expect(hot).toEqual([]);
    // After the others Pub/Sub delivers what has failed in the order in which it did.
    if (outage !== 'pause' && outage !== 'pubsub') return;
    const urgency = new Map(
      sessions.map((session) => [
        session.sessionId,
        (readSessionAlert(session)?.severity === 'critical' ? 0 : 1e15) + session.createdAt.getTime(),
      ]),
    );
    const order = back.map((sessionId) => urgency.get(sessionId) ?? 0);
    expect(order).toHaveLength(INVESTIGATIONS);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  },
);
