// Simulates people who steer sessions: they tell their agents something, pause and resume them, at any time,
// twice, two at the same moment, and again when it failed.

import { InquestError } from '../../../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../../../shared/core/kernel/deps.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { addGuidance } from '../../../../shared/kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../../../../shared/kits/steering/pauseSession.ts';
import { MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** How long a person waits before trying again what failed, in milliseconds. */
const AGAIN_AFTER_MS = 5_000;
const MAX_TRIES = 5;

type Action = 'tell' | 'pause' | 'resume';
type Act = (deps: RuntimeDeps) => Promise<void>;

/** Draws acts on a run's sessions, only from `random`: other runs do not change. */
export function steerAtSomeTimes(
  sessionIds: () => string[],
  cloud: Cloud,
  world: World,
  random: Random,
): void {
  const { plan, time } = world;
  if (!plan.steered) return;
  const at = (ms: number, action: Action, act: (sessionId: string) => Act): void => {
    const copies = random.chance(0.3) ? 2 : 1;
    const position = random.int(0, plan.sessions - 1);
    time.after(ms, () => {
      const sessionId = sessionIds()[position];
      if (sessionId === undefined) return;
      world.traceLine(`a person wants to ${action} ${sessionId}`);
      for (let copy = 1; copy <= copies; copy++) perform(action, act(sessionId), cloud, world);
    });
  };
  for (let count = random.int(0, 4); count > 0; count--) {
    const mark = world.nextMark();
    at(random.int(0, random.pick([10_000, MINUTE, 3 * MINUTE])), 'tell', (sessionId) => {
      const told: World['record']['told'][number] = { sessionId, mark, outcome: null };
      world.record.told.push(told);
      return async (deps) => {
        const outcome = await addGuidance(sessionId, { text: `Look at ${mark}.`, by: 'ada' }, deps);
        told.outcome = outcome.kind;
      };
    });
  }
  // Where resumptions die, there is one to die, and nobody tries again.
  const { crashPoints, probability } = plan;
  const dies =
    crashPoints.has(CRASH_POINTS.afterResumeRequest) && probability.process_killed_at_crash_point >= 0.5;
  const pauses = random.int(dies ? 1 : 0, 2);
  for (let count = 1; count <= pauses; count++) {
    // Most sessions end soon: a pause that is to be resumed by who dies comes at once.
    const from = random.int(0, random.pick(dies ? [500, 2_000] : [5_000, MINUTE, 2 * MINUTE]));
    at(from, 'pause', (sessionId) => async (deps) => {
      await pauseSession(sessionId, { by: 'ada' }, deps);
    });
  }
  // Some pauses last until the deadline; in a run without faults none does.
  if (pauses > 0 && !plan.peaceful && random.chance(0.1)) return;
  // When its process dies, only the sweep continues a long pause, unless a person retries.
  const last = random.pick(dies ? [8, 14] : [3, 8, 14]) * MINUTE;
  const isRepeated = plan.peaceful || (!dies && random.chance(0.5));
  for (let position = 0; position < plan.sessions && pauses > 0; position++) {
    const resume = (ms: number) =>
      time.after(ms, () => {
        const sessionId = sessionIds()[position];
        if (sessionId !== undefined)
          perform('resume', (deps) => resumeAndCheck(sessionId, deps, world), cloud, world);
      });
    if (isRepeated) resume(random.int(0, last));
    resume(last + random.int(0, MINUTE));
  }
}

function perform(action: Action, act: Act, cloud: Cloud, world: World, tries = 1): void {
  cloud.invoke(
    action,
    async (_, deps) => {
      try {
        await act(deps);
      } catch (error) {
        if (!(error instanceof InquestError)) throw error;
        if (tries < MAX_TRIES)
          world.time.after(AGAIN_AFTER_MS, () => perform(action, act, cloud, world, tries + 1));
      }
    },
    undefined,
  );
}

/** Resumes a session; afterwards every execution that was open has a message, or has gone on without. */
async function resumeAndCheck(sessionId: string, deps: RuntimeDeps, { record, time }: World): Promise<void> {
  const outcome = await resumeSession(sessionId, { by: 'ada' }, deps);
  const resumedAt = record.pauses.get(sessionId)?.to ?? Number.POSITIVE_INFINITY;
  // It may be paused again by now, or have been resumed by another process at the same time.
  if (outcome.kind !== 'resumed' || resumedAt > time.now() || record.expired.has(sessionId)) return;
  for (const [key, { value, at }] of record.executions) {
    if (value.sessionId !== sessionId || isTerminal(value.status) || value.status === 'waiting') continue;
    const isPublished = (record.published.lastAt.get(key) ?? 0) >= resumedAt;
    if (at < resumedAt && !isPublished)
      record.violations.push(`pauses: ${key} was not published when its session was resumed`);
  }
}
