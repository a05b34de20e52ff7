// Takes an alert out of the session of a related one at a person's request. The alert is published again, marked so that intake opens
// a session for its problem and never adds it to that of a related alert.

import { createHash } from 'node:crypto';
import { addToDocument, replaceDocument } from '../../../contract/store.ts';
import {
  alertCountsType,
  alertFateType,
  alertKeyType,
  paths,
  sessionType,
} from '../../../schema/documents.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../kernel/documents/races.ts';
import { alertEvent, noCounts } from '../../kernel/intake/alertEvents.ts';
import { SPLIT_ATTRIBUTE } from '../../kernel/intake/rerun.ts';
import { DELIVERY_ATTRIBUTE } from '../../kernel/session/sessionId.ts';
import { attributesOf } from '../../tenants/alertContext.ts';
import { fatesWith } from '../../views/alerts/listFates.ts';

/** A request to split. */
interface Split {
  /** The session that the alert joined. */
  sessionId: string;
  /** The id of the alert's message. */
  messageId: string;
  /** Name of the person; stored and shown. */
  by: string;
}

/** The result of a split. */
export type SplitOutcome =
  /** The message to publish; the same for each request, so that intake opens one session. */
  | { kind: 'split' | 'already_split'; data: Buffer; attributes: Record<string, string> }
  | { kind: 'unknown_session' }
  /** The message joined no other alert in this session. */
  | { kind: 'not_joined' }
  /** Its body was too large to be kept, or an older version added it. */
  | { kind: 'no_body' };

/**
 * Marks an alert as taken out of a session, with an event. Can be repeated.
 * @throws RetryableError when other writers keep changing the session's reports, or the store fails.
 */
export async function splitAlert(split: Split, deps: StateDeps): Promise<SplitOutcome> {
  const { sessionId, messageId, by } = split;
  const { store, clock } = deps;
  return retryLostRaces<SplitOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const session = (await store.get(paths.session(sessionId), sessionType))?.value;
    if (session === undefined) return { kind: 'unknown_session' };
    const found = await joinedAlert(split, deps);
    if (found === undefined) return { kind: 'not_joined' };
    const { key, fateId } = found;
    const { joined, title } = key.value;
    if (joined === null) return { kind: 'no_body' };
    const { body, chain, userId } = joined;
    const deliveryId = createHash('sha256').update(`split ${key.id}`).digest('hex');
    const owner = attributesOf({ tenantId: session.tenantId, userId });
    const message = {
      data: Buffer.from(body),
      attributes: {
        ...{ [SPLIT_ATTRIBUTE]: sessionId, [DELIVERY_ATTRIBUTE]: deliveryId, ...owner },
        ...(chain !== null && { chain }),
      },
    };
    if (joined.split) return { kind: 'already_split', ...message };
    const now = clock.now();
    const none = noCounts(now, session.expireAt);
    const counts = (await store.get(paths.alertCounts(sessionId), alertCountsType))?.value ?? none;
    const content = `${by} takes an alert out of this session: ${title} (message ${messageId}). It gets a session of its own.`;
    const fate = await store.get(paths.alertFate(fateId), alertFateType);
    const reason = `${by} took it out of session ${sessionId}: it is published again for a session of its own`;
    const left = { by: 'split', subject: by, place: null, reason, sessionId: null };
    const { ok } = await store.commit([
      replaceDocument(
        key.path,
        alertKeyType,
        { ...key.value, joined: { ...joined, split: true } },
        key.version,
      ),
      alertEvent(session, { code: 'alert_split', subject: by, content }, counts, now),
      addToDocument(paths.alertCounts(sessionId), alertCountsType, { ...none, events: 1 }, ['events']),
      ...(fate === undefined
        ? []
        : [replaceDocument(fate.path, alertFateType, { ...fate.value, ...left }, fate.version)]),
    ]);
    return ok ? { kind: 'split', ...message } : RACE_LOST;
  });
}

/** The key of an alert that joined a session because of a rule, and its fate. */
async function joinedAlert({ sessionId, messageId }: Split, { store }: StateDeps) {
  const { fates } = await fatesWith('messageId', messageId, store);
  for (const { id, by } of fates) {
    // A fate that names the problem or a merge is of an alert whose problem has this session.
    if (by === 'incident' || by === 'merge') continue;
    const idPrefix = id.slice(id.lastIndexOf('.') + 1);
    const [key] = await store.list({ collection: paths.alertKeys, idPrefix, limit: 1 }, alertKeyType);
    const session = (await store.get(paths.session(sessionId), sessionType))?.value;
    // The same batch stores the key and the session of the alert that opens it.
    const isOpener = session?.createdAt.getTime() === key?.value.createdAt.getTime() && !key?.value.joined;
    if (key?.value.sessionId === sessionId && !isOpener) return { key, fateId: id };
  }
  return undefined;
}
