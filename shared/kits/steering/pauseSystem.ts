// Pauses and resumes the whole installation. While it is paused, alerts are accepted, messages of iterations
// are acknowledged without a claim, and the sweep repairs nothing. The sweep ends the pause
// (shared/core/rescue/endSystemPause.ts).

import * as z from 'zod';
import { isHeld } from '../../core/contract/lease.ts';
import type { Store } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { findDueExecutions } from '../../core/kernel/execution/findDue.ts';
import { LOST_MESSAGE_MS } from '../../core/kernel/state/dueAt.ts';
import { later } from '../../core/kernel/state/extendExecution.ts';
import { PAUSE_CACHE_MS, readSystemControl, writeSystemPause } from '../../core/kernel/systemPause.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import { type PauseOwner, type SystemPause, systemControlSchema } from '../../core/schema/systemControl.ts';

/** Documents of a page; only paths. */
const PAGE_SIZE = 300;
/** Clocks of other processes differ by less, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/** How long a pause lasts unless it is renewed, in milliseconds. */
export const DEFAULT_PAUSE_MS = 30 * 60_000;
/** The longest time until the end of a pause, in milliseconds. Messages are kept for seven days. */
export const MAX_PAUSE_MS = 24 * 3_600_000;

/** A process that read the control state before the pause claims within this time, in milliseconds. */
const CLAIM_MS = 5_000;

/** Outcome of a pause. `renewed`: it ends at the new time, or at its own if that is later. */
interface PauseSystemOutcome {
  kind: 'paused' | 'renewed';
  pause: SystemPause;
}

/** Outcome of a resume. `resuming`: the next sweep ends the pause. `held`: others need it. */
type ResumeSystemOutcome = { kind: 'resuming' | 'held'; pause: SystemPause } | { kind: 'not_paused' };

/** Who acts on the pause of the installation. */
interface PauseActor {
  /** The name that users see. */
  by: string;
  /** For whom. Default: `operator`. */
  owner?: PauseOwner;
}

/** The state of the installation. */
export const systemStateSchema = z.strictObject({
  /** Null without a pause. */
  pause: systemControlSchema.shape.paused,
  running: z.int().nullable().describe('Iterations that run; null without a pause'),
  /** Whether the installation is paused and no iteration runs. */
  isDrained: z.boolean(),
});
type SystemState = z.infer<typeof systemStateSchema>;

type Deps = Pick<StateDeps, 'store' | 'clock' | 'log'>;

/**
 * Pauses the installation, or renews its pause, until `forMs` milliseconds from now. A pause that ends later
 * keeps its end: two people can need it. Safe to repeat.
 * @throws RetryableError when other writers keep changing the document, or the store fails.
 */
export function pauseSystem(
  { by, forMs, owner = 'operator' }: PauseActor & { forMs: number },
  deps: Deps,
): Promise<PauseSystemOutcome> {
  const now = deps.clock.now();
  const asked = new Date(now.getTime() + forMs);
  return changePause(deps, (current): { outcome: PauseSystemOutcome; paused: SystemPause } => {
    const until = current === null ? asked : later(current.until, asked);
    const owners = [...new Set([...listPauseOwners(current), owner])];
    const paused = { by, at: now, ...current, owners, until, resumedBy: null };
    return { outcome: { kind: current === null ? 'paused' : 'renewed', pause: paused }, paused };
  });
}

/** Who needs a pause. One whose end was requested has no owners. */
const listPauseOwners = (pause: SystemPause | null): PauseOwner[] =>
  pause === null || pause.resumedBy !== null ? [] : (pause.owners ?? ['operator']);

/**
 * Requests the end of the pause for its owner. The pause of a deployment that runs continues. Safe to repeat.
 * @param actor.force whether to end it for all owners. Default: false.
 * @throws RetryableError when other writers keep changing the document, or the store fails.
 */
export function resumeSystem(
  { by, owner = 'operator', force = false }: PauseActor & { force?: boolean },
  deps: Deps,
): Promise<ResumeSystemOutcome> {
  const now = deps.clock.now();
  return changePause(deps, (current): { outcome: ResumeSystemOutcome; paused: SystemPause | null } => {
    if (current === null) return { outcome: { kind: 'not_paused' }, paused: null };
    const isOver = current.until <= now;
    const owners = force ? [] : listPauseOwners(current).filter((one) => one !== owner);
    if (!isOver && owners.length > 0) {
      const held = owners.length === listPauseOwners(current).length ? current : { ...current, owners };
      return { outcome: { kind: 'held', pause: held }, paused: held };
    }
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

/**
 * The number of executions with a live lease. None of them is overdue, or later than after another write, so
 * only those between are read. A broken document counts as idle.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
async function countLeases(now: Date, store: Store): Promise<number> {
  const to = new Date(now.getTime() + LOST_MESSAGE_MS + CLOCK_TOLERANCE_MS);
  let running = 0;
  for await (const page of findDueExecutions({ from: now, to, limit: PAGE_SIZE }, store)) {
    const found = await Promise.all(page.map((path) => captureFailure(store.get(path, executionType))));
    running += found.filter(({ value }) => isHeld(value?.value.lease, now)).length;
  }
  return running;
}
