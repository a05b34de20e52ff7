// The leader of alerts that share labels: the one whose session the others join. A document for each key
// names it, so that of alerts that arrive at the same moment one opens a session.

import {
  type Correlation,
  type CorrelationKeys,
  correlationTitle,
  correlationType,
  type RelatedAlert,
} from '../../alerts/schema/correlation.ts';
import { type Stored, saveDocument, type Write } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { followMerges } from './followMerges.ts';

/** How long a leader can take to open its session. Then another takes over: its message is lost. */
const OPENING_MS = 2 * 60_000;
/** Alerts so near to the leader's join its session although it concludes: storms outlast analyses. */
const STORM_MS = 60_000;
const LEAD_RACES = 20;
const DAY_MS = 24 * 3600 * 1000;

/** The reasons of sessions that start automatically. */
const STARTS_LATER: readonly string[] = ['settling', 'sessions_per_hour', 'daily_tokens'];

/** Whether alerts can join a session: it runs, or starts automatically. */
export function canBeJoined({ status, conclusion, deferral }: Session): boolean {
  if (status === 'deferred') return deferral !== null && STARTS_LATER.includes(deferral.reason);
  return status === 'in_progress' && conclusion === null;
}

interface LeadDeps {
  /** The open session of a related alert that does not lead, or the id of the own session. */
  findOther(): Promise<Stored<Session> | string | undefined>;
}

/**
 * Decides whether an alert opens a session or joins that of the leader, and makes it the leader of keys
 * without one.
 * @returns the session to join; undefined if the alert opens one; else the result of `findOther`.
 * @param entry the alert, with the id of the session that it would open.
 * @throws RetryableError `STORE_CONFLICT` while the leader opens its session; when the store fails.
 */
export function leadAlerts(
  entry: RelatedAlert,
  tenantId: string,
  { keys }: CorrelationKeys,
  deps: StateDeps & LeadDeps,
): Promise<Stored<Session> | string | undefined> {
  const { store, clock, log } = deps;
  return retryLostRaces<Stored<Session> | string | undefined>(
    'the leader of related alerts',
    LEAD_RACES,
    async () => {
      const claims: Write[] = [];
      for (const { id, windowMs } of keys) {
        const path = correlationType.paths.correlation(`${id}.leader`);
        const reading = store.get(path, correlationType);
        const found = await readOrWarn(reading, 'a leader of related alerts is not known', log);
        if (found === UNREADABLE) continue;
        const leader = found?.value.alerts[0];
        const distance = leader === undefined ? Infinity : Math.abs(leader.at.getTime() - entry.at.getTime());
        if (found !== undefined && leader !== undefined && distance <= windowMs) {
          if (leader.sessionId === entry.sessionId) continue;
          let session = await store.get(paths.session(leader.sessionId), sessionType);
          if (session !== undefined)
            for await (const next of followMerges(session.value, store)) session = next;
          const isJoined = (one: Session) =>
            canBeJoined(one) || (distance <= STORM_MS && ['in_progress', 'completed'].includes(one.status));
          if (session !== undefined && isJoined(session.value)) return session;
          const isOpening = clock.now().getTime() - found.updatedAt.getTime() < OPENING_MS;
          if (session === undefined && isOpening)
            throw new RetryableError('STORE_CONFLICT', `a related alert opens session ${leader.sessionId}`);
        }
        const value: Correlation = {
          title: correlationTitle(entry.title),
          tenantId,
          count: 1,
          alerts: [entry],
          expireAt: new Date(clock.now().getTime() + windowMs + DAY_MS),
        };
        claims.push(saveDocument(path, correlationType, value, found?.version));
      }
      if (claims.length === 0) return undefined;
      const other = await deps.findOther();
      if (other !== undefined) return other;
      return (await store.commit(claims)).ok ? undefined : RACE_LOST;
    },
  );
}
