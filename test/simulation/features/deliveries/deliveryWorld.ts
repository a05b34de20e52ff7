// A run of the simulation of messages: its random settings, and the state that its processes share.

import type { Store } from '../../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../../shared/core/errors.ts';
import { createRandom, type Random } from '../../../../shared/engine/testing/random.ts';
import { createVirtualTime, type VirtualTime } from '../../../../shared/engine/testing/virtualTime.ts';
import type { OutcomeValue } from '../../../../shared/kits/alerts/outcome.ts';
import type { DestinationState } from '../../../../shared/kits/deliveries/delivery.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import { createLogger } from '../../../../shared/log.ts';
import { createMemoryPublisher } from '../../../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../../shared/store/memory/memoryStore.ts';
import {
  createDestinationLog,
  type DestinationLog,
  type DestinationPlan,
  type Trouble,
} from './simulatedDestination.ts';

/** When runs start, in epoch milliseconds. */
export const START = Date.parse('2026-11-26T09:00:00.000Z');
/** The name of the destination. */
export const TEAM = 'team';
const MINUTE = 60_000;
/** The clock of a process is at most so far from the true time: two clocks differ by less than 30 s. */
const CLOCK_ERROR_MS = 14_000;
/** A closed circuit, not a message that tries the destination. */
const FULL_CLOSURE_MS = 5 * MINUTE;

/** The clock of one process. */
type ProcessClock = { now(): Date; every(): () => void; after(): () => void };

/** Everything that the processes of a run share. */
export interface World {
  random: Random;
  time: VirtualTime;
  store: Store;
  plan: DestinationPlan;
  log: DestinationLog;
  logger: ReturnType<typeof createLogger>;
  publisher: ReturnType<typeof createMemoryPublisher>;
  /** The clock of a new process. */
  newClock(): ProcessClock;
  deaths: number;
  processes: number;
  /** The number of the latest state of a session. */
  revision: number;
  /** The latest title of each session. */
  titles: Map<string, string>;
  /** The title of the result of each session. */
  results: Map<string, string>;
  /** The findings of the checks of each session. */
  found: Map<string, readonly OutcomeValue[]>;
  /** Rules that were broken during the run, in words. */
  broken: string[];
  /** Alerts that are rejected; those of them whose fate, and the checks whose outcome is not stored yet. */
  rejected: number;
  unsettled: number;
  /** The destination gets a request: its circuit must let it pass. */
  onRequest(): void;
}

type Grouping = Pick<DestinationPlan, 'grouping' | 'sessions'>;
const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { grouping: 'none', sessions: 1 },
  { grouping: 'none', sessions: 1 },
  { grouping: 'storm', sessions: 4 },
  { grouping: 'digest', sessions: 3 },
];

/** Makes the world of a seed. */
export function createWorld(seed: number): World {
  const random = createRandom(seed);
  const time = createVirtualTime(START);
  const now = () => new Date(time.now());
  const plan = drawPlan(seed, random);
  const never = () => () => {};
  const broken: string[] = [];
  const { store, onRequest } = watchCircuit(createMemoryStore(now), time, broken);
  return {
    random,
    time,
    store,
    plan,
    log: createDestinationLog(),
    logger: createLogger({ LOG_LEVEL: 'silent' }),
    publisher: createMemoryPublisher(),
    newClock() {
      const error = random.int(-CLOCK_ERROR_MS, CLOCK_ERROR_MS);
      return { now: () => new Date(time.now() + error), every: never, after: never };
    },
    deaths: 0,
    processes: 0,
    revision: 0,
    titles: new Map(),
    results: new Map(),
    found: new Map(),
    broken,
    rejected: 0,
    unsettled: 0,
    onRequest,
  };
}

function drawPlan(seed: number, random: Random): DestinationPlan {
  const drawn = random.pick(GROUPINGS);
  const grouping: Grouping =
    drawn.grouping === 'none' && seed % 3 === 0 ? { grouping: 'rejected', sessions: 1 } : drawn;
  const plan: DestinationPlan = {
    resolution: random.pick(['probe', 'probe', 'key', 'repeatSafe', 'none']),
    faults: random.pick([0.05, 0.3, 0.6]),
    timeoutMs: random.pick([5_000, 15_000, 30_000]),
    onDoubt: random.pick(['repeat', 'repeat', 'hold']),
    trouble: drawTrouble(random),
    // A circuit needs three messages that are refused.
    ...(grouping.sessions === 1 ? { ...grouping, sessions: random.pick([1, 1, 1, 5]) } : grouping),
  };
  // A count edited while the circuit is open needs a credential that is revoked early.
  const trouble: Trouble = { kind: 'revoked', from: START + MINUTE, to: START + 61 * MINUTE };
  return seed % 25 === 24 ? { ...plan, grouping: 'storm', sessions: 8, trouble } : plan;
}

/** Half of the runs have none. */
function drawTrouble(random: Random): Trouble {
  const from = START + random.int(0, random.pick([MINUTE, 5 * MINUTE]));
  const lasts = random.pick([MINUTE, MINUTE, 60 * MINUTE, 180 * MINUTE]);
  const kind = random.pick(['none', 'none', 'none', 'revoked', 'removed', 'deleted'] as const);
  const isForGood = kind === 'removed' && random.chance(0.3);
  return { kind, from, to: isForGood ? Number.POSITIVE_INFINITY : from + lasts };
}

/** Whether the trouble of a run lasts at this time. */
export function isTroubled({ trouble }: DestinationPlan, kind: Trouble['kind'], now: number): boolean {
  return trouble.kind === kind && now >= trouble.from && now < trouble.to;
}

/** A closed circuit lets no request pass; after its pause, one message tries the destination. */
function watchCircuit(
  store: Store,
  time: VirtualTime,
  broken: string[],
): { store: Store; onRequest(): void } {
  let closure: { at: number; until: number; requests: number } | undefined;
  const watched: Store = {
    ...store,
    async commit(writes) {
      const result = await store.commit(writes);
      const change = writes.find(({ path }) => path === paths.destination(TEAM));
      if (!result.ok || change === undefined || change.op === 'delete') return result;
      const { closedUntil } = change.value as DestinationState;
      closure =
        closedUntil === null ? undefined : { at: time.now(), until: closedUntil.getTime(), requests: 0 };
      return result;
    },
  };
  const onRequest = () => {
    const now = time.now();
    if (closure === undefined || now <= closure.at) return;
    closure.requests += 1;
    const isOpen = now < closure.until - 2 * CLOCK_ERROR_MS;
    if (isOpen && closure.until - closure.at > FULL_CLOSURE_MS)
      broken.push('a request while the circuit is open');
    else if (closure.requests > 1) broken.push('several messages try a destination that refused');
  };
  return { store: watched, onRequest };
}

/** A process that dies goes on with nothing. */
export function die(world: World): Promise<never> {
  world.deaths += 1;
  return new Promise(() => {});
}

/** Some commits take effect and their answer is lost, others fail. */
export function unreliableStore({ store, random, plan }: World): Store {
  return {
    ...store,
    async commit(writes) {
      const isLost = random.chance(plan.faults / 20);
      if (isLost && random.chance(0.5)) throw new RetryableError('STORE_UNAVAILABLE', 'the store is down');
      const result = await store.commit(writes);
      if (isLost) throw new RetryableError('STORE_UNAVAILABLE', 'the answer is lost');
      return result;
    },
  };
}
