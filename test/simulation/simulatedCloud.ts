// Simulates Pub/Sub, its push subscriptions and the functions: deliveries occur at least once, in any order,
// to processes that start and die.

import type { FunctionName } from '../../functions/manifest.ts';
import { type ConsumedTopic, TOPICS } from '../../shared/core/contract/publisher.ts';
import { InquestError } from '../../shared/core/errors.ts';
import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { iterationMessageSchema } from '../../shared/core/schema/iterationMessage.ts';
import {
  type FaultyQueue,
  faultyQueue,
  type QueuedMessage,
} from '../../shared/engine/testing/faultyQueue.ts';
import { kill, createProcess as startProcess } from '../../shared/engine/testing/simulatedProcess.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { composeEventarcEvent, composePushBody } from '../support/pushEvents.ts';
import { watchMessage } from './messageRule.ts';
import { executionKey, type Invocation, type Process } from './record.ts';
import { disturbCache } from './simulatedCache.ts';
import { SimulatedBug } from './simulatedModel.ts';
import { checkRefusal } from './upgradeRule.ts';
import type { World } from './world.ts';

/** Handles an event in a process with these dependencies. */
export type Handler = (event: unknown, deps: RuntimeDeps) => Promise<unknown>;

/** The simulated cloud. */
export interface Cloud extends FaultyQueue {
  /** Runs `work` in a process of the target. */
  invoke(target: Invocation['target'], work: Handler, event: unknown): Process;
  /** Ids of the messages that the code of their last delivery left to newer code. */
  refused(): string[];
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
  /** Messages of which the last delivery refused a document of newer code. */
  const refused = new Set<QueuedMessage>();
  /** The instances of each function that take events, the newest last. */
  const instances = new Map<string, Process[]>();
  const startedAt = time.now();
  let invocations = 0;
  let running = 0;

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
          const written = world.record.executions.get(executionKey(invocation));
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

  const refuses = ({ topic }: QueuedMessage): boolean => {
    const target = FUNCTION_OF[topic];
    if (isDown(target) && world.drawFault('function_down')) return true;
    return (
      target === 'runIteration' && running >= world.plan.maxConcurrent && world.drawFault('function_full')
    );
  };

  const accept = (message: QueuedMessage): ReturnType<Parameters<typeof faultyQueue>[0]['accept']> => {
    const target = FUNCTION_OF[message.topic];
    const about = aboutOf(message, world);
    if (target === 'runIteration') running++;
    if (message.topic === TOPICS.iterationsDead) cloud.deadLetterDeliveries++;
    const event = random.chance(0.5)
      ? composeEventarcEvent(message, message.topic)
      : composePushBody(message);
    return (answer) =>
      void start(target, handlers[message.topic], event, about, (error, isRefused = false) => {
        if (target === 'runIteration') running--;
        answer(error, () => {
          if (isRefused && !message.settled) refused.add(message);
          else refused.delete(message);
        });
      });
  };

  const isDown = (target: FunctionName): boolean => {
    const { outage } = world.plan;
    const at = time.now() - startedAt;
    return outage?.functionName === target && at >= outage.fromMs && at < outage.toMs;
  };

  const noteDeadLetter = () => {
    cloud.deadLetters++;
  };
  const cloud: Cloud = {
    ...faultyQueue({ refuses, accept, noteDeadLetter }, world),
    deadLetters: 0,
    deadLetterDeliveries: 0,
    refused: () => [...refused].filter(({ settled }) => !settled).map(({ id }) => id),
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
  for (const key of by.leases.keys()) {
    const written = record.executions.get(key);
    const isDeleted = record.expired.has(written?.value.sessionId ?? '');
    const isHeld = written?.by === by && written.value.lease !== null && !isDeleted;
    if (isHeld && (process.troubledAt ?? 0) < (record.heldAt.get(key) ?? 0))
      record.violations.push(`lease: ${process.name} #${id} ends and keeps ${key}`);
  }
}

function sessionOf(
  { id: messageId, data, attributes }: QueuedMessage,
  { record }: World,
): Partial<Invocation> {
  const sessionId = record.alertKeys.get(deriveAlertKey({ messageId, data, attributes }));
  return sessionId === undefined ? {} : { sessionId };
}

/** The session, execution and iteration that a message is about. */
function aboutOf(message: QueuedMessage, world: World): Partial<Invocation> {
  if (message.topic === TOPICS.alerts) return sessionOf(message, world);
  return message.topic === TOPICS.changes ? {} : iterationOf(message);
}

function iterationOf({ data }: QueuedMessage): Partial<Invocation> {
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

/** Starts a process, perhaps with a wrong clock. @param isNewer newer code. Default: no. */
function createProcess(name: string, world: World, isNewer = false): Process {
  return {
    ...startProcess(name, world),
    isNewer: isNewer || (runsNewerCode(world) ?? world.random.chance(0.5)),
  };
}

/** Whether processes run newer code now; undefined when some do. */
function runsNewerCode({ rollout, isIn }: World): boolean | undefined {
  if (rollout === null || isIn({ fromMs: 0, toMs: rollout.fromMs })) return false;
  if (isIn({ fromMs: rollout.fromMs, toMs: rollout.backMs })) return undefined;
  return !isIn({ fromMs: rollout.backMs, toMs: rollout.toMs });
}
