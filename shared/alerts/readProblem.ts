// Reads the state of the problem of sessions, for every list, page, command and message that shows one.

import type { Store } from '../core/contract/store.ts';
import { paths, sessionType } from '../core/schema/coreDocuments.ts';
import { type ReadDocument, readableType, type Unreadable } from '../core/schema/readable.ts';
import type { ProblemState } from '../text/problemWords.ts';
import { composeIncidentKey } from './incident.ts';
import { decideProblem, type ProblemSubject, problemSubject } from './problemState.ts';
import { type AlertCounts, type Incident, incidentType } from './schema/incident.ts';

/** The most problems of merged sessions that count for one session. */
const MAX_MERGED = 100;

/** The state of a session's problem. */
interface ProblemReading {
  /** Null for a session without an alert. */
  problem: ProblemState | null;
  /** Incidents that cannot be read; they count as missing. */
  unreadable: Unreadable[];
}

/**
 * Reads the state of the problem of a session, as of now. One read, and for a session that others joined one
 * more for each merged problem.
 * @param counts its reports. Undefined: none are counted.
 * @throws RetryableError when the store fails.
 */
type ReadProblem = (
  subject: ProblemSubject,
  counts: Pick<AlertCounts, 'firing' | 'joined'> | null | undefined,
) => Promise<ProblemReading>;

/** Creates a reader for sessions of one request, which reads each incident once. */
export function createProblemReader(store: Pick<Store, 'get' | 'listIds'>): ReadProblem {
  const known = new Map<string, Promise<ReadDocument<Incident>>>();
  const readIncident = (key: string): Promise<ReadDocument<Incident>> => {
    const reading =
      known.get(key) ??
      store
        .get(incidentType.paths.incident(key), readableType(incidentType))
        .then((stored) => stored?.value ?? {});
    known.set(key, reading);
    return reading;
  };
  return async (subject, counts) => {
    const own = await readOwn(subject, readIncident, store);
    const keys = counts && counts.joined > 0 ? await mergedInto(subject.sessionId, store) : [];
    const others = await Promise.all(keys.map(readIncident));
    const merged = others.flatMap(({ value }) => (value?.merged ? [value] : []));
    const problem = decideProblem(subject, { own: own.value, merged, firing: counts?.firing ?? 0 });
    return { problem, unreadable: [own, ...others].flatMap(({ unreadable }) => unreadable ?? []) };
  };
}

/** The incident of a session's own alert. The problem of a rerun is that of the session that it repeats. */
async function readOwn(
  subject: ProblemSubject,
  readIncident: (key: string) => Promise<ReadDocument<Incident>>,
  store: Pick<Store, 'get'>,
): Promise<ReadDocument<Incident>> {
  const { alert, tenantId, namedChain, rerunOf } = subject;
  if (alert === null) return {};
  const key = composeIncidentKey(alert, { tenantId, chain: namedChain });
  if (key === undefined) return {};
  if (rerunOf === null) return await readIncident(key);
  const first = await store.get(paths.session(rerunOf), readableType(sessionType));
  const repeated = first?.value.value;
  return repeated === undefined
    ? await readIncident(key)
    : await readOwn(problemSubject(repeated), readIncident, store);
}

/** The keys of the incidents whose reports a session takes. */
function mergedInto(sessionId: string, store: Pick<Store, 'listIds'>): Promise<string[]> {
  const query = {
    collection: incidentType.paths.incidents,
    field: 'sessionId',
    oneOf: [sessionId],
    limit: MAX_MERGED,
  };
  return store.listIds(query);
}
