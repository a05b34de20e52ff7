// Sessions with their messages in virtual time: processes die around each request, their clocks differ, and
// the destination has faults. Some runs have many sessions, which a storm or a digest counts. The same seed
// gives the same run.

import type { ConfiguredDestination } from '../../../../shared/contract/destination.ts';
import { RetryableError } from '../../../../shared/core/errors.ts';
import { deliverGroup } from '../../../../shared/features/deliveries/deliverGroup.ts';
import { deliverThread } from '../../../../shared/features/deliveries/deliverThread.ts';
import { publishLate } from '../../../../shared/features/deliveries/outbox/publishLate.ts';
import type { Delivery, DeliveryGroup, Thread } from '../../../../shared/kits/deliveries/delivery.ts';
import { type DueThread, deliveryMessageSchema } from '../../../../shared/kits/deliveries/deliveryMessage.ts';
import {
  deliveryGroupType,
  deliveryType,
  groupMemberType,
  paths,
  threadType,
} from '../../../../shared/lists/documents.ts';
import { parseJson } from '../../../../shared/text/json.ts';
import { composeState } from '../../../../shared/wiring/composeState.ts';
import { fillHour, liveSession, rejectAlerts } from './deliveryCauses.ts';
import { checkDeliveries } from './deliveryRules.ts';
import { createWorld, die, isTroubled, START, TEAM, unreliableStore, type World } from './deliveryWorld.ts';
import { type DestinationLog, type DestinationPlan, simulatedDestination } from './simulatedDestination.ts';

const MINUTE = 60_000;
/** Longer than all attempts at a message with their delays. */
const LIMIT_MS = 48 * 60 * MINUTE;

/** The result of one run. */
export interface DeliveryRun {
  seed: number;
  plan: DestinationPlan;
  deliveries: Delivery[];
  groups: (DeliveryGroup & { groupId: string })[];
  log: DestinationLog;
  /** How often a process died. */
  deaths: number;
  violations: string[];
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
  let groups: DeliveryRun['groups'] = [];
  let isOver = false;
  const look = async () => {
    const lists = sessionIds.map((id) => store.list({ collection: paths.deliveries(id) }, deliveryType));
    deliveries = (await Promise.all(lists)).flat().map(({ value }) => value);
    groups = (await store.list({ collection: 'deliveryGroups' }, deliveryGroupType)).map(({ id, value }) => ({
      ...value,
      groupId: id,
    }));
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
  const threads = await Promise.all(sessionIds.map((id) => store.get(paths.thread(id, TEAM), threadType)));
  const roots = threads.map((thread): Thread['root'] => thread?.value.root ?? 'none');
  const members = new Map<string, string[]>();
  for (const { id, value } of await store.list({ collection: paths.groupMembers }, groupMemberType)) {
    const groupId = id.slice(0, -value.sessionId.length - 1);
    members.set(groupId, [...(members.get(groupId) ?? []), value.sessionId]);
  }
  const run = { seed, plan, deliveries, groups, log, deaths: world.deaths };
  return { ...run, violations: checkDeliveries({ ...run, ...world, members, isOver, roots }) };
}

/** Pub/Sub: messages come after a while, some twice or never; failed ones are repeated. */
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
  const { time, random, plan, log, logger, publisher } = world;
  const sender = { dieAtSomeTime: () => die(world), onRequest: world.onRequest };
  const deps = composeState({
    clock: world.newClock(),
    publisher,
    log: logger,
    publicUrl: null,
    store: unreliableStore(world),
    newId: () => `process-${++world.processes}`,
    failpoint: () => (random.chance(plan.faults / 10) ? die(world) : Promise.resolve()),
    destinations: async (): Promise<ConfiguredDestination | undefined> =>
      isTroubled(plan, 'removed', time.now())
        ? undefined
        : {
            destination: simulatedDestination(plan, log, { random, time, sender }),
            tenants: ['default'],
            onDoubt: plan.onDoubt,
          },
  });
  const deliver = 'groupId' in due ? deliverGroup(due.groupId, deps) : deliverThread(due, deps);
  deliver.catch((error: unknown) => {
    if (!(error instanceof RetryableError)) throw error;
    if (failures < 5) time.after(10_000 * 2 ** failures, () => invoke(due, world, failures + 1));
  });
}

function sweepEachMinute(world: World): void {
  const { time, store, publisher, logger } = world;
  const sweep = () => {
    void publishLate(
      composeState({
        store,
        publisher,
        clock: world.newClock(),
        log: logger,
      }),
    );
    time.after(MINUTE, sweep);
  };
  time.after(MINUTE, sweep);
}
