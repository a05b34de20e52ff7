// Checks storms of related alerts: one leader per group, others join, each counts once.

import { isInvestigated } from '../../../../shared/alerts/fields/status.ts';
import { ALERT_EVENTS, readSessionAlert } from '../../../../shared/alerts/schema/alert.ts';
import { type Correlation, correlationPart } from '../../../../shared/alerts/schema/correlation.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { readCounts } from '../../../../shared/kits/views/reports.ts';
import { paths, timelineEventType } from '../../../../shared/lists/documents.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import type { RelatedAlert } from './simulatedRelated.ts';

/** A leader without a session is replaced after this time, in milliseconds. */
const OPENING_MS = 120_000;
/** Alerts of this time after the leader join a session that has completed. */
const STORM_MS = 60_000;

/** Checks the groups of a run. */
export async function checkRelated(
  world: World,
  violate: Violate,
  { related: alerts }: { related: readonly RelatedAlert[] },
): Promise<void> {
  const { plan, record, reader } = world;
  if (!plan.related) return;
  checkLeaders(world, violate);
  if (plan.grouped !== null) return;
  const clusters = new Map<string, string>();
  for (const { key = '', cluster } of alerts) {
    const sessionId = record.alertKeys.get(key) ?? '';
    const other = clusters.get(sessionId) ?? cluster;
    if (other !== cluster) violate('related', `${sessionId} has alerts of ${cluster} and ${other}`);
    clusters.set(sessionId, cluster);
  }
  for (const sessionId of clusters.keys()) {
    const own = alerts.filter(({ key = '' }) => record.alertKeys.get(key) === sessionId).length;
    const counts = (await readCounts(sessionId, reader)).value;
    if ((counts?.joined ?? 0) !== own - 1)
      violate('related', `${own - 1} alerts joined ${sessionId}, which counts ${counts?.joined}`);
    const timeline = await reader.list({ collection: paths.timeline(sessionId) }, timelineEventType);
    const numbers = timeline
      .filter(({ value }) => value.executionId === ALERT_EVENTS)
      .map(({ value }) => value.sequenceNumber);
    if ((counts?.events ?? 0) !== numbers.length || numbers.some((number, index) => number !== index + 1))
      violate('related', `${sessionId} counts ${counts?.events} events of alerts, and has ${numbers}`);
  }
}

/** A group's leader opens a session; it is replaced only where no alert can join. */
function checkLeaders({ record, plan }: World, violate: Violate): void {
  const leaders = new Map<string, { value: Correlation; at: number }>();
  const led = new Set<string>();
  const sessions = new Map<string, Session>();
  const openedAt = new Map<string, number>();
  const heldUntil = new Map<string, number>();
  for (const { at, by, writes } of record.commits) {
    for (const { op, path, value } of writes) {
      const [root, id = '', collection] = path.split('/');
      if (root === 'correlations' && id.endsWith('.leader')) {
        const next = value as Correlation;
        const before = leaders.get(id);
        if (before !== undefined) checkReplaced(id, before, next, { at, startedAt: by.startedAt });
        leaders.set(id, { value: next, at });
        led.add(next.alerts[0]?.sessionId ?? '');
      }
      if (root !== 'sessions' || collection !== undefined) continue;
      const alert = readSessionAlert(value as Session);
      const correlation = readPart(correlationPart, value as Session)?.keys;
      // An alert that a person split from a group has no labels to lead with, and a resolved one leads none.
      const leads = correlation !== undefined && alert !== null && isInvestigated(alert.status);
      if (op === 'create' && leads && !led.has(id)) violate('related', `${id} is opened, and does not lead`);
      if (isHeld(sessions.get(id))) heldUntil.set(id, at);
      sessions.set(id, value as Session);
      if (op === 'create') openedAt.set(id, at);
    }
  }

  /** A session, or the one that has its problems since a merge. */
  function mergedSession(id: string): Session | undefined {
    const session = sessions.get(id);
    const into = session?.cancellation?.mergedInto;
    return into === undefined ? session : mergedSession(into);
  }

  function checkReplaced(
    id: string,
    before: { value: Correlation; at: number },
    next: Correlation,
    { at: now, startedAt }: { at: number; startedAt: number },
  ): void {
    const [was] = before.value.alerts;
    const [is] = next.alerts;
    if (was === undefined || is === undefined || was.sessionId === is.sessionId) return;
    const session = mergedSession(was.sessionId);
    const distance = is.at.getTime() - was.at.getTime();
    const isLate = now - before.at > OPENING_MS - 4 * plan.maxSkewMs;
    const hasEnded = session !== undefined && (isTerminal(session.status) || session.conclusion !== null);
    const isOver = hasEnded && (Math.abs(distance) > STORM_MS || session.status !== 'completed');
    const isCancelled = session?.status === 'cancelling';
    const wasHeld = isHeld(session) || (heldUntil.get(session?.sessionId ?? '') ?? 0) > startedAt;
    // A process that stalls does not see the session that is opened meanwhile.
    const isUnseen = session === undefined || (openedAt.get(was.sessionId) ?? 0) > startedAt;
    if (!((isUnseen && isLate) || isOver || isCancelled || wasHeld))
      violate('related', `${id}: ${is.sessionId} leads instead of ${was.sessionId}, ${session?.status}`);
  }
}

/** Whether a session was not begun, because its alert is resolved: no alert joins it. */
const isHeld = (session: Session | undefined): boolean =>
  session?.status === 'deferred' && session.deferral?.reason === 'resolved';
