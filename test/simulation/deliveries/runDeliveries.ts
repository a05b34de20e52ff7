// Sessions with their messages in virtual time: processes die around each request, and the destination has faults. Some runs
// have many sessions, which a storm or a digest counts. The same seed gives the same run.

import type { ConfiguredDestination } from '../../../shared/contract/destination.ts';
import { createDocument, putDocument, replaceDocument, type Store } from '../../../shared/contract/store.ts';
import { RetryableError } from '../../../shared/errors.ts';
import { createLogger } from '../../../shared/log.ts';
import { createMaskers } from '../../../shared/masking/maskers.ts';
import { deliverGroup } from '../../../shared/runtime/deliveries/deliverGroup.ts';
import { deliverThread } from '../../../shared/runtime/deliveries/deliverThread.ts';
import { storeRejectedFate } from '../../../shared/runtime/features/alertFates/feature.ts';
import {
  type DueThread,
  deliveryMessageSchema,
  publishDelivery,
} from '../../../shared/runtime/features/outbox/deliveryMessage.ts';
import { outboxStore } from '../../../shared/runtime/features/outbox/outboxStore.ts';
import { publishLate } from '../../../shared/runtime/features/outbox/publishLate.ts';
import type { PubsubMessage } from '../../../shared/runtime/kernel/pubsubEvent.ts';
import type { Failure } from '../../../shared/schema/common.ts';
import {
  approvalType,
  deliveryGroupType,
  deliveryType,
  destinationStateType,
  outcomeType,
  paths,
  sessionType,
  stageType,
  threadType,
} from '../../../shared/schema/documents.ts';
import type { Delivery, DeliveryGroup, Thread } from '../../../shared/schema/features/delivery.ts';
import type { Outcome, OutcomeValue, Probe } from '../../../shared/schema/features/outcome.ts';
import type { Session } from '../../../shared/schema/session.ts';
import { createMemoryPublisher } from '../../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { parseJson } from '../../../shared/text/json.ts';
import { hourOf } from '../../../shared/text/utcPeriod.ts';
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

const maskerFor = createMaskers({ known: [] });
const START = Date.parse('2026-11-26T09:00:00.000Z');
const HOUR = 3_600_000;
/** Longer than all attempts at a message with their delays. */
const LIMIT_MS = 48 * HOUR;
const MINUTE = 60_000;
/** First messages of an hour, as shared/runtime/deliveries/groups.ts has them. */
const MAX_ROOTS = 20;

/** The result of one run. */
export interface DeliveryRun {
  seed: number;
  plan: DestinationPlan;
  deliveries: Delivery[];
  groups: DeliveryGroup[];
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
  /** The number of the latest state of a session. */
  revision: number;
  /** The latest title of each session. */
  titles: Map<string, string>;
  /** What the checks of each session find. */
  found: Map<string, readonly OutcomeValue[]>;
  /** Outcomes that the store refused, in words. */
  refused: string[];
  /** Alerts that are rejected; those of them whose fate, and the checks whose outcome is not stored yet. */
  rejected: number;
  unsettled: number;
}

/** Runs one seed. */
export async function runDeliveries(seed: number): Promise<DeliveryRun> {
  const world = createWorld(seed);
  const { time, store, plan, log } = world;
  takeMessages(world);
  sweepEachMinute(world);
  await fillHour(world);
  const sessionIds = Array.from({ length: plan.sessions }, (_, index) => `session-${index + 1}`);
  for (const sessionId of sessionIds) await liveSession(sessionId, world);
  rejectAlerts(world);
  let deliveries: Delivery[] = [];
  let groups: DeliveryGroup[] = [];
  let isOver = false;
  const look = async () => {
    const lists = sessionIds.map((id) => store.list({ collection: paths.deliveries(id) }, deliveryType));
    deliveries = (await Promise.all(lists)).flat().map(({ value }) => value);
    groups = (await store.list({ collection: 'deliveryGroups' }, deliveryGroupType)).map(
      ({ value }) => value,
    );
    const isOpen =
      deliveries.some(({ state }) => state === 'pending' || state === 'sending') ||
      groups.some(({ dueAt }) => dueAt !== null);
    isOver = deliveries.filter(({ event }) => event === 'ended').length === plan.sessions && !isOpen;
    isOver &&= world.unsettled === 0;
    time.after(MINUTE, () => void look());
  };
  time.after(MINUTE, () => void look());
  await time.runUntil(() => isOver, START + LIMIT_MS);
  // A late edit can still take effect.
  await time.runUntil(() => false, time.now() + 10 * MINUTE);
  const threads = await Promise.all(sessionIds.map((id) => store.get(paths.thread(id, 'team'), threadType)));
  const roots = threads.map((thread): Thread['root'] => thread?.value.root ?? 'none');
  const run = { seed, plan, deliveries, groups, log, deaths: world.deaths };
  return { ...run, violations: checkDeliveries({ ...run, ...world, isOver, roots }) };
}

function createWorld(seed: number): World {
  const random = createRandom(seed);
  const time = createVirtualTime(START);
  const now = () => new Date(time.now());
  const drawn = random.pick(GROUPINGS);
  const grouping: Grouping =
    drawn.grouping === 'none' && seed % 3 === 0 ? { grouping: 'rejected', sessions: 1 } : drawn;
  const plan: DestinationPlan = {
    resolution: random.pick(['probe', 'probe', 'key', 'repeatSafe', 'none']),
    faults: random.pick([0.05, 0.3, 0.6]),
    timeoutMs: random.pick([5_000, 15_000, 30_000]),
    ...grouping,
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
    titles: new Map(),
    found: new Map(),
    refused: [],
    rejected: 0,
    unsettled: 0,
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
    if ('inboxId' in parsed) return id;
    const copies = random.chance(0.1) ? 0 : random.chance(0.2) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++)
      time.after(random.int(5, 2_000), () => invoke(parsed, world, 0));
    return id;
  };
}

function invoke(due: Exclude<DueThread, { inboxId: string }>, world: World, failures: number): void {
  const { time, random, plan, log, clock, logger, publisher } = world;
  const sender = { dieAtSomeTime: () => die(world) };
  const deps = {
    clock,
    publisher,
    log: logger,
    publicUrl: null,
    store: unreliableStore(world),
    newId: () => `process-${++world.processes}`,
    failpoint: () => (random.chance(plan.faults / 10) ? die(world) : Promise.resolve()),
    destinations: async (): Promise<ConfiguredDestination> => ({
      destination: simulatedDestination(plan, log, { random, time, sender }),
      tenants: ['default'],
      onDoubt: 'repeat',
    }),
  };
  const deliver = 'groupId' in due ? deliverGroup(due.groupId, deps) : deliverThread(due, deps);
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

type Grouping = Pick<DestinationPlan, 'grouping' | 'sessions'>;
const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { grouping: 'none', sessions: 1 },
  { grouping: 'none', sessions: 1 },
  { grouping: 'storm', sessions: 4 },
  { grouping: 'digest', sessions: 3 },
];

/** The values that the checks of a session find; none without probes. */
const FOUND: readonly [OutcomeValue[], ...OutcomeValue[][]] = [
  [],
  ['held', 'held'],
  ['unknown', 'held'],
  ['unknown', 'unknown'],
  ['self_resolved', 'recurred'],
];

const PROBE: Probe = {
  id: 'a.p1',
  executionId: '01-agent',
  tool: 'pods.memory',
  arguments: '{}',
  action: null,
  find: 'memory at',
  is: 'below',
  value: '400Mi',
};

/** In a storm, most first messages of this hour are taken by other sessions. */
async function fillHour({ store, random, plan, time }: World): Promise<void> {
  if (plan.grouping !== 'storm') return;
  const state = {
    destination: 'team',
    refusals: 0,
    closedUntil: null,
    failure: null,
    hour: hourOf(new Date(time.now())),
    roots: MAX_ROOTS - random.int(0, 2),
    expireAt: new Date(START + 100 * HOUR),
  };
  await store.commit([createDocument(paths.destination('team'), destinationStateType, state)]);
}

/** Alerts that cannot be read arrive for some hours. */
function rejectAlerts(world: World): void {
  const { time, random, plan } = world;
  if (plan.grouping !== 'rejected') return;
  const digestMs = random.pick([null, null, HOUR]);
  world.rejected = random.int(1, 12);
  world.unsettled += world.rejected;
  for (let index = 0; index < world.rejected; index++) {
    const at = random.int(1_000, random.pick([MINUTE, 2 * HOUR]));
    const code = random.pick(['ALERT_INVALID' as const, 'CONFIG_UNKNOWN_CHAIN' as const]);
    const publishedAt = new Date(START + at);
    const rest = { attributes: {}, publishedAt, traceparent: null, deliveryAttempt: null };
    const message = { messageId: `alert-${index}`, data: Buffer.from('{'), ...rest };
    time.after(at, () => void rejectAlert(message, code, digestMs, world, 0));
  }
}

/** Stores the fate of one, as `ingestAlert` does at each delivery. */
async function rejectAlert(
  message: PubsubMessage,
  code: Failure['code'],
  digestMs: number | null,
  world: World,
  failures: number,
): Promise<void> {
  const { time, random, plan, clock, logger, publisher } = world;
  const notify = () => [{ to: 'team', when: ['rejected' as const], digestMs }];
  const deps = { clock, publisher, log: logger, maskerFor, store: unreliableStore(world) };
  try {
    const failure = { code, message: 'It cannot be read.' };
    const ids = await storeRejectedFate(message, message, failure, { notify, defaultChain: 'chain' }, deps);
    world.unsettled -= 1;
    if (random.chance(plan.faults / 10)) return void die(world);
    for (const groupId of ids) await publishDelivery(publisher, { groupId });
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    const again = () => void rejectAlert(message, code, digestMs, world, failures + 1);
    time.after(10_000 * 2 ** Math.min(failures, 5), again);
  }
}

/** A session opens, moves on some times, may ask for an approval, and ends. */
async function liveSession(sessionId: string, world: World): Promise<void> {
  const { time, random } = world;
  const writer = outboxStore(world.store, { ...world, log: world.logger });
  const notify = [
    {
      to: 'team',
      when: ['opened', 'approval', 'ended', 'failed', 'outcome'],
      digestMs: world.plan.grouping === 'digest' ? HOUR : null,
    },
  ];
  const session = sampleSession({
    sessionId,
    notify,
    title: titleOf(0),
    expireAt: new Date(START + 100 * HOUR),
  });
  const stage = sampleStage({ sessionId });
  world.titles.set(sessionId, titleOf(0));
  await writer.commit([
    createDocument(paths.session(sessionId), sessionType, session),
    createDocument(paths.stage(sessionId, stage.stageId), stageType, stage),
  ]);
  let at = 0;
  const then = (action: () => Promise<void>) => {
    at += random.int(1_000, random.pick([15_000, 120_000]));
    time.after(at, () => void action());
  };
  for (let index = 2; index < 2 + random.int(0, 5); index++)
    then(() => changeSession(sessionId, world, writer, {}, index));
  if (random.chance(0.6)) {
    const approval = sampleApproval({ sessionId, approvalId: `approval-${sessionId}`, status: 'pending' });
    const path = paths.approval(approval.approvalId);
    then(async () => void (await writer.commit([createDocument(path, approvalType, approval)])));
    then(async () => {
      const stored = await writer.get(path, approvalType);
      if (stored === undefined) return;
      const decided = { ...approval, status: 'approved', decidedBy: 'jane' } as const;
      await writer.commit([replaceDocument(path, approvalType, decided, stored.version)]);
    });
  }
  then(() =>
    changeSession(sessionId, world, writer, { status: 'completed', endedAt: new Date(time.now()) }, null),
  );
  await checkOutcomes(sessionId, world, writer);
}

/** The checks of an outcome find the values one after the other. */
async function checkOutcomes(sessionId: string, world: World, writer: Store): Promise<void> {
  const { time, random } = world;
  const values = random.pick(FOUND);
  world.found.set(sessionId, values);
  world.unsettled += values.length;
  const path = paths.outcome(sessionId);
  for (const [index, value] of values.entries()) {
    const dueAt = index === values.length - 1 ? null : new Date(START + HOUR);
    const store = async () => {
      const now = new Date(time.now());
      const checks = (await writer.get(path, outcomeType))?.value.checks ?? [];
      const check = { stageId: null, startedAt: now, endedAt: now, results: [] };
      const outcome: Outcome = {
        sessionId,
        probes: [PROBE],
        checks: [...checks, check],
        value,
        reason: 'It says so.',
        dueAt,
        expireAt: new Date(START + 100 * HOUR),
        createdAt: now,
      };
      const { ok } = await writer.commit([putDocument(path, outcomeType, outcome)]);
      if (!ok) world.refused.push(`the outcome ${value} of ${sessionId} is not stored`);
      world.unsettled -= 1;
    };
    time.after(30 * MINUTE * (index + 1) + random.int(1, 5 * MINUTE), () => void store());
  }
}

/** @param stage the position of the stage that starts; null for none. */
async function changeSession(
  sessionId: string,
  world: World,
  writer: Store,
  change: Partial<Session>,
  stage: number | null,
): Promise<void> {
  const stored = await writer.get(paths.session(sessionId), sessionType);
  if (stored === undefined) return;
  world.revision += 1;
  world.titles.set(sessionId, titleOf(world.revision));
  const changed: Session = { ...stored.value, ...change, title: titleOf(world.revision) };
  const started = stage === null ? [] : [sampleStage({ sessionId, index: stage, stageId: `0${stage}-next` })];
  const result = await writer.commit([
    replaceDocument(paths.session(sessionId), sessionType, changed, stored.version),
    ...started.map((one) => createDocument(paths.stage(sessionId, one.stageId), stageType, one)),
  ]);
  if (!result.ok) throw new Error(`the session was not changed: ${result.reason}`);
}
