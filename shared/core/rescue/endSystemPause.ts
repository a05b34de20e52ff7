// Ends a pause of the installation: extends everything that is open by the time of the pause, then clears the
// pause, then publishes all open iterations. Each step can be repeated, so a sweep that dies is continued by
// the next one.

import { workInParallel } from '../../text/workInParallel.ts';
import { errorMessage, InquestError, TerminalError } from '../errors.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { NEWER_CODE_MS } from '../kernel/execution/newerDocument.ts';
import { LISTED_FAILURES, type SweepFailure } from '../kernel/feature/sweepFeature.ts';
import { type SystemReading, writeSystemPause } from '../kernel/systemPause.ts';
import { paths } from '../schema/coreDocuments.ts';
import { SchemaVersionError } from '../schema/documentType.ts';
import type { Execution } from '../schema/execution.ts';
import { extendPausedSession } from './extendPaused.ts';
import { publishInTurn } from './publishInTurn.ts';

interface PauseEnd {
  /** False if the pause continues: it was renewed, or the store failed. The next run tries again. */
  isOver: boolean;
  /** Number of iterations that were published. */
  published: number;
  /** Number of sessions that could not be extended. */
  failed: number;
  /** The first of them; the log has all. */
  failures: SweepFailure[];
}

const PAGE_SIZE = 200;
const CONCURRENT = 10;
/** Milliseconds a pause waits for sessions that cannot be extended. Then the others continue. */
const LONGEST_WAIT_MS = 3_600_000;
/** No session is due later, in milliseconds from now. */
const LONGEST_MS = 10 * 365 * 24 * 3_600_000;

/**
 * Ends a pause of the installation.
 * @param reading the control state as it was read; without a pause nothing is done.
 * @param now the end of the pause.
 * @throws RetryableError when the open sessions cannot be listed, the outcome of a write is unknown, or the
 * publisher fails.
 */
export async function endSystemPause(reading: SystemReading, now: Date, deps: StateDeps): Promise<PauseEnd> {
  if (reading.pause === null) return { isOver: true, published: 0, failed: 0, failures: [] };
  const period = { from: reading.pause.at, to: now };
  const failures: SweepFailure[] = [];
  const open: Execution[] = [];
  let failed = 0;
  let isComplete = true;
  await workInParallel(await listOpen(now, deps), CONCURRENT, async (sessionId) => {
    await deps.failpoint?.(CRASH_POINTS.duringSweep);
    try {
      open.push(...(await extendPausedSession(sessionId, period, deps)));
    } catch (error) {
      if (mustWait(error, reading, now)) isComplete = false;
      const code = error instanceof InquestError ? error.code : null;
      failed += 1;
      if (failures.length < LISTED_FAILURES) failures.push({ sessionId, code, message: errorMessage(error) });
      deps.log.error({ sessionId, err: error }, `not extended by a pause: ${errorMessage(error)}`);
    }
  });
  const isCleared = isComplete && (await deps.store.commit([writeSystemPause(null, reading, now)])).ok;
  if (!isCleared) return { isOver: false, published: 0, failed, failures };
  deps.log.info({ pause: reading.pause, iterations: open.length }, 'the pause of the installation is over');
  await publishInTurn(open, deps);
  return { isOver: true, published: open.length, failed, failures };
}

/**
 * Whether the pause waits for another try. No code extends a broken document. One of newer code is left to
 * the sweep of that code for `NEWER_CODE_MS` after the pause, and any other error is retried for
 * `LONGEST_WAIT_MS`.
 */
function mustWait(error: unknown, { pause }: SystemReading, now: Date): boolean {
  const waitedMs = pause === null ? 0 : now.getTime() - pause.until.getTime();
  if (error instanceof SchemaVersionError) return waitedMs < NEWER_CODE_MS;
  return !(error instanceof TerminalError) && waitedMs < LONGEST_WAIT_MS;
}

/** The sessions with a running stage or question. */
async function listOpen(now: Date, { store }: StateDeps): Promise<Set<string>> {
  const found = new Set<string>();
  const to = new Date(now.getTime() + LONGEST_MS);
  const due = store.findByTime({ collectionId: paths.sessions, field: 'dueAt', to, limit: PAGE_SIZE });
  for await (const page of due) for (const path of page) found.add(path.split('/')[1] ?? '');
  return found;
}
