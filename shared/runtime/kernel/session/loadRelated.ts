// Reads which alerts share labels with the alert of a session.

import type { Stored } from '../../../contract/store.ts';
import type { CorrelationKeys, RelatedAlert } from '../../../schema/correlation.ts';
import { correlationType, paths } from '../../../schema/documents.ts';
import { readableType, split, type Unreadable } from '../../../schema/readable.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { readOrWarn, UNREADABLE } from '../documents/reading.ts';
import { neighbourIds, relatedTo } from './related.ts';

/** What is read, and where documents that cannot be read are named. */
export type CorrelationDeps = Pick<StateDeps, 'store'> & Partial<Pick<StateDeps, 'log'>>;

/**
 * The alerts beside that of a session, by now: at most ten. Three documents are read for each of its keys.
 * @throws RetryableError when the store fails.
 */
export async function loadRelated(
  { sessionId, alert, correlation }: Pick<Session, 'sessionId' | 'alert' | 'correlation'>,
  deps: CorrelationDeps,
): Promise<RelatedAlert[]> {
  if (correlation === null || alert === null) return [];
  return relatedTo({ sessionId, title: alert.title }, correlation, await readNoted(correlation, deps));
}

/**
 * The same for readers: what cannot be read is named and left out.
 * @throws RetryableError when the store fails.
 */
export async function readRelated(
  { sessionId, alert, correlation }: Pick<Session, 'sessionId' | 'alert' | 'correlation'>,
  { store }: Pick<StateDeps, 'store'>,
): Promise<{ alerts: RelatedAlert[]; unreadable: Unreadable[] }> {
  if (correlation === null || alert === null) return { alerts: [], unreadable: [] };
  const readKey = async (key: CorrelationKeys['keys'][number]) => {
    const found = await Promise.all(
      neighbourIds(key, correlation.at).map((id) =>
        store.get(paths.correlation(id), readableType(correlationType)),
      ),
    );
    return split(found.flatMap((stored) => stored?.value ?? []));
  };
  const read = await Promise.all(correlation.keys.map(readKey));
  const noted = read.map(({ values }) => values.flatMap(({ alerts }) => alerts));
  return {
    alerts: relatedTo({ sessionId, title: alert.title }, correlation, noted),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

/** A session with the alerts beside it as they are by now, for the stage that it starts. */
export async function withRelated(session: Stored<Session>, deps: CorrelationDeps): Promise<Stored<Session>> {
  if (session.value.correlation === null) return session;
  return { ...session, value: { ...session.value, alsoFiring: await loadRelated(session.value, deps) } };
}

/** What is noted under each key. A document that this code cannot read counts as empty, and the log names it. */
export function readNoted(
  { keys, at }: CorrelationKeys,
  { store, log }: CorrelationDeps,
): Promise<RelatedAlert[][]> {
  return Promise.all(
    keys.map(async (key) => {
      const found = await Promise.all(
        neighbourIds(key, at).map((id) =>
          readOrWarn(store.get(paths.correlation(id), correlationType), 'its alerts are not seen', log),
        ),
      );
      return found.flatMap((stored) => (stored === UNREADABLE ? [] : (stored?.value.alerts ?? [])));
    }),
  );
}
