// Whether the whole installation is paused. Iterations ask before each message, so a process keeps the answer
// for some seconds (decision 118).

import { saveDocument, type Version, type Write } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { paths, systemControlType } from '../schema/coreDocuments.ts';
import { rawDocumentType } from '../schema/documentType.ts';
import type { SystemPause } from '../schema/systemControl.ts';
import type { PauseCache, StateDeps } from './deps.ts';

/** How long a process uses the pause that it has read, in milliseconds. */
export const PAUSE_CACHE_MS = 5_000;

/** How long the control state is kept after its last change, in milliseconds. Longer than any pause. */
const CONTROL_RETENTION_MS = 30 * 24 * 3_600_000;

/** The control state of the installation as it was read. */
export interface SystemReading {
  /** The current pause; null without one. It lasts until the sweep has ended it. */
  pause: SystemPause | null;
  /** Null if there is no document. */
  version: Version | null;
}

/**
 * Reads the control state of the installation. A broken document is logged and counts as no pause: it must
 * not stop every investigation.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function readSystemControl({
  store,
  log,
}: Pick<StateDeps, 'store' | 'log'>): Promise<SystemReading> {
  const stored = await store.get(paths.systemControl, rawDocumentType);
  if (stored === undefined) return { pause: null, version: null };
  const { version } = stored;
  try {
    return { pause: systemControlType.decode(stored.value, paths.systemControl).paused, version };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    log.error({ code: error.code }, `a pause of the installation is ignored: ${error.message}`);
    return { pause: null, version };
  }
}

/** The write that stores a pause, or its end, unless the control state has changed since it was read. */
export function writeSystemPause(pause: SystemPause | null, { version }: SystemReading, now: Date): Write {
  const expireAt = new Date(now.getTime() + CONTROL_RETENTION_MS);
  const value = { paused: pause, expireAt };
  return saveDocument(paths.systemControl, systemControlType, value, version);
}

/**
 * The current pause of the installation, as it was at most `PAUSE_CACHE_MS` ago. Without a cache it is always
 * read.
 * @throws as `readSystemControl`.
 */
export async function recentSystemPause(
  deps: Pick<StateDeps, 'store' | 'log' | 'clock'> & { pauseCache?: PauseCache | undefined },
): Promise<SystemPause | null> {
  const { pauseCache = {}, clock } = deps;
  const now = clock.now();
  const { last } = pauseCache;
  const ageMs = last === undefined ? PAUSE_CACHE_MS : now.getTime() - last.readAt.getTime();
  // A negative age is that of a clock that was corrected.
  if (last !== undefined && ageMs >= 0 && ageMs < PAUSE_CACHE_MS) return last.pause;
  const { pause } = await readSystemControl(deps);
  pauseCache.last = { pause, readAt: now };
  return pause;
}
