// One session with its messages in virtual time: processes die around each request, and the destination has faults. The same
// seed gives the same run.

import { createDocument, replaceDocument, type Store } from '../../../shared/contract/store.ts';
import { RetryableError } from '../../../shared/errors.ts';
import { createLogger } from '../../../shared/log.ts';
import { deliverThread } from '../../../shared/runtime/deliveries/deliverThread.ts';
import { deliveryMessageSchema } from '../../../shared/runtime/features/outbox/deliveryMessage.ts';
import { outboxStore } from '../../../shared/runtime/features/outbox/outboxStore.ts';
import { publishLate } from '../../../shared/runtime/features/outbox/publishLate.ts';
import type { Delivery } from '../../../shared/schema/delivery.ts';
import {
  approvalType,
  deliveryType,
  paths,
  sessionType,
  stageType,
} from '../../../shared/schema/documents.ts';
import type { Session } from '../../../shared/schema/session.ts';
import { createMemoryPublisher } from '../../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { parseJson } from '../../../shared/text/json.ts';
import { sampleApproval, sampleSession, sampleStage } from '../../support/samples.ts';
import { createRandom, type Random } from '../random.ts';
import { createVirtualTime, type VirtualTime } from '../virtualTime.ts';
import { checkDeliveries } from './deliveryRules.ts';
import {
  createDestinationLog,
  type DestinationLog,
  type DestinationPlan,
  simulatedDestination,
} from './simulatedDestination.ts';

const START = Date.parse('2026-11-26T09:00:00.000Z');
const HOUR = 3_600_000;
/** Longer than all attempts at a message with their delays. */
const LIMIT_MS = 48 * HOUR;
const MINUTE = 60_000;
const SESSION = 'session-1';

/** The result of one run. */
export interface DeliveryRun {
  seed: number;
  plan: DestinationPlan;
  deliveries: Delivery[];
  log: DestinationLog;
  /** How often a process died. */
  deaths: number;
  violations: string[];
}

interface World {
  random: Random;
  time: VirtualTime;
  store: Store;
  plan: DestinationPlan;
  log: DestinationLog;
  logger: ReturnType<typeof createLogger>;
  clock: { now(): Date; every(): () => void; after(): () => void };
  publisher: ReturnType<typeof createMemoryPublisher>;
  deaths: number;
  processes: number;
  /** The number of the latest state of the session. */
  revision: number;
}

/** Runs one seed. */
export async function runDeliveries(seed: number): Promise<DeliveryRun> {
  const world = createWorld(seed);
  const { time, store, plan, log } = world;
  takeMessages(world);
  sweepEachMinute(world);
  await liveSession(world);
  let deliveries: Delivery[] = [];
  let isOver = false;
  const look = async () => {
    deliveries = (await store.list({ collection: paths.deliveries(SESSION) }, deliveryType)).map(
      ({ value }) => value,
    );
    const isOpen = deliveries.some(({ state }) => state === 'pending' || state === 'sending');
    isOver = deliveries.some(({ event }) => event === 'ended') && !isOpen;
    time.after(MINUTE, () => void look());
  };
  time.after(MINUTE, () => void look());
  await time.runUntil(() => isOver, START + LIMIT_MS);
  // A late edit can still take effect.
  await time.runUntil(() => false, time.now() + 10 * MINUTE);
  const run = { seed, plan, deliveries, log, deaths: world.deaths };
  return { ...run, violations: checkDeliveries({ ...run, isOver, lastTitle: titleOf(world.revision) }) };
}

function createWorld(seed: number): World {
  const random = createRandom(seed);
  const time = createVirtualTime(START);
  const now = () => new Date(time.now());
  const plan: DestinationPlan = {
    resolution: random.pick(['probe', 'probe', 'key', 'repeatSafe', 'none']),
    faults: random.pick([0.05, 0.3, 0.6]),
    timeoutMs: random.pick([5_000, 15_000, 30_000]),
  };
  const never = () => () => {};
  return {
    random,
    time,
    store: createMemoryStore(now),
    plan,
    log: createDestinationLog(),
    logger: createLogger({ LOG_LEVEL: 'silent' }),
    clock: { now, every: never, after: never },
    publisher: createMemoryPublisher(),
    deaths: 0,
    processes: 0,
    revision: 0,
  };
}

/** Pub/Sub: each message is delivered after a while, some twice or not at all; a failed delivery is repeated. */
function takeMessages(world: World): void {
  const { time, random, publisher } = world;
  const { publish } = publisher;
  publisher.publish = async (topic, data, attributes) => {
    const id = await publish(topic, data, attributes);
    const message = publisher.published.at(-1);
    const parsed = deliveryMessageSchema.parse(parseJson(Buffer.from(message?.data ?? []).toString()));
    if (!('sessionId' in parsed)) return id;
    const copies = random.chance(0.1) ? 0 : random.chance(0.2) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++)
      time.after(random.int(5, 2_000), () => invoke(parsed, world, 0));
    return id;
  };
}

function invoke(due: { sessionId: string; destination: string }, world: World, failures: number): void {
  const { time, random, plan, log, clock, logger, publisher } = world;
  const sender = { dieAtSomeTime: () => die(world) };
  const deliver = deliverThread(due, {
    ...{ clock, publisher, log: logger, publicUrl: null },
    store: unreliableStore(world),
    newId: () => `process-${++world.processes}`,
    failpoint: () => (random.chance(plan.faults / 10) ? die(world) : Promise.resolve()),
    destinations: async () => ({
      destination: simulatedDestination(plan, log, { random, time, sender }),
      tenants: ['default'],
      onDoubt: 'repeat',
    }),
  });
  deliver.catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error;
    if (failures < 5) time.after(10_000 * 2 ** failures, () => invoke(due, world, failures + 1));
  });
}

/** A process that dies goes on with nothing. */
function die(world: World): Promise<never> {
  world.deaths += 1;
  return new Promise(() => {});
}

/** Some commits take effect and their answer is lost, others fail. */
function unreliableStore({ store, random, plan }: World): Store {
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

function sweepEachMinute(world: World): void {
  const { time, store, publisher, clock, logger } = world;
  const sweep = () => {
    void publishLate({ store, publisher, clock, log: logger });
    time.after(MINUTE, sweep);
  };
  time.after(MINUTE, sweep);
}

const titleOf = (revision: number): string => `state ${String(revision).padStart(3, '0')}`;

/** The session opens, moves on some times, may ask for an approval, and ends. */
async function liveSession(world: World): Promise<void> {
  const { time, random } = world;
  const writer = outboxStore(world.store, { ...world, log: world.logger });
  const notify = [{ to: 'team', when: ['opened', 'approval', 'ended', 'failed'], digestMs: null }];
  const session = sampleSession({
    sessionId: SESSION,
    notify,
    title: titleOf(0),
    expireAt: new Date(START + 100 * HOUR),
  });
  const stage = sampleStage({ sessionId: SESSION });
  await writer.commit([
    createDocument(paths.session(SESSION), sessionType, session),
    createDocument(paths.stage(SESSION, stage.stageId), stageType, stage),
  ]);
  let at = 0;
  const then = (action: () => Promise<void>) => {
    at += random.int(1_000, random.pick([15_000, 120_000]));
    time.after(at, () => void action());
  };
  for (let index = 2; index < 2 + random.int(0, 5); index++)
    then(() => changeSession(world, writer, {}, index));
  if (random.chance(0.6)) {
    const approval = sampleApproval({ sessionId: SESSION, status: 'pending' });
    const path = paths.approval(approval.approvalId);
    then(async () => void (await writer.commit([createDocument(path, approvalType, approval)])));
    then(async () => {
      const stored = await writer.get(path, approvalType);
      if (stored === undefined) return;
      const decided = { ...approval, status: 'approved', decidedBy: 'jane' } as const;
      await writer.commit([replaceDocument(path, approvalType, decided, stored.version)]);
    });
  }
  then(() => changeSession(world, writer, { status: 'completed', endedAt: new Date(time.now()) }, null));
}

/** @param stage the position of the stage that starts; null for none. */
async function changeSession(
  world: World,
  writer: Store,
  change: Partial<Session>,
  stage: number | null,
): Promise<void> {
  const stored = await writer.get(paths.session(SESSION), sessionType);
  if (stored === undefined) return;
  world.revision += 1;
  const changed: Session = { ...stored.value, ...change, title: titleOf(world.revision) };
  const started =
    stage === null ? [] : [sampleStage({ sessionId: SESSION, index: stage, stageId: `0${stage}-next` })];
  const result = await writer.commit([
    replaceDocument(paths.session(SESSION), sessionType, changed, stored.version),
    ...started.map((one) => createDocument(paths.stage(SESSION, one.stageId), stageType, one)),
  ]);
  if (!result.ok) throw new Error(`the session was not changed: ${result.reason}`);
}
