// Loads the alerts that share labels with the alert of a session.

import type { Alert } from '../../alerts/schema/alert.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import {
  type CorrelationKeys,
  correlationPart,
  correlationType,
  type RelatedAlert,
} from '../../alerts/schema/correlation.ts';
import { neighbourIds, relatedTo } from '../../alerts/sharedLabels.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import { readableType, splitReadable, type Unreadable } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';

/** The store, and the log that names unreadable documents. */
type CorrelationDeps = Pick<StateDeps, 'store'> & Partial<Pick<StateDeps, 'log'>>;

/** An alert of a session, and the keys of related ones; undefined without such labels. */
interface CorrelatedAlert extends Pick<Session, 'sessionId'> {
  alert: Pick<Alert, 'title'> | null;
  correlation: CorrelationKeys | undefined;
}

/**
 * Loads the alerts related to that of a session, as of now: at most ten. Reads three documents for each of
 * its keys.
 * @throws RetryableError when the store fails.
 */
export async function loadRelated(
  { sessionId, alert, correlation }: CorrelatedAlert,
  deps: CorrelationDeps,
): Promise<RelatedAlert[]> {
  if (correlation === undefined || alert === null) return [];
  return relatedTo({ sessionId, title: alert.title }, correlation, await readNoted(correlation, deps));
}

/**
 * Loads the same for readers: unreadable documents are named and omitted.
 * @throws RetryableError when the store fails.
 */
export async function readRelated(
  session: Session,
  { store }: Pick<StateDeps, 'store'>,
): Promise<{ alerts: RelatedAlert[]; unreadable: Unreadable[] }> {
  const { sessionId } = session;
  const alert = readSessionAlert(session);
  const correlation = readPart(correlationPart, session)?.keys;
  if (correlation === undefined || alert === null) return { alerts: [], unreadable: [] };
  const readKey = async (key: CorrelationKeys['keys'][number]) => {
    const found = await Promise.all(
      neighbourIds(key, correlation.at).map((id) =>
        store.get(correlationType.paths.correlation(id), readableType(correlationType)),
      ),
    );
    return splitReadable(found.flatMap((stored) => stored?.value ?? []));
  };
  const read = await Promise.all(correlation.keys.map(readKey));
  const noted = read.map(({ values }) => values.flatMap(({ alerts }) => alerts));
  return {
    alerts: relatedTo({ sessionId, title: alert.title }, correlation, noted),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

/** Shows each stage the alerts that are related to that of its session when it starts. */
export const RELATED_ALERTS: StageFeature = {
  async beforeStage(session, deps) {
    const { sessionId } = session;
    const alert = readSessionAlert(session);
    const correlation = readPart(correlationPart, session)?.keys;
    if (correlation === undefined) return session;
    const alsoFiring = await loadRelated({ sessionId, alert, correlation }, deps);
    const part = { keys: correlation, ...(alsoFiring.length > 0 && { alsoFiring }) };
    return withPart(correlationPart, session, part);
  },
};

/** Reads the alerts under each key. An unreadable document counts as empty, and the log names it. */
export function readNoted(
  { keys, at }: CorrelationKeys,
  { store, log }: CorrelationDeps,
): Promise<RelatedAlert[][]> {
  return Promise.all(
    keys.map(async (key) => {
      const found = await Promise.all(
        neighbourIds(key, at).map((id) =>
          readOrWarn(
            store.get(correlationType.paths.correlation(id), correlationType),
            'its alerts are omitted',
            log,
          ),
        ),
      );
      return found.flatMap((stored) => (stored === UNREADABLE ? [] : (stored?.value.alerts ?? [])));
    }),
  );
}
