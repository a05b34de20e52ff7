// Pauses and resumes a session. While it is paused, its messages are acknowledged without a claim and the
// sweep publishes none. Running iterations finish, and the deadline does not move.

import { isHeld } from '../../core/contract/lease.ts';
import { InquestError } from '../../core/errors.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { errorAsValue } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { publishOnce } from '../../core/kernel/execution/publishAgain.ts';
import { nextPosition, sessionEvent } from '../../core/kernel/session/sessionEvents.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import { SchemaVersionError } from '../../core/schema/documentType.ts';
import type { Steering } from '../../core/schema/session.ts';
import { commitSteering, type NotSteered, readRunning } from './steerSession.ts';

/** Outcome of a pause. `paused` names the person who paused the session first, and the time. */
type PauseOutcome =
  | NotSteered
  | { kind: 'paused' | 'already_paused'; paused: NonNullable<Steering['paused']> };

/** Outcome of a resume. `published`: number of executions whose message was published. */
type ResumeOutcome =
  | NotSteered
  | { kind: 'resumed'; published: number }
  /** The session was not paused. Messages that an earlier resume possibly lost are published again. */
  | { kind: 'not_paused'; published: number };

/**
 * Pauses a running session. Safe to repeat; the first call is stored.
 * @throws RetryableError when other writers keep changing the session, or the store fails.
 */
export function pauseSession(
  sessionId: string,
  { by }: { by: string },
  deps: Pick<StateDeps, 'store' | 'announce' | 'clock' | 'stageFeatures'>,
): Promise<PauseOutcome> {
  const own = { by, at: deps.clock.now() };
  let wasTried = false;
  return retryLostRaces<PauseOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') return running;
    const session = running.session.value;
    const { paused } = session.steering;
    if (paused !== null) {
      // A commit can be stored although its response was lost. This one was stored, by this call.
      const isOwn = wasTried && paused.by === by && paused.at.getTime() === own.at.getTime();
      return { kind: isOwn ? 'paused' : 'already_paused', paused };
    }
    const content = `Paused by ${by}. Running iterations finish; nothing else starts. The deadline (${session.deadline.toISOString()}) does not move.`;
    const notice = { code: 'paused' as const, subject: by, content };
    const event = sessionEvent(session, nextPosition(session), notice, own.at);
    wasTried = true;
    const isStored = await commitSteering(running, { paused: own }, [event], deps);
    return isStored ? { kind: 'paused', paused: own } : RACE_LOST;
  });
}

/**
 * Resumes a paused session: stores the change, then publishes the messages of all its open executions. Safe
 * to repeat: if the process dies before it has published them all, the next call publishes the rest, or the
 * sweep does within minutes.
 * @throws RetryableError when other writers keep changing the session, or the store or the publisher fails;
 *   the session might be resumed then.
 */
export async function resumeSession(
  sessionId: string,
  { by }: { by: string },
  deps: StateDeps,
): Promise<ResumeOutcome> {
  const now = deps.clock.now();
  let wasTried = false;
  const outcome = await retryLostRaces<
    NotSteered | { kind: 'resumed' | 'not_paused'; resumedAt: Date | null }
  >(`session ${sessionId}`, SESSION_RACES, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') return running;
    const session = running.session.value;
    const { paused, resumedAt } = session.steering;
    if (paused === null) {
      const isOwn = wasTried && resumedAt?.getTime() === now.getTime();
      return { kind: isOwn ? 'resumed' : 'not_paused', resumedAt };
    }
    const notice = { code: 'resumed' as const, subject: by, content: `Resumed by ${by}.` };
    const event = sessionEvent(session, nextPosition(session), notice, now);
    wasTried = true;
    const isStored = await commitSteering(running, { paused: null, resumedAt: now }, [event], deps);
    return isStored ? { kind: 'resumed', resumedAt: now } : RACE_LOST;
  });
  switch (outcome.kind) {
    case 'resumed':
      await deps.failpoint?.(CRASH_POINTS.afterResumeRequest);
      return { kind: outcome.kind, published: await publishOpen(sessionId, null, deps) };
    case 'not_paused': {
      const { resumedAt } = outcome;
      const published = resumedAt === null ? 0 : await publishOpen(sessionId, resumedAt, deps);
      return { kind: outcome.kind, published };
    }
    default:
      return outcome;
  }
}

/**
 * Publishes the messages of all open executions of a session, at any depth, except those that wait: the end
 * of the wait publishes them. Executions with a broken document are left to the sweep.
 * @param untouchedSince publishes only executions that were not written since then and are not held, once
 * each; null for all.
 * @returns the number of messages.
 */
async function publishOpen(sessionId: string, untouchedSince: Date | null, deps: StateDeps): Promise<number> {
  const { store, publisher, log, clock } = deps;
  const stored = await store.list({ collection: paths.executions(sessionId) }, errorAsValue(executionType));
  const untouched = stored.filter(({ updatedAt }) => untouchedSince === null || updatedAt <= untouchedSince);
  const read = untouched.flatMap(({ value, ...one }) => {
    if (value instanceof SchemaVersionError) throw value;
    if (!(value instanceof InquestError)) return [{ ...one, value }];
    log.error({ sessionId, code: value.code }, `not resumed: ${value.message}`);
    return [];
  });
  const now = clock.now();
  const published = await Promise.all(
    read.map(async (one) => {
      if (isTerminal(one.value.status) || one.value.status === 'waiting') return false;
      if (untouchedSince !== null) return !isHeld(one.value.lease, now) && (await publishOnce(one, deps));
      await publishIteration(publisher, one.value);
      return true;
    }),
  );
  return published.filter(Boolean).length;
}
