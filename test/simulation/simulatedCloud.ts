// Simulates Pub/Sub, its push subscriptions and the functions: deliveries occur at least once, in any order,
// to processes that start and die.

import type { FunctionName } from '../../functions/manifest.ts';
import { type ConsumedTopic, TOPICS } from '../../shared/core/contract/publisher.ts';
import { InquestError } from '../../shared/core/errors.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { iterationMessageSchema } from '../../shared/core/schema/iterationMessage.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { messageBytes } from '../../shared/store/messageBytes.ts';
import { composeEventarcEvent, composePushBody } from '../support/pushEvents.ts';
import { MAX_BURST } from './faults.ts';
import { watchMessage } from './messageRule.ts';
import type { Invocation, Process } from './record.ts';
import { disturbCache } from './simulatedCache.ts';
import { SimulatedBug } from './simulatedModel.ts';
import { createProcess, kill, runsNewerCode } from './simulatedProcess.ts';
import { checkRefusal } from './upgradeRule.ts';
import type { World } from './world.ts';

/** Pub/Sub's back-off, as the subscriptions configure it. */
const MIN_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;
const ACK_DEADLINE_MS = 600_000;
const HOUR_MS = 3_600_000;
/** Copies of each message in a storm, beside itself. */
const STORM_COPIES = 4;

interface Message {
  id: string;
  topic: ConsumedTopic;
  data: Buffer;
  attributes: Record<string, string>;
  /** ISO 8601. */
  publishTime: string;
  /** Number of failed deliveries. */
  failures: number;
  /** Acked, lost, or moved to the dead letters: no further delivery is required. */
  settled: boolean;
  /** Whether the code of its last delivery refused a document of newer code. */
  refused: boolean;
}

/** Handles an event in a process with these dependencies. */
export type Handler = (event: unknown, deps: RuntimeDeps) => Promise<unknown>;

/** The simulated cloud. */
export interface Cloud {
  /** Accepts a message and schedules its deliveries. */
  publish(topic: ConsumedTopic, data: unknown, attributes: Record<string, string>): Message;
  /** Runs `work` in a process of the target. */
  invoke(target: Invocation['target'], work: Handler, event: unknown): Process;
  messages: readonly Message[];
  /** Whether every message is settled and no delivery is under way. */
  isQuiet(): boolean;
  /** Whether no delivery is to come either, of copies of settled messages. */
  isSilent(): boolean;
  /** Number of dead letters. */
  deadLetters: number;
  /** Number of deliveries of dead letters that started their function. */
  deadLetterDeliveries: number;
}

const FUNCTION_OF: Record<ConsumedTopic, FunctionName> = {
  [TOPICS.alerts]: 'ingestAlert',
  [TOPICS.iterations]: 'runIteration',
  [TOPICS.iterationsDead]: 'buryIteration',
  [TOPICS.deliveries]: 'deliver',
  [TOPICS.changes]: 'ingestChange',
};

/** A cloud that passes the events of each topic to its handler. */
export function createCloud(
  handlers: Record<ConsumedTopic, Handler>,
  depsOf: (invocation: Invocation) => RuntimeDeps,
  world: World,
): Cloud {
  const { time, random } = world;
  const messages: Message[] = [];
  /** The instances of each function that take events, the newest last. */
  const instances = new Map<string, Process[]>();
  const startedAt = time.now();
  let invocations = 0;
  let underWay = 0;
  let running = 0;
  let scheduled = 0;

  const processOf = (target: Invocation['target']): Process => {
    const living = (instances.get(target) ?? []).filter(({ alive }) => alive);
    const isNewer = target === 'deploy' || (runsNewerCode(world) ?? living.at(-1)?.isNewer);
    const fitting = living.filter((process) => process.isNewer === isNewer);
    const isFull = living.length >= world.plan.instances;
    if (fitting.length > 0 && random.chance(isFull ? 0.9 : 0.7)) return random.pick(fitting as [Process]);
    const process = createProcess(`${target}-${++invocations}`, world, target === 'deploy');
    // One that is replaced goes on with what it has.
    instances.set(target, [...living, process].slice(-world.plan.instances));
    return process;
  };

  const start = (
    target: Invocation['target'],
    work: Handler,
    event: unknown,
    about: Partial<Invocation>,
    done: (error?: unknown, isRefused?: boolean) => void,
  ): Process => {
    const process = processOf(target);
    const invocation: Invocation = {
      id: ++invocations,
      target,
      process,
      startedAt: time.now(),
      leases: new Map(),
      overtaken: new Set(),
      unmarked: new Set(),
      ...about,
    };
    const checkHandled = watchMessage(invocation, world);
    let over = false;
    const finish = (error?: unknown) => {
      if (over) return;
      over = true;
      done(error, checkRefusal(error, invocation, world));
    };
    process.onDeath.push(() => {
      if (!over) time.after(world.drawMs(100, 2_000), () => finish(new InstanceGone()));
    });
    const disturbed = target === 'runIteration' ? disturbCache(invocation, world) : Promise.resolve();
    disturbed
      .then(() => work(event, depsOf(invocation)))
      .then(
        () => {
          checkHandled();
          checkReleased(invocation, world);
          finish();
        },
        (error: unknown) => {
          const written = world.record.executions.get(invocation.executionId ?? '');
          const isBusy = error instanceof InquestError && error.code === 'EXECUTION_BUSY';
          if (isBusy && written?.by === invocation && process.troubledAt === undefined)
            world.record.violations.push(`lease: ${process.name} #${invocation.id} waits for itself`);
          checkReleased(invocation, world);
          const isMeant = [InquestError, InstanceGone, SimulatedBug].some((type) => error instanceof type);
          if (!isMeant)
            world.record.violations.push(`${target} failed with an unexpected error: ${describe(error)}`);
          world.traceLine(
            `${process.name} #${invocation.id} fails: ${error instanceof Error ? error.message : error}`,
          );
          finish(error);
        },
      );
    return process;
  };

  /** A burst's copies are one delivery to Pub/Sub: one counts as failed, and is repeated. */
  const deliver = (message: Message, isCopy = false): void => {
    const handleFailure = () => void (isCopy || handleFailedDelivery(message));
    if (world.drawFault('delivery_dropped')) {
      time.after(world.random.pick([10_000, ACK_DEADLINE_MS]), () => handleFailure());
      return;
    }
    const target = FUNCTION_OF[message.topic];
    if (isDown(target) && world.drawFault('function_down')) {
      time.after(world.drawMs(10, 100), () => handleFailure());
      return;
    }
    if (
      target === 'runIteration' &&
      running >= world.plan.maxConcurrent &&
      world.drawFault('function_full')
    ) {
      time.after(world.drawMs(10, 100), () => handleFailure());
      return;
    }
    const about = aboutOf(message, world);
    underWay++;
    if (target === 'runIteration') running++;
    if (message.topic === TOPICS.iterationsDead) cloud.deadLetterDeliveries++;
    const event = random.chance(0.5)
      ? composeEventarcEvent(message, message.topic)
      : composePushBody(message);
    world.traceLine(`${message.topic} message ${message.id} is delivered: ${message.data}`);
    let answered = false;
    const deadline = time.now() + ACK_DEADLINE_MS;
    time.after(ACK_DEADLINE_MS, () => !answered && handleFailure());
    start(target, handlers[message.topic], event, about, (error, isRefused = false) => {
      underWay--;
      if (target === 'runIteration') running--;
      if (time.now() >= deadline) return;
      answered = true;
      message.refused = isRefused && !message.settled;
      if (error !== undefined) {
        handleFailure();
      } else if (world.drawFault('ack_lost')) {
        deliverLater(message, world.drawMs(10_000, ACK_DEADLINE_MS));
      } else {
        message.settled = true;
        if (world.drawFault('acked_again'))
          deliverLater(message, world.drawMs(0, random.pick([1, 8]) * HOUR_MS));
      }
    });
  };

  const isDown = (target: FunctionName): boolean => {
    const { outage } = world.plan;
    const at = time.now() - startedAt;
    return outage?.functionName === target && at >= outage.fromMs && at < outage.toMs;
  };

  const deliverLater = (message: Message, ms: number, isCopy = false): void => {
    // A copy of a settled message does not change its state.
    scheduled++;
    time.after(ms, () => {
      scheduled--;
      deliver(message, isCopy);
      if (world.plan.storm !== 'burst' || isCopy) return;
      for (let copy = 1; copy <= STORM_COPIES; copy++) deliver(message, true);
    });
  };

  const handleFailedDelivery = (message: Message): void => {
    message.failures++;
    const isIteration = message.topic === TOPICS.iterations;
    if (isIteration && !message.settled && world.drawFault('redelivery_lost')) {
      message.settled = true;
      message.refused = false;
      world.traceLine(`${message.topic} message ${message.id} is lost`);
      return;
    }
    if (isIteration && !message.settled && message.failures >= world.plan.maxDeliveryAttempts) {
      message.settled = true;
      message.refused = false;
      cloud.deadLetters++;
      const count = { CloudPubSubDeadLetterSourceDeliveryCount: String(message.failures) };
      cloud.publish(TOPICS.iterationsDead, message.data, { ...message.attributes, ...count });
      return;
    }
    const backoff = Math.min(MIN_BACKOFF_MS * 2 ** Math.min(message.failures - 1, 10), MAX_BACKOFF_MS);
    if (!message.settled || message.failures < 3) deliverLater(message, random.int(backoff / 2, backoff));
  };

  const cloud: Cloud = {
    messages,
    deadLetters: 0,
    deadLetterDeliveries: 0,
    isSilent: () => scheduled === 0 && underWay === 0,
    isQuiet: () => underWay === 0 && messages.every(({ settled }) => settled),
    publish(topic, data, attributes) {
      const id = String(messages.length + 1);
      const message: Message = {
        id,
        topic,
        data: messageBytes(data),
        attributes,
        publishTime: new Date(time.now()).toISOString(),
        failures: 0,
        settled: false,
        refused: false,
      };
      messages.push(message);
      if (world.drawFault('message_lost') && topic === TOPICS.iterations) {
        message.settled = true;
        world.traceLine(`${topic} message ${id} is lost`);
        return message;
      }
      const late = world.drawFault('delivery_delayed') ? world.drawMs(100, 30_000) : world.drawMs(5, 50);
      deliverLater(message, late);
      // Dead letters are few: copies publish messages, and bursts of bursts would multiply.
      if (topic !== TOPICS.iterationsDead && world.drawFault('message_burst')) {
        for (let copy = random.int(2, MAX_BURST); copy > 0; copy--) deliverLater(message, late, true);
      }
      if (world.plan.storm === 'late') {
        for (let copy = 1; copy <= STORM_COPIES; copy++) deliverLater(message, world.drawMs(0, 30_000), true);
      }
      if (world.drawFault('message_duplicated'))
        deliverLater(message, random.chance(0.5) ? late : world.drawMs(0, 120_000));
      return message;
    },
    invoke: (target, work, event) => start(target, work, event, {}, () => {}),
  };
  return cloud;
}

class InstanceGone extends Error {}

/**
 * A process that ends an iteration holds no lease, unless the store has failed since it last stored one, its
 * time or clock let the lease expire, or the session is deleted.
 */
function checkReleased(by: Invocation, { record }: World): void {
  const { process, id, target, startedAt } = by;
  if (target !== 'runIteration' || process.hasJumped || process.stalledUntil > startedAt) return;
  for (const executionId of by.leases.keys()) {
    const written = record.executions.get(executionId);
    const isDeleted = record.expired.has(written?.value.sessionId ?? '');
    const isHeld = written?.by === by && written.value.lease !== null && !isDeleted;
    if (isHeld && (process.troubledAt ?? 0) < (record.heldAt.get(executionId) ?? 0))
      record.violations.push(`lease: ${process.name} #${id} ends and keeps ${executionId}`);
  }
}

function sessionOf({ id: messageId, data, attributes }: Message, { record }: World): Partial<Invocation> {
  const sessionId = record.alertKeys.get(deriveAlertKey({ messageId, data, attributes }));
  return sessionId === undefined ? {} : { sessionId };
}

/** The session, execution and iteration that a message is about. */
function aboutOf(message: Message, world: World): Partial<Invocation> {
  if (message.topic === TOPICS.alerts) return sessionOf(message, world);
  return message.topic === TOPICS.changes ? {} : iterationOf(message);
}

function iterationOf({ data }: Message): Partial<Invocation> {
  const { sessionId, executionId, iteration } = iterationMessageSchema.parse(JSON.parse(data.toString()));
  return { sessionId, executionId, iteration };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The failpoint of an invocation: kills its process at the crash points of the plan, by never resolving. */
export function failpointOf(by: Invocation, world: World): (point: CrashPoint) => Promise<void> {
  const { process, target } = by;
  const { plan } = world;
  const isHit = (point: CrashPoint): boolean =>
    target === 'sweep' && point === CRASH_POINTS.duringSweep && world.isIn(plan.sweepOutage)
      ? world.drawFault('sweep_killed')
      : plan.crashPoints.has(point) && world.drawFault('process_killed_at_crash_point');
  return async (point) => {
    if (!isHit(point)) return;
    world.kills.set(point, (world.kills.get(point) ?? 0) + 1);
    if (by.changesModels) world.killsAtFallback.add(point);
    kill(process, `at ${point}`, world);
    await new Promise<never>(() => {});
  };
}
