// Pauses and resumes the whole installation. While it is paused, alerts are accepted, messages of iterations are
// acknowledged without a claim, and the sweep repairs nothing. The sweep ends the pause (rescue/endSystemPause.ts).

import { paths } from '../../schema/documents.ts';
import type { SystemPause } from '../../schema/systemControl.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/races.ts';
import { later } from '../kernel/state/extendExecution.ts';
import { PAUSE_CACHE_MS, readSystemControl, writeSystemPause } from '../kernel/systemPause.ts';
import { countLeases } from './countLeases.ts';

/** How long a pause lasts unless it is renewed, in milliseconds. */
export const DEFAULT_PAUSE_MS = 30 * 60_000;
/** The longest time until the end of a pause, in milliseconds. Messages are kept for seven days. */
export const MAX_PAUSE_MS = 24 * 3_600_000;

/** A process that read the control state before the pause claims within this time, in milliseconds. */
const CLAIM_MS = 5_000;

/** Outcome of a pause. `renewed`: the installation was paused, and the pause ends at the new time, or at its own if that is later. */
export interface PauseSystemOutcome {
  kind: 'paused' | 'renewed';
  pause: SystemPause;
}

/** Outcome of a resume. `resuming`: the next run of the sweep ends the pause. */
export type ResumeSystemOutcome = { kind: 'resuming'; pause: SystemPause } | { kind: 'not_paused' };

/** The state of the installation. */
export interface SystemState {
  /** The current pause; null without one. */
  pause: SystemPause | null;
  /** Number of executions that a process works on; null without a pause. */
  running: number | null;
  /** Whether the installation is paused and no iteration runs. */
  isDrained: boolean;
}

type Deps = Pick<StateDeps, 'store' | 'clock' | 'log'>;

/**
 * Pauses the installation, or renews its pause, until `forMs` milliseconds from now. A pause that ends later keeps its end:
 * two people can need it. Safe to repeat.
 * @throws RetryableError when other writers keep changing the document, or the store fails.
 */
export function pauseSystem(
  { by, forMs }: { by: string; forMs: number },
  deps: Deps,
): Promise<PauseSystemOutcome> {
  const now = deps.clock.now();
  const asked = new Date(now.getTime() + forMs);
  return changePause(deps, (current): { outcome: PauseSystemOutcome; paused: SystemPause } => {
    const until = current === null ? asked : later(current.until, asked);
    const paused = { by, at: now, ...current, until, resumedBy: null };
    return { outcome: { kind: current === null ? 'paused' : 'renewed', pause: paused }, paused };
  });
}

/**
 * Requests the end of the pause. Safe to repeat.
 * @throws RetryableError when other writers keep changing the document, or the store fails.
 */
export function resumeSystem({ by }: { by: string }, deps: Deps): Promise<ResumeSystemOutcome> {
  const now = deps.clock.now();
  return changePause(deps, (current): { outcome: ResumeSystemOutcome; paused: SystemPause | null } => {
    if (current === null) return { outcome: { kind: 'not_paused' }, paused: null };
    const isOver = current.until <= now;
    const paused = isOver ? current : { ...current, until: now, resumedBy: by };
    return { outcome: { kind: 'resuming', pause: paused }, paused };
  });
}

/**
 * The current pause, and whether the last iterations have finished.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function readSystemState(deps: Deps): Promise<SystemState> {
  const { pause } = await readSystemControl(deps);
  if (pause === null) return { pause, running: null, isDrained: false };
  const now = deps.clock.now();
  const running = await countLeases(now, deps.store);
  const isKnown = now.getTime() - pause.at.getTime() >= PAUSE_CACHE_MS + CLAIM_MS;
  return { pause, running, isDrained: isKnown && running === 0 };
}

/** Stores the pause that `change` returns, unless it is the current one. */
function changePause<O>(
  deps: Deps,
  change: (current: SystemPause | null) => { outcome: O; paused: SystemPause | null },
): Promise<O> {
  return retryLostRaces<O>(paths.systemControl, SESSION_RACES, async () => {
    const reading = await readSystemControl(deps);
    const { outcome, paused } = change(reading.pause);
    if (paused === reading.pause) return outcome;
    const { ok } = await deps.store.commit([writeSystemPause(paused, reading, deps.clock.now())]);
    return ok ? outcome : RACE_LOST;
  });
}
