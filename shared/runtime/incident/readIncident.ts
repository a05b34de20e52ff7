// Reads what is known of an incident.

import type { Stored } from '../../contract/store.ts';
import { incidentType, paths, sessionType } from '../../schema/documents.ts';
import type { Incident } from '../../schema/incident.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';

/** An incident with its session, as far as they are there. */
export async function readIncident(
  incidentKey: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<{ incident?: Stored<Incident> | undefined; session?: Stored<Session> | undefined }> {
  const incident = await store.get(paths.incident(incidentKey), incidentType);
  const sessionId = incident?.value.sessionId ?? null;
  if (sessionId === null) return { incident };
  return { incident, session: await store.get(paths.session(sessionId), sessionType) };
}
