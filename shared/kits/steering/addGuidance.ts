// Stores a person's guidance for the agents of a running session. Every execution that asks its model
// afterwards reads it, including those of later stages.

import { createDocument } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import type { SaveDeps } from '../../core/kernel/session/replaceSession.ts';
import { nextPosition } from '../../core/kernel/session/sessionEvents.ts';
import type { Guidance } from '../../core/schema/control.ts';
import { guidanceType, paths, SESSION_EVENTS, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { commitSteering, type NotSteered, type RunningSession, readRunning } from './steerSession.ts';

/** Maximum length of one guidance, in characters. */
const MAX_GUIDANCE_CHARACTERS = 10_000;
/** Maximum number of guidance texts of a session: each execution has all of them in its conversation. */
export const MAX_GUIDANCE = 50;

/** Guidance as a person gives it. */
interface GuidanceInput {
  /** The guidance, not yet masked. `guidanceFault` checks it. */
  text: string;
  /** Name of the person; stored and shown. */
  by: string;
}

/** Outcome of storing guidance. */
export type GuidanceOutcome =
  | NotSteered
  /** The investigation has ended: only its executive summary is being written. */
  | { kind: 'concluded' }
  /** The session has reached `MAX_GUIDANCE`. */
  | { kind: 'too_many' }
  | { kind: 'told'; guidance: Guidance; isPaused: boolean }
  /** The same text of the same person is already stored; nothing was changed. */
  | { kind: 'told_before'; guidance: Guidance; isPaused: boolean };

/** Why a guidance is invalid, for people; undefined if it is valid. */
export function guidanceFault(text: string): string | undefined {
  const characters = [...text.trim()].length;
  if (characters === 0) return 'it is empty';
  if (characters <= MAX_GUIDANCE_CHARACTERS) return undefined;
  return `it has ${characters} characters; at most ${MAX_GUIDANCE_CHARACTERS} are read`;
}

/**
 * Stores guidance for the agents of a session, masked. Safe to repeat: the same text of the same person is
 * stored once.
 * @throws RangeError for a text with a `guidanceFault`; RetryableError when other writers keep changing the
 *   session, or the store fails.
 */
export function addGuidance(
  sessionId: string,
  input: GuidanceInput,
  deps: Pick<AlertDeps, 'store' | 'announce' | 'clock' | 'maskerFor' | 'stageFeatures'>,
): Promise<GuidanceOutcome> {
  const fault = guidanceFault(input.text);
  if (fault !== undefined) throw new RangeError(`the guidance cannot be given: ${fault}`);
  const now = deps.clock.now();
  let wasTried = false;
  return retryLostRaces<GuidanceOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') return running;
    const session = running.session.value;
    if (session.conclusion !== null) return { kind: 'concluded' };
    const masker = deps.maskerFor(session.maskKey);
    const { text, count } = cleanText(masker, input.text.trim());
    const by = cleanText(masker, input.by).text;
    const isPaused = session.steering.paused !== null;
    const before = await findSame(session, { text, by }, deps);
    if (before !== undefined) {
      // A commit can be stored although its response was lost. This one was stored, by this call.
      const isOwn = wasTried && before.createdAt.getTime() === now.getTime();
      return { kind: isOwn ? 'told' : 'told_before', guidance: before, isPaused };
    }
    if (session.steering.guidance >= MAX_GUIDANCE) return { kind: 'too_many' };
    const guidance: Guidance = {
      sessionId,
      number: session.steering.guidance + 1,
      text,
      givenBy: by,
      expireAt: session.expireAt,
      createdAt: now,
    };
    wasTried = true;
    const isStored = await storeGuidance(running, guidance, count, deps);
    return isStored ? { kind: 'told', guidance, isPaused } : RACE_LOST;
  });
}

async function findSame(
  { sessionId, steering }: Session,
  { text, by }: GuidanceInput,
  deps: Pick<AlertDeps, 'store'>,
): Promise<Guidance | undefined> {
  if (steering.guidance === 0) return undefined;
  const all = await deps.store.list({ collection: paths.allGuidance(sessionId) }, guidanceType);
  return all.map(({ value }) => value).find((one) => one.text === text && one.givenBy === by);
}

function storeGuidance(
  running: RunningSession,
  guidance: Guidance,
  masked: number,
  deps: SaveDeps,
): Promise<boolean> {
  const session = running.session.value;
  const { sessionId, number, text, givenBy, expireAt, createdAt } = guidance;
  const position = nextPosition(session);
  const writes = [
    createDocument(paths.guidance(sessionId, number), guidanceType, guidance),
    createDocument(paths.event(sessionId, SESSION_EVENTS, position), timelineEventType, {
      eventType: 'user_guidance',
      sessionId,
      stageId: session.currentStageId,
      executionId: SESSION_EVENTS,
      parentExecutionId: null,
      sequenceNumber: position,
      iteration: null,
      status: 'completed',
      content: text,
      metadata: { givenBy, number, ...(masked > 0 && { masked }) },
      expireAt,
      createdAt,
    }),
  ];
  return commitSteering(running, { guidance: number }, writes, deps);
}
