// Checks pauses of the installation: no iteration starts and nothing times out during one, and afterwards
// every open session has the time of the pause.

import { PAUSE_CACHE_MS } from '../../../../shared/core/kernel/systemPause.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { modelWaitsPart } from '../../../../shared/kits/agents/modelOutage.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import { MINUTE } from '../../faults.ts';
import type { AppliedCommit } from '../../record.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';

const readWaitedMs = (session: Session) => readPart(modelWaitsPart, session)?.ms ?? 0;

/** How much shorter than the pause an extension can be: the sweep stores it after it has read the time. */
const TOLERANCE_MS = 2 * MINUTE;
/** Whoever writes these only repairs or works. People decide and cancel during a pause. */
const FUNCTIONS = ['runIteration', 'sweep', 'buryIteration'];

/** Checks the commits of a run whose installation was paused. */
export function checkSystemPauses(world: World, violate: Violate): void {
  const { record, plan } = world;
  if (!plan.systemPaused) return;
  let pausedSince: number | undefined;
  const holders = new Map<string, string | undefined>();
  const sessions = new Map<string, Session>();
  let before = new Map<string, Session>();
  for (const commit of record.commits) {
    for (const { path, value } of commit.writes) {
      const [root, , collection, id = ''] = path.split('/');
      if (root === 'system') {
        const { paused } = value as { paused: object | null };
        if (paused === null && pausedSince !== undefined)
          checkExtended(before, sessions, commit, pausedSince, world, violate);
        if (paused !== null && pausedSince === undefined) before = new Map(sessions);
        pausedSince = paused === null ? undefined : (pausedSince ?? commit.at);
      }
      if (root === 'sessions' && collection === undefined && value !== null)
        sessions.set((value as Session).sessionId, value as Session);
      if (collection !== 'executions') continue;
      const execution = value as Execution;
      const holder = execution.lease?.holder;
      const isClaim = holder !== undefined && holder !== holders.get(path);
      holders.set(path, holder);
      if (pausedSince !== undefined && isAfter(commit, pausedSince)) {
        if (isClaim) violate('system pause', `#${commit.by.id} claims ${id} during a pause`);
        if (execution.status === 'timed_out')
          violate('system pause', `#${commit.by.id} ends ${id} at its deadline during a pause`);
      }
    }
  }
}

/** Whether a function started after all processes knew a pause. Corrected clocks do not count. */
function isAfter({ by }: AppliedCommit, pausedSince: number): boolean {
  return (
    FUNCTIONS.includes(by.target) && !by.process.hasJumped && by.startedAt > pausedSince + PAUSE_CACHE_MS
  );
}

/** Sessions open during a whole pause get its time, except waits for their model. */
function checkExtended(
  before: ReadonlyMap<string, Session>,
  after: ReadonlyMap<string, Session>,
  { at }: AppliedCommit,
  pausedSince: number,
  { record, plan }: World,
  violate: Violate,
): void {
  for (const [sessionId, was] of before) {
    const is = after.get(sessionId);
    if (is === undefined || was.status !== 'in_progress' || is.status !== 'in_progress') continue;
    // Older code does not wait for ever for a session of newer code.
    if (record.expired.has(sessionId) || record.newerPaths.has(paths.session(sessionId))) continue;
    const pausedMs = at - pausedSince;
    const extendedMs = is.deadline.getTime() - was.deadline.getTime();
    const waitedMs = readWaitedMs(is) - readWaitedMs(was);
    const allowedMs = TOLERANCE_MS + 4 * plan.maxSkewMs;
    // A wait for a model that ends later has its time already.
    const uncoveredMs = at - Math.max(pausedSince, was.waitedUntil?.getTime() ?? 0);
    if (extendedMs < uncoveredMs - allowedMs)
      violate('system pause', `${sessionId} has ${extendedMs} ms more after a pause of ${pausedMs} ms`);
    if (extendedMs > pausedMs + waitedMs + allowedMs)
      violate('system pause', `${sessionId} has ${extendedMs} ms more after a pause of only ${pausedMs} ms`);
  }
}
