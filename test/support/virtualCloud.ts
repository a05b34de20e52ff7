// Pub/Sub and Cloud Scheduler in the time of a test's clock: failed deliveries come again after a back-off,
// and the sweep runs once a minute. With a quota or an outage between the Gemini SDK and the scripted Gemini.

import { MAX_DELIVERIES, TOPICS } from '../../shared/core/contract/publisher.ts';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import { createCircuits } from '../../shared/llm/inline/circuits.ts';
import type { PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import type { Bench } from './harness.ts';

const MINUTE = 60_000;
/** Steps of a run; one that publishes without end stops there. */
const MAX_STEPS = 5_000;

interface Pending {
  message: PublishedMessage;
  at: number;
  failures: number;
}

/** What happened in a run. */
export interface Deliveries {
  handled: number;
  failed: number;
  /** The longest number of failures of one message. */
  mostFailures: number;
}

/** Delivers and sweeps until nothing is left or `isOver`; due messages side by side. */
export async function runCloud(bench: Bench, isOver: () => Promise<boolean>): Promise<Deliveries> {
  const { clock, publisher } = bench.deps;
  const now = () => clock.now().getTime();
  const counts: Deliveries = { handled: 0, failed: 0, mostFailures: 0 };
  let seen = 0;
  let nextTick = now() + MINUTE;
  let pending: Pending[] = [];
  const deliver = async (one: Pending) => {
    try {
      await bench.deliver(one.message);
      counts.handled += 1;
    } catch {
      const failures = one.failures + 1;
      counts.failed += 1;
      counts.mostFailures = Math.max(counts.mostFailures, failures);
      const at = now() + Math.min(10_000 * 2 ** (failures - 1), 10 * MINUTE);
      if (failures === MAX_DELIVERIES)
        pending.push({ message: { ...one.message, topic: TOPICS.iterationsDead }, at: now(), failures: 0 });
      else pending.push({ ...one, at, failures });
    }
  };
  for (let step = 0; step < MAX_STEPS && !(await isOver()); step++) {
    for (; seen < publisher.published.length; seen++) {
      const message = publisher.published[seen];
      if (message !== undefined) pending.push({ message, at: now(), failures: 0 });
    }
    const at = Math.min(nextTick, ...pending.map((one) => one.at));
    clock.advance(Math.max(0, at - now()));
    if (at === nextTick) {
      await bench.tick();
      nextTick += MINUTE;
    }
    const due = pending.filter((one) => one.at <= now());
    pending = pending.filter((one) => one.at > now());
    await Promise.all(due.map(deliver));
  }
  return counts;
}

/** An answer instead of the model's. */
export type Refusal = { status: number; body: object };

/** The error body of Gemini's API. */
export function refusal(status: number, details: object[] = []): Refusal {
  const name = status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE';
  return { status, body: { error: { code: status, message: 'Try again later.', status: name, details } } };
}

/**
 * Has the bench ask the scripted Gemini through a gate, as an instance with circuit breakers of its own.
 * @param refuse what is answered instead of the model's answer; undefined when the request is let through.
 * @returns how many requests were refused, and how many were let through.
 */
export function gateModel(
  { deps, gemini }: Bench,
  refuse: (now: Date) => Refusal | undefined,
): { refused: number; useful: number } {
  const counts = { refused: 0, useful: 0 };
  const now = () => deps.clock.now().getTime();
  const random = numbers();
  const gate: typeof fetch = async (url, init) => {
    const refused = refuse(deps.clock.now());
    if (refused === undefined) {
      counts.useful += 1;
      return fetch(url, init);
    }
    counts.refused += 1;
    return Response.json(refused.body, { status: refused.status });
  };
  deps.random = random;
  deps.llm = createGeminiClient({
    env: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' },
    circuits: createCircuits({ now, random }),
    fetch: gate,
    now,
    random,
    sleep: async () => {},
  });
  return counts;
}

/** Numbers from 0 up to 1, the same in every run. */
function numbers(): () => number {
  let state = 12_345;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
