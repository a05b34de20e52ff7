// Every moment at which the death of a process matters, with a process that dies there: SIGKILL, no warning,
// nothing flushed. All functions run behind the functions-framework as they do in production, messages come
// by Pub/Sub push, and what makes up for a death is what makes up for it in production: Pub/Sub delivers
// again, leases run out, the sweep looks. Only time is the test's: nobody waits 30 s for a lease to run out,
// the clock that all processes share moves on.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CRASH_POINTS, type CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import { RENEW_EVERY_MS } from '../../shared/core/kernel/execution/lease.ts';
import { ORPHAN_WAIT_MS, thoughtType } from '../../shared/features/interactions/thought.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { IS_LONG } from '../support/fullTests.ts';
import type { Investigation } from '../support/harness.ts';
import type { Arming, Killable } from './fixtures/arming.ts';
import { HELPER } from './fixtures/modelGateway.ts';
import { WALK_TURNS } from './fixtures/script.ts';
import { KILLED, LEASE_LEAP_MS, type Rig, startRig } from './rig.ts';
import { expectSound, timesAsked, timesRun, unverifiedCalls } from './soundness.ts';

const PROCESSES: Killable[] = ['ingestAlert', 'runIteration', 'buryIteration', 'sweep', 'canceller'];
const OBSERVER = '01-observer';
const CHANGER = '01-changer';
const COMBINER = '01-combiner';
const LEAD = '01-lead';
/** Longer than a session of the test's configuration may take. */
const PAST_THE_DEADLINE_MS = 41 * 60_000;
/** After this the sweep publishes the message of an execution that nobody has touched. */
const IDLE_MS = 61_000;

interface Scenario {
  title: string;
  run(point: CrashPoint): Promise<void>;
}

/** The result of an investigation whose function `name` dies at `executionId`, or the first. */
interface Death {
  name?: 'ingestAlert' | 'runIteration';
  executionId?: string;
  /** How often the model is asked for the first answer of `executionId`. */
  asked?: number;
  /** The call that changes something was cut off after it ran that often. */
  cutOffAfterRuns?: number;
  /** The other side must have what it was sent before the process dies. */
  sent?: 'request' | 'call';
  /** Redelivery must find the lease of the dead before it runs out. */
  waits?: boolean;
}

/**
 * Results of megabytes would make every investigation here slow: test/features/results/largeResults.test.ts
 * dies among their parts. Who waits for another agent dies in a test of its own below. What asks a question
 * is no function: test/features/chat/chat.test.ts dies there.
 */
type KilledAt = Exclude<
  CrashPoint,
  typeof CRASH_POINTS.duringResultParts | typeof CRASH_POINTS.afterParking | typeof CRASH_POINTS.afterQuestion
>;

const SCENARIOS: Record<KilledAt, Scenario[]> = {
  [CRASH_POINTS.ingestBeforeCommit]: [dies('the alert opens its session', { name: 'ingestAlert' })],
  [CRASH_POINTS.ingestAfterCommit]: [dies('the first messages are published', { name: 'ingestAlert' })],
  [CRASH_POINTS.ingestAfterPublish]: [dies('the alert opens no second session', { name: 'ingestAlert' })],

  [CRASH_POINTS.afterLoad]: [dies('the iteration runs', { executionId: CHANGER, asked: 1 })],
  [CRASH_POINTS.afterClaim]: [
    dies('redelivery waits for the lease, and the iteration runs', {
      executionId: CHANGER,
      asked: 1,
      waits: true,
    }),
  ],
  [CRASH_POINTS.duringModelCall]: [
    dies('the model is asked again', { executionId: CHANGER, asked: 2, sent: 'request', waits: true }),
  ],
  [CRASH_POINTS.afterCommitA0]: [
    thinkerDies('the question is asked when its wait is over', { isOrphan: true }),
  ],
  [CRASH_POINTS.afterCreate]: [
    thinkerDies('the webhook brings the id, and the answer is read', {}),
    thinkerDies('the webhook came before the id, and the answer is read', { chain: 'think-early' }),
  ],
  [CRASH_POINTS.beforeCommitA]: [dies('the model is asked again', { executionId: CHANGER, asked: 2 })],
  [CRASH_POINTS.afterCommitA]: [
    dies('the model is not asked again, and a call that changes something is not made', {
      executionId: CHANGER,
      asked: 1,
      cutOffAfterRuns: 0,
    }),
    dies('calls that change nothing are made', { executionId: OBSERVER, asked: 1 }),
  ],

  [CRASH_POINTS.duringRemoval]: [thinkerDies('the sweep deletes the question again', { isLeft: true })],
  [CRASH_POINTS.beforeTool]: [
    dies('a call that changes something is not made', {
      executionId: CHANGER,
      asked: 1,
      cutOffAfterRuns: 0,
    }),
    dies('calls that change nothing are made', { executionId: OBSERVER, asked: 1 }),
  ],
  [CRASH_POINTS.duringTool]: [
    dies('a call that changes something is not repeated', {
      executionId: CHANGER,
      asked: 1,
      cutOffAfterRuns: 1,
      sent: 'call',
      waits: true,
    }),
    dies('calls that change nothing are repeated', { executionId: OBSERVER, asked: 1, sent: 'call' }),
  ],
  [CRASH_POINTS.afterTool]: [
    dies('a call that changes something is not repeated', {
      executionId: CHANGER,
      asked: 1,
      cutOffAfterRuns: 1,
    }),
    dies('calls that change nothing are repeated', { executionId: OBSERVER, asked: 1 }),
  ],
  [CRASH_POINTS.beforeCommitB]: [
    dies('a call that changes something is not repeated', {
      executionId: CHANGER,
      asked: 1,
      cutOffAfterRuns: 1,
    }),
  ],
  [CRASH_POINTS.afterCommitB]: [dies('the next iteration is published', { executionId: CHANGER, asked: 1 })],
  [CRASH_POINTS.afterPublish]: [dies('the next iteration runs once', { executionId: CHANGER, asked: 1 })],

  [CRASH_POINTS.beforeEnding]: [
    cancellerDies('the sweep cancels'),
    sweepDiesAtTheDeadline('the next sweep ends what is open'),
  ],
  [CRASH_POINTS.afterEnding]: [
    dies('the stage of others goes on', { executionId: OBSERVER, asked: 1 }),
    dies('the session of the last one ends', { executionId: COMBINER, asked: 1 }),
    cancellerDies('the sweep ends the cancelled session'),
    sweepDiesAtTheDeadline('the next sweep ends what is still open'),
  ],
  [CRASH_POINTS.stageBeforeCommit]: [
    dies('the next stage starts, once', {}),
    dies('the session ends, once', { executionId: COMBINER, asked: 1 }),
    cancellerDies('the sweep ends the cancelled session'),
  ],
  [CRASH_POINTS.stageAfterCommit]: [
    dies("the next stage's messages are published", {}),
    dies('the session has ended', { executionId: COMBINER, asked: 1 }),
  ],

  [CRASH_POINTS.afterCancelRequest]: [cancellerDies('the sweep cancels')],
  [CRASH_POINTS.afterResumeRequest]: [resumerDies('the sweep publishes what was paused')],
  [CRASH_POINTS.duringSweep]: [sweepDiesOverLostMessages('the next sweep publishes what was lost')],
};

let rig: Rig;
/** Investigations as they were at their end. */
const ended: Investigation[] = [];

beforeAll(async () => {
  rig = await startRig(100);
});

afterAll(async () => {
  await rig?.stop();
});

beforeEach(({ onTestFailed }) => {
  const begin = rig.output().length;
  onTestFailed(() => console.error(rig.output().slice(begin).join('\n')));
});

afterEach(() => {
  for (const name of PROCESSES) rig.disarm(name);
  rig.sweeps(true);
});

/** One per process and kind of commit. `npm run test:long` dies at every point, in every way. */
const FULL: CrashPoint[] = [
  CRASH_POINTS.afterCommitA,
  CRASH_POINTS.duringSweep,
  CRASH_POINTS.ingestAfterCommit,
  CRASH_POINTS.afterCancelRequest,
  CRASH_POINTS.afterClaim,
  CRASH_POINTS.afterCreate,
  CRASH_POINTS.afterCommitB,
  CRASH_POINTS.stageAfterCommit,
];

const scenarios = (Object.entries(SCENARIOS) as [KilledAt, Scenario[]][]).filter(
  ([point]) => IS_LONG || FULL.includes(point),
);
const count = IS_LONG ? Number.POSITIVE_INFINITY : 1;

describe.each(scenarios)('after a death at %s', (point, own) => {
  it.for(own.slice(0, count))('$title', ({ run }) => run(point));
});

it.runIf(IS_LONG)('an investigation survives the same death three times in a row', async () => {
  const alert = rig.planAlert();
  const kills = rig.kills().length;
  const point = CRASH_POINTS.beforeCommitA;
  const { traceparent } = alert;
  rig.arm('runIteration', {
    point,
    times: 3,
    traceparent,
    executionId: CHANGER,
    leapMs: LEASE_LEAP_MS,
  });
  const sessionId = await rig.publish(alert, 'investigate');
  const run = await end(sessionId, 3);
  expect(run.session.status).toBe('completed');
  const kill = { name: 'runIteration', point, executionId: CHANGER };
  expect(rig.kills().slice(kills)).toEqual([kill, kill, kill]);
  expect(timesAsked(rig, sessionId)[CHANGER]).toEqual([4, 1]);
});

const { afterLoad, afterClaim, duringModelCall, beforeCommitA, afterCommitA, afterParking } = CRASH_POINTS;
const { beforeTool, duringTool, afterTool, beforeCommitB, afterCommitB, afterPublish } = CRASH_POINTS;
const { afterEnding, stageBeforeCommit, stageAfterCommit } = CRASH_POINTS;

it.runIf(IS_LONG).each([
  {
    who: 'who asks',
    executionId: LEAD,
    points: [afterLoad, afterClaim, duringModelCall, beforeCommitA, afterParking],
  },
  {
    who: 'who is asked',
    executionId: HELPER,
    points: [afterLoad, afterClaim, duringModelCall, beforeCommitA, afterCommitA],
  },
  {
    who: 'who works for it',
    executionId: HELPER,
    points: [beforeTool, duringTool, afterTool, beforeCommitB],
  },
  {
    who: 'who answers it',
    executionId: HELPER,
    // The last of them after the commit that gives its answer to who asked.
    points: [afterPublish, afterEnding, afterCommitB],
  },
  {
    who: 'who has its answer',
    executionId: LEAD,
    points: [afterEnding, stageBeforeCommit, stageAfterCommit],
  },
])('an agent asks another, and $who dies at each of its steps in turn', async ({ executionId, points }) => {
  rig.sweeps(false);
  const alert = rig.planAlert();
  const { traceparent } = alert;
  const [deaths, kills] = [rig.deaths('runIteration'), rig.kills().length];
  const armings = points.map((point) => ({
    point,
    times: 1,
    traceparent,
    executionId,
    leapMs: LEASE_LEAP_MS,
  }));
  const all = armings.reduceRight<Arming | undefined>((next, arming) => ({ ...arming, next }), undefined);
  rig.arm('runIteration', all as Arming);
  const sessionId = await rig.publish(alert, 'lead');
  // The last of them may die after the commit that ends the session.
  await rig.died('runIteration', deaths + points.length - 1);
  const run = await end(sessionId, points.length);
  expect(rig.kills().slice(kills)).toEqual(
    points.map((point) => ({ name: 'runIteration', point, executionId })),
  );
  expect(run.session).toMatchObject({ status: 'completed', failure: null });
  expect(run.executions.map((one) => [one.executionId, one.status])).toEqual([
    [LEAD, 'completed'],
    [HELPER, 'completed'],
  ]);
  const asking = run.timeline.filter(({ eventType }) => eventType === 'task_assigned');
  expect(asking).toHaveLength(1);
  const answers = run.timeline.filter(
    (one) => one.executionId === LEAD && one.eventType === 'tool_result' && one.content.includes('I see it.'),
  );
  expect(answers).toHaveLength(1);
});

it.runIf(IS_LONG)('an investigation survives five deaths at any moment', async () => {
  const random = seededRandom(20_261_122);
  const sessionId = await rig.publish(rig.planAlert(), 'walk');
  for (const times of [1, 2, 3, 4, 5]) {
    await expect.poll(() => rig.asked(sessionId).length).toBeGreaterThanOrEqual(2 * times);
    await sleep(random() * 300);
    await rig.kill('runIteration');
  }
  const run = await end(sessionId, 5);
  expect(run.session.status).toBe('completed');
  expect(run.interactions).toHaveLength(WALK_TURNS + 1);
  expect(rig.asked(sessionId).length).toBeLessThanOrEqual(WALK_TURNS + 1 + 5);
});

it('nothing changes after an end, whatever is still delivered, and no alert opens two sessions', async () => {
  for (const { session, versions } of ended) {
    expect((await rig.read(session.sessionId)).versions, session.sessionId).toEqual(versions);
  }
  const sessions = await rig.store.list({ collection: paths.sessions }, sessionType);
  expect(sessions.map(({ id }) => id).sort()).toEqual(ended.map(({ session }) => session.sessionId).sort());
});

/**
 * The investigation of two agents and one who combines what they found, completed after the death of a
 * function. Nothing makes up for it but redelivery: there is no sweep.
 */
function dies(title: string, death: Death): Scenario {
  const { name = 'runIteration', executionId, asked, cutOffAfterRuns, sent, waits = false } = death;
  const run = async (point: CrashPoint): Promise<void> => {
    rig.sweeps(false);
    const alert = rig.planAlert();
    const [deaths, kills, lines] = [rig.deaths(name), rig.kills().length, rig.lines(name).length];
    const gate = sent && rig.gate();
    // Nothing else holds a lease when this process is dead; while others wait for one, time stands still.
    const leapMs = name === 'runIteration' && !waits ? LEASE_LEAP_MS : undefined;
    rig.arm(name, { point, traceparent: alert.traceparent, executionId, until: gate?.path, leapMs });

    const sessionId = await rig.publish(alert, 'investigate');
    await expect.poll(() => isSent(sent, sessionId, executionId)).toBe(true);
    gate?.open();
    // Another delivery can advance the stage first. Then another alert is tried.
    const isHandled = () =>
      executionId !== undefined && rig.lines(name).slice(lines).some(isCompletion(sessionId, executionId));
    await expect.poll(() => rig.deaths(name) > deaths || isHandled()).toBe(true);
    if (rig.deaths(name) === deaths) {
      rig.disarm(name);
      await end(sessionId, 0);
      return scenario.run(point);
    }
    const busy = `EXECUTION_BUSY: another delivery works on execution ${executionId}`;
    const isBusy = () =>
      rig
        .lines(name)
        .slice(lines)
        .some((line) => line.includes(busy));
    if (waits) {
      await expect.poll(isBusy).toBe(true);
      rig.leap(LEASE_LEAP_MS);
    }

    const run = await end(sessionId, name === 'runIteration' ? 1 : 0);
    expect(rig.isArmed(name)).toBe(false);
    const killed = rig.kills().slice(kills);
    expect(killed).toEqual([
      { name, point, ...(killed[0]?.executionId && { executionId: expect.any(String) }) },
    ]);
    if (executionId !== undefined) expect(killed[0]?.executionId).toBe(executionId);

    expect(run.session).toMatchObject({ status: 'completed', failure: null });
    expect(run.executions.map((execution) => [execution.executionId, execution.status])).toEqual([
      [CHANGER, 'completed'],
      [COMBINER, 'completed'],
      [OBSERVER, 'completed'],
    ]);
    expect(run.stages.map(({ stageId }) => stageId)).toEqual([
      '01-investigation',
      '01-investigation-synthesis',
    ]);
    expect(run.interactions.map((one) => [one.executionId, one.iteration])).toEqual([
      [CHANGER, 1],
      [CHANGER, 2],
      [COMBINER, 1],
      [OBSERVER, 1],
      [OBSERVER, 2],
    ]);
    if (executionId !== undefined && asked !== undefined) {
      expect(timesAsked(rig, sessionId)[executionId]?.[0]).toBe(asked);
    }
    if (cutOffAfterRuns !== undefined) {
      expect(Object.values(timesRun(rig, sessionId, 'change'))).toEqual(cutOffAfterRuns === 0 ? [] : [1]);
      expect(unverifiedCalls(run, CHANGER)).toHaveLength(1);
      const told = run.messages.filter(({ executionId }) => executionId === CHANGER);
      expect(JSON.stringify(told)).toContain('Outcome unknown');
    }
  };
  const scenario = { title, run };
  return scenario;
}

/** The line of a delivery that was handled and completed an execution. */
function isCompletion(sessionId: string, executionId: string): (line: string) => boolean {
  const parts = [sessionId, `"executionId":"${executionId}"`, '"status":"completed"', 'iteration handled'];
  return (line) => parts.every((part) => line.includes(part));
}

function isSent(sent: Death['sent'], sessionId: string, executionId: string | undefined): boolean {
  switch (sent) {
    case undefined:
      return true;
    case 'request':
      return rig.asked(sessionId).some((one) => one.executionId === executionId);
    case 'call':
      return rig.toolRuns(sessionId).some(({ key }) => key.startsWith(`${sessionId}/${executionId}/`));
  }
}

/**
 * An investigation whose model answers in the background, completed after the death of a function: it is
 * asked once, and nothing of it stays at the model.
 */
function thinkerDies(
  title: string,
  {
    chain = 'think',
    isOrphan = false,
    isLeft = false,
  }: { chain?: string; isOrphan?: boolean; isLeft?: boolean },
): Scenario {
  const run = async (point: CrashPoint): Promise<void> => {
    rig.sweeps(false);
    const alert = rig.planAlert();
    const [deaths, kills] = [rig.deaths('runIteration'), rig.kills().length];
    const executionId = chain === 'think' ? '01-thinker' : '01-early-thinker';
    const { traceparent } = alert;
    rig.arm('runIteration', { point, traceparent, executionId, leapMs: LEASE_LEAP_MS });
    const sessionId = await rig.publish(alert, chain);
    await rig.died('runIteration', deaths);
    if (isOrphan) {
      const waitsFor = async () => (await rig.read(sessionId)).execution.waitingSince?.kind;
      await expect.poll(waitsFor).toBe('thought');
      expect(rig.asked(sessionId)).toEqual([]);
      rig.leap(ORPHAN_WAIT_MS + 1_000);
      rig.sweeps(true);
    }
    const run = await end(sessionId, 1);
    expect(rig.kills().slice(kills)).toEqual([{ name: 'runIteration', point, executionId }]);
    expect(run.session).toMatchObject({ status: 'completed', failure: null, finalAnalysis: 'I thought.' });
    expect(run.interactions).toHaveLength(1);
    expect(timesAsked(rig, sessionId)).toEqual({ [executionId]: [1] });
    if (isLeft) expect(await countThoughts(sessionId)).toBe(1);
    rig.leap(2 * IDLE_MS);
    rig.sweeps(true);
    await expect.poll(() => rig.interactions.size).toBe(0);
    await expect.poll(() => countThoughts(sessionId)).toBe(isOrphan ? 1 : 0);
  };
  return { title, run };
}

const countThoughts = async (sessionId: string) => {
  const thoughts = await rig.store.list({ collection: thoughtType.paths.thoughts }, thoughtType);
  return thoughts.filter(({ value }) => value.sessionId === sessionId).length;
};

/** An investigation whose model never answers is cancelled; whoever cancels it dies over it. */
function cancellerDies(title: string): Scenario {
  const run = async (point: CrashPoint): Promise<void> => {
    const kills = rig.kills().length;
    const sessionId = await rig.publish(rig.planAlert(), 'wait');
    await expect.poll(() => rig.asked(sessionId).length).toBe(1);
    // Else a tick may end, between two steps of the canceller, what the canceller was to die over.
    rig.sweeps(false);
    rig.arm('canceller', { point });
    expect(await rig.cancel(sessionId)).toBe(KILLED);
    expect(rig.kills().slice(kills)).toEqual([{ name: 'canceller', point }]);
    rig.sweeps(true);

    const run = await end(sessionId, 0);
    expect(run.session).toMatchObject({ status: 'cancelled', failure: { code: 'CANCELLED' } });
    expect(run.execution.status).toBe('cancelled');
    expect(listEventTypes(run)).toEqual(['error cancelled']);
    // Who held it is told by its next renewal, and asks no longer.
    rig.leap(RENEW_EVERY_MS);
    await expect.poll(() => rig.asked(sessionId).map(({ closed }) => closed)).toEqual([true]);
  };
  return { title, run };
}

/** An investigation is paused before anything of it ran; whoever resumes it dies over it. */
function resumerDies(title: string): Scenario {
  const run = async (point: CrashPoint): Promise<void> => {
    const kills = rig.kills().length;
    rig.sweeps(false);
    const sessionId = await rig.openWithoutMessages(rig.planAlert(), 'investigate');
    expect(await rig.cancel(sessionId, 'pause')).toBe('exit code 0');
    rig.arm('canceller', { point });
    expect(await rig.cancel(sessionId, 'resume')).toBe(KILLED);
    expect(rig.kills().slice(kills)).toEqual([{ name: 'canceller', point }]);
    rig.leap(IDLE_MS);
    rig.sweeps(true);

    const run = await end(sessionId, 0);
    expect(run.session).toMatchObject({ status: 'completed', failure: null });
  };
  return { title, run };
}

/** The deadline of an investigation passes whose messages were lost; the sweep dies over it. */
function sweepDiesAtTheDeadline(title: string): Scenario {
  const run = async (point: CrashPoint): Promise<void> => {
    const [deaths, kills] = [rig.deaths('sweep'), rig.kills().length];
    rig.arm('sweep', { point });
    const sessionId = await rig.openWithoutMessages(rig.planAlert(), 'investigate');
    rig.leap(PAST_THE_DEADLINE_MS);
    await rig.died('sweep', deaths);

    const run = await end(sessionId, 0);
    expect(rig.kills().slice(kills)).toEqual([{ name: 'sweep', point }]);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    expect(run.executions.map(({ status }) => status)).toEqual(['timed_out', 'timed_out']);
    expect(listErrorCodes(run)).toEqual(['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED']);
    expect(rig.asked(sessionId)).toEqual([]);
  };
  return { title, run };
}

/** The messages of an investigation are lost, and the sweep dies before it finds out. */
function sweepDiesOverLostMessages(title: string): Scenario {
  const run = async (point: CrashPoint): Promise<void> => {
    const [deaths, kills] = [rig.deaths('sweep'), rig.kills().length];
    rig.arm('sweep', { point });
    const sessionId = await rig.openWithoutMessages(rig.planAlert(), 'investigate');
    await rig.died('sweep', deaths);
    rig.leap(IDLE_MS);

    const run = await end(sessionId, 0);
    expect(rig.kills().slice(kills)).toEqual([{ name: 'sweep', point }]);
    expect(run.session).toMatchObject({ status: 'completed', failure: null });
    expect(timesAsked(rig, sessionId)).toEqual({ [CHANGER]: [1, 1], [COMBINER]: [1], [OBSERVER]: [1, 1] });
  };
  return { title, run };
}

/** The investigation at its end, which is sound. */
async function end(sessionId: string, kills: number): Promise<Investigation> {
  const run = await rig.ended(sessionId);
  ended.push(run);
  expectSound(rig, run, kills);
  return run;
}

/** Numbers from 0 to 1, equal in every run (linear congruential, Numerical Recipes). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
