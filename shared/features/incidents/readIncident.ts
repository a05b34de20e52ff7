// Reads an incident with its session.

import { type Incident, incidentType } from '../../alerts/schema/incident.ts';
import type { Stored } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';

/**
 * An incident and its latest session; each is undefined if it does not exist. A session that this code cannot
 * read counts as deleted.
 * @returns `UNREADABLE` if this code cannot read the incident; the log names it.
 * @throws RetryableError when the store fails.
 */
export async function readIncident(
  incidentKey: string,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<
  { incident?: Stored<Incident> | undefined; session?: Stored<Session> | undefined } | typeof UNREADABLE
> {
  const incident = await readOrWarn(
    store.get(incidentType.paths.incident(incidentKey), incidentType),
    'reports of a problem do not count for its session',
    log,
  );
  if (incident === UNREADABLE) return UNREADABLE;
  const sessionId = incident?.value.sessionId ?? null;
  if (sessionId === null) return { incident };
  const consequence = 'reports of its problem do not count for this session';
  const session = await readOrWarn(store.get(paths.session(sessionId), sessionType), consequence, log);
  return session === UNREADABLE ? { incident } : { incident, session };
}
