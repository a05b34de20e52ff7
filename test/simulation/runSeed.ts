// One run of the simulation, fully determined by its seed.

import { TOPICS } from '../../shared/contract/publisher.ts';
import { RetryableError } from '../../shared/errors.ts';
import { createLogger } from '../../shared/log.ts';
import type { CrashPoint } from '../../shared/runtime/crashPoints.ts';
import type { Clock, RuntimeDeps } from '../../shared/runtime/deps.ts';
import { handleAlert } from '../../shared/runtime/entry/handleAlert.ts';
import { handleDeadLetter } from '../../shared/runtime/entry/handleDeadLetter.ts';
import { handleIteration } from '../../shared/runtime/entry/handleIteration.ts';
import { handleTick } from '../../shared/runtime/entry/handleTick.ts';
import { cancelSession } from '../../shared/runtime/session/cancelSession.ts';
import { sessionIdOf } from '../../shared/runtime/session/sessionId.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import { paths, sessionType } from '../../shared/schema/documents.ts';
import type { Session } from '../../shared/schema/session.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { drawPlan, type Fault, MINUTE } from './faults.ts';
import { checkInvariants } from './invariants.ts';
import { createRandom } from './random.ts';
import type { Invocation, Process } from './record.ts';
import { drawScenario } from './scenario.ts';
import { type Cloud, createCloud, failpointOf } from './simulatedCloud.ts';
import { simulatedModel } from './simulatedModel.ts';
import { callRemote } from './simulatedProcess.ts';
import { simulatedStore } from './simulatedStore.ts';
import { simulatedTools } from './simulatedTools.ts';
import { watchSweep } from './sweepRule.ts';
import { createVirtualTime } from './virtualTime.ts';
import { createWorld, type World } from './world.ts';

const START = Date.UTC(2026, 0, 1);
/** The longest duration of a run. The latest deadline and the longest back-off are well within. */
const LIMIT_MS = 24 * 60 * MINUTE;

/** The result of a run. */
export interface Run {
  seed: number;
  /** How the session ended; `unfinished` when it did not. */
  outcome: Session['status'] | 'unfinished';
  violations: string[];
  faults: Map<Fault, number>;
  kills: Map<CrashPoint, number>;
  modelCalls: number;
  toolRuns: number;
  iterations: number;
  deadLetters: number;
  trace: string[];
}

/** Runs one seed to its end and checks all invariants. */
export async function runSeed(seed: number): Promise<Run> {
  const random = createRandom(seed);
  const plan = drawPlan(random);
  const scenario = drawScenario(random, plan);
  const time = createVirtualTime(START);
  const store = createMemoryStore(() => new Date(time.now()));
  const world = createWorld({ time, random, plan, store });
  const log = createLogger({ LOG_LEVEL: 'silent' });

  let holders = 0;
  const depsOf = (by: Invocation): RuntimeDeps => ({
    store: simulatedStore(by, world),
    publisher: {
      publish: (topic, data, attributes) =>
        publish(by, () => cloud.publish(topic, data, attributes).id, attributes.executionId, world),
      warm() {},
      close: () => Promise.resolve(),
    },
    clock: clockOf(by.process, world),
    llm: simulatedModel(by, scenario.strategyOf, world),
    connectTools: simulatedTools(by, world),
    agentCache: by.process.agentCache,
    newId: () => `${by.process.name}/${++holders}`,
    log,
    failpoint: (point) => {
      if (point === plan.cancelAtPoint) cancelOnce();
      return failpointOf(by, world)(point);
    },
  });
  const handlers = {
    [TOPICS.alerts]: (event: unknown, deps: RuntimeDeps) => handleAlert(event, scenario.config, deps),
    [TOPICS.iterations]: handleIteration,
    [TOPICS.iterationsDead]: handleDeadLetter,
  };
  const cloud: Cloud = createCloud(handlers, depsOf, world);

  const alert = cloud.publish(TOPICS.alerts, { title: 'DiskFull' }, {});
  const sessionId = sessionIdOf({ messageId: alert.id, data: alert.data });
  const session = async () => (await store.get(paths.session(sessionId), sessionType))?.value;
  if (plan.sweep) {
    const tick = (_: unknown, deps: RuntimeDeps) => {
      const check = watchSweep(deps.clock, world);
      return handleTick(deps).then(check);
    };
    everyMinute(() => cloud.invoke('sweep', tick, undefined), world);
  }
  let cancelled = false;
  const cancel = (_: unknown, deps: RuntimeDeps) =>
    cancelSession(sessionId, deps).then((outcome) => {
      if (outcome.kind !== 'cancelled') return;
      cancelled = true;
      const status = world.record.session?.status;
      if (status === undefined || !isTerminal(status))
        world.record.violations.push(`I1: reported as cancelled, but still ${status}`);
    });
  let isCancelRequested = false;
  const cancelOnce = () => {
    if (isCancelRequested) return;
    isCancelRequested = true;
    time.after(world.drawMs(0, 20), () => cloud.invoke('cancel', cancel, undefined));
  };
  if (plan.cancelAfterMs !== null) time.after(plan.cancelAfterMs, cancelOnce);

  // Run until the session has ended and all messages are settled, then on: late copies must not change anything.
  const hasEnded = () => {
    const status = world.record.session?.status;
    return status !== undefined && isTerminal(status) && cloud.isQuiet();
  };
  await time.runUntil(hasEnded, START + LIMIT_MS);
  await time.runUntil(() => false, time.now() + 2 * MINUTE);

  const found = await session();
  await checkInvariants(
    { sessionId, cancelled, peaceful: plan.peaceful, deadLetters: cloud.deadLetters },
    world,
  );
  const { activities, commits, violations, trace } = world.record;
  return {
    seed,
    outcome: found !== undefined && isTerminal(found.status) ? found.status : 'unfinished',
    violations: [...new Set(violations)],
    faults: world.faults,
    kills: world.kills,
    modelCalls: activities.filter(({ kind }) => kind === 'model').length,
    toolRuns: activities.filter(({ kind }) => kind === 'tool').length,
    iterations: commits.flatMap(({ writes }) => writes.filter(({ path }) => path.includes('/interactions/')))
      .length,
    deadLetters: cloud.deadLetters,
    trace,
  };
}

function clockOf(process: Process, { time }: World): Clock {
  return {
    now: () => new Date(time.now() + process.skewMs),
    after: (ms, action) => time.after(ms, action, process),
    every(ms, action) {
      let cancel = () => {};
      const tick = () => {
        cancel = time.after(ms, tick, process);
        action();
      };
      cancel = time.after(ms, tick, process);
      return () => cancel();
    },
  };
}

function everyMinute(action: () => void, world: World): void {
  const tick = () => {
    world.time.after(MINUTE, tick);
    action();
  };
  world.time.after(MINUTE, tick);
}

async function publish(
  by: Invocation,
  accept: () => string,
  executionId: string | undefined,
  world: World,
): Promise<string> {
  const { process } = by;
  const known = world.record.executions.get(executionId ?? '');
  if (known !== undefined) {
    const { iteration } = known.value;
    const claimed = world.record.claims.get(`${executionId}.${iteration}`) ?? Number.POSITIVE_INFINITY;
    // Only the sweep may publish an iteration that was claimed before, because it cannot know about pending messages.
    if (by.target !== 'sweep' && claimed < by.startedAt)
      world.record.violations.push(
        `outbox: ${process.name} #${by.id} publishes iteration ${iteration} of ${executionId} once more, which was claimed before`,
      );
  }
  const failed = () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'not published'));
  const latency = world.drawFault('publish_slow') ? world.drawMs(1_000, 15_000) : world.drawMs(5, 40);
  if (world.drawFault('publish_failed')) return await callRemote(process, failed, latency, world);
  const lost = world.drawFault('publish_answer_lost');
  const acceptMessage = async () => {
    const id = accept();
    if (executionId !== undefined) world.record.published.set(executionId, world.time.now());
    return lost ? await failed() : id;
  };
  return await callRemote(process, acceptMessage, latency, world);
}
