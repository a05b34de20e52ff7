// Pauses an installation while a release is deployed whose code stores other versions of documents: older
// code refuses newer documents, and its messages would be redelivered until all services run the new code.

import { errorMessage } from '../../shared/core/errors.ts';
import type { StateDeps } from '../../shared/core/kernel/deps.ts';
import type { SystemPause } from '../../shared/core/schema/systemControl.ts';
import {
  DEFAULT_PAUSE_MS,
  pauseSystem,
  readSystemState,
  resumeSystem,
} from '../../shared/kits/steering/pauseSystem.ts';
import { waitUntilDrained } from '../process/waitUntilDrained.ts';
import type { StoredRelease } from './releases.ts';

/** An iteration lasts at most 8 minutes. */
const DRAIN_MS = 10 * 60_000;
const RENEW_MS = 10 * 60_000;

type Documents = StoredRelease['documents'];

/** Whether code of one release stores other versions of documents than that of the other. */
export function storesOtherVersions(current: Documents, next: Documents): boolean {
  const names = new Set([...Object.keys(current), ...Object.keys(next)]);
  return [...names].some((name) => current[name] !== next[name]);
}

/** How the pause is reported and bounded. */
export interface PauseOptions {
  /** The name of the deployer, which the dashboard shows. */
  by: string;
  onProgress: (line: string) => void;
  signal: AbortSignal;
  /** Default: 2 s. */
  pollMs?: number;
  /** Default: 10 minutes. */
  renewMs?: number;
}

type Deps = Pick<StateDeps, 'store' | 'clock' | 'log'>;

/**
 * Pauses, waits until no iteration runs, does `work`, and resumes; also when `work` fails. The pause is
 * renewed until then. A process that dies leaves the pause, which ends after 30 minutes. The pause of an
 * operator outlasts the deployment, and an operator who resumes does not end that of the deployment.
 * @throws Error when the pause ends before the last iteration, and when iterations still run after 10
 *   minutes; the errors of `work` and of the store.
 */
export async function whilePaused(
  deps: Deps,
  options: PauseOptions,
  work: () => Promise<void>,
): Promise<void> {
  const { by, onProgress } = options;
  onProgress(
    'the release stores documents of other versions: it is applied while the installation is paused. Alerts are accepted',
  );
  const { pause } = await readSystemState(deps);
  if (isSystemPaused(pause, deps))
    onProgress(`${pause.by} has paused it until ${pause.until.toISOString()}; this pause stays`);
  await pauseSystem({ by, forMs: DEFAULT_PAUSE_MS, owner: 'deployment' }, deps);
  const stopRenewing = renewPause(deps, options);
  try {
    await drainSessions(deps, options);
    await work();
  } finally {
    await stopRenewing();
    const { kind } = await resumeSystem({ by, owner: 'deployment' }, deps);
    onProgress(
      kind === 'held'
        ? 'an operator has paused the installation, which stays paused'
        : 'the installation resumes with the next run of the sweep',
    );
  }
}

/** Whether a pause holds: its end was not requested and did not pass. */
function isSystemPaused(pause: SystemPause | null, { clock }: Deps): pause is SystemPause {
  return pause !== null && pause.resumedBy === null && pause.until > clock.now();
}

async function drainSessions(deps: Deps, { onProgress, signal, pollMs }: PauseOptions): Promise<void> {
  const start = deps.clock.now().getTime();
  const read = async () => {
    const state = await readSystemState(deps);
    if (!isSystemPaused(state.pause, deps)) return { pause: null, running: null, isDrained: false };
    if (!state.isDrained && deps.clock.now().getTime() - start > DRAIN_MS)
      throw new Error(`${state.running} iterations still run after 10 minutes; run the command again later`);
    return state;
  };
  const onRunning = (running: number) => onProgress(`waiting for ${running} iterations`);
  await waitUntilDrained(read, { onRunning, signal, pollMs });
}

/** Renews the pause, unless an operator has ended it, until the returned function is called. */
function renewPause(deps: Deps, { by, onProgress, renewMs = RENEW_MS }: PauseOptions): () => Promise<void> {
  const renew = async () => {
    const { pause } = await readSystemState(deps);
    if (isSystemPaused(pause, deps))
      await pauseSystem({ by, forMs: DEFAULT_PAUSE_MS, owner: 'deployment' }, deps);
  };
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renew().catch((error: unknown) =>
      onProgress(`the pause could not be renewed: ${errorMessage(error)}`),
    );
  }, renewMs);
  return () => {
    clearInterval(timer);
    return renewing;
  };
}
