// Takes an alert out of a session that a rule or a merge added it to, at a person's request. The alert is
// published again, marked so that intake opens a session for its problem and never adds it to that of a
// related alert.

import { createHash } from 'node:crypto';
import { type AlertFate, alertFateType } from '../../alerts/schema/alertFate.ts';
import { alertCountsType, incidentType } from '../../alerts/schema/incident.ts';
import { routingPart } from '../../alerts/schema/routing.ts';
import { replaceDocument, type Write } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { alertEvent, noCounts } from '../../kits/alerts/alertEvents.ts';
import { alertKeyType } from '../../kits/alerts/fates/alertKeyDocument.ts';
import { addKeys, correctJoined } from '../../kits/alerts/fates/reportCounts.ts';
import { SPLIT_ATTRIBUTE } from '../../kits/alerts/rerun.ts';
import { DELIVERY_ATTRIBUTE } from '../../kits/alerts/sessionId.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { fatesWith } from '../../kits/views/alerts/listFates.ts';
import { bodyToPublish, readStoredBody } from '../../kits/views/alerts/storedBody.ts';
import { followMerges } from './followMerges.ts';
import { MAX_PROBLEMS, mergeKey } from './mergeSession.ts';

interface Split {
  /** The session that the alert joined. */
  sessionId: string;
  /** The id of the alert's message; of an alert that a merge added, the id of the merged session. */
  messageId: string;
  /** Name of the person; stored and shown. */
  by: string;
}

type SplitOutcome =
  /** The message to publish; the same for each request, so that intake opens one session. */
  | { kind: 'split' | 'already_split'; data: Buffer; attributes: Record<string, string> }
  | { kind: 'unknown_session' }
  /** Neither a rule nor a merge added the message to this session. */
  | { kind: 'not_joined' }
  /** Its body was too large to be kept, was deleted, or an older version added it. */
  | { kind: 'no_body' };

/** The changed fields of the fate of an alert that was taken out of its session. */
type Left = Pick<AlertFate, 'by' | 'subject' | 'place' | 'reason'>;

interface Joined {
  title: string;
  /** The session of its fate; null once it was taken out of one. */
  fatesSession: string | null;
  /** Undefined when it was not kept. */
  body: Buffer | undefined;
  /** The attributes of its message. */
  chain: string | null;
  userId: string | null;
  /** Identifies it, the same for each request. */
  origin: string;
  isSplit: boolean;
  /** Whether a merge added it, which moved its problem. */
  isMerge: boolean;
  /** Whether its key counts it. */
  isInKey: boolean;
  /** The write that marks it as taken out. @param isCounted whether it still counts. */
  mark(left: Left, isCounted: boolean): Write;
}

/**
 * Marks an alert as taken out of a session, with an event. Can be repeated.
 * @throws RetryableError when other writers keep changing the session's reports, or the store fails.
 */
export async function splitAlert(split: Split, deps: StateDeps): Promise<SplitOutcome> {
  const { sessionId, messageId, by } = split;
  const { store, clock, failpoint } = deps;
  return retryLostRaces<SplitOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const session = (await store.get(paths.session(sessionId), sessionType))?.value;
    if (session === undefined) return { kind: 'unknown_session' };
    const joined = await joinedAlert(split, session, deps);
    if (joined === undefined) return { kind: 'not_joined' };
    const { body, chain, userId, origin, fatesSession, title } = joined;
    if (body === undefined) return { kind: 'no_body' };
    const attributes = {
      [SPLIT_ATTRIBUTE]: sessionId,
      [DELIVERY_ATTRIBUTE]: createHash('sha256').update(`split ${origin}`).digest('hex'),
      ...buildTenantAttributes({ tenantId: session.tenantId, userId }),
      ...(chain !== null && { chain }),
    };
    if (joined.isSplit) return { kind: 'already_split', data: body, attributes };
    const now = clock.now();
    // The badge reads merged problems only where alerts have joined.
    const least = (await hasOtherMerges(sessionId, joined, deps)) ? 1 : 0;
    const stored = await store.get(alertCountsType.paths.alertCounts(sessionId), alertCountsType);
    const counts = await addKeys(sessionId, stored?.value ?? noCounts(now, session.expireAt), store);
    const isLess = counts.joined > least && fatesSession === sessionId;
    const content = `${by} takes an alert out of this session: ${title} (message ${messageId}). It gets a session of its own.`;
    const reason = `${by} took it out of session ${sessionId}: it is published again for a session of its own`;
    const left = { by: 'split', subject: by, place: null, reason };
    await failpoint?.(CRASH_POINTS.ingestBeforeCommit);
    const { ok } = await store.commit([
      joined.mark(left, !isLess),
      alertEvent(session, { code: 'alert_split', subject: by, content }, counts, now),
      correctJoined(session, stored, { joined: isLess ? -1 : 0, events: 1, isInKey: joined.isInKey }, now),
    ]);
    await failpoint?.(CRASH_POINTS.ingestAfterCommit);
    return ok ? { kind: 'split', data: body, attributes } : RACE_LOST;
  });
}

/** The alert of a message, if a rule or a merge added it to the session. */
async function joinedAlert(
  { messageId }: Split,
  session: Session,
  deps: StateDeps,
): Promise<Joined | undefined> {
  const { alerts } = await fatesWith('messageId', messageId, deps.store);
  for (const { id, by } of alerts) {
    // A fate that names the problem is of an alert whose problem has this session.
    if (by === 'incident') continue;
    const suffix = id.slice(id.lastIndexOf('.') + 1);
    const found = mergeKey(messageId).startsWith(suffix)
      ? await mergedAlert(messageId, session, id, deps)
      : await addedAlert(suffix, session, deps);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function mergedAlert(
  mergedId: string,
  { sessionId }: Session,
  fateId: string,
  { store }: StateDeps,
): Promise<Joined | undefined> {
  const fate = await store.get(alertFateType.paths.alertFate(fateId), alertFateType);
  if (fate === undefined) return undefined;
  const merged = (await store.get(paths.session(mergedId), sessionType))?.value;
  if (merged === undefined || !(await isMergedInto(sessionId, merged, { store }))) return undefined;
  const { chain, userId } = merged;
  return {
    title: fate.value.title,
    fatesSession: fate.value.sessionId,
    body: await readStoredBody(mergedId, store),
    chain: readPart(routingPart, merged)?.by === 'message' ? chain.name : null,
    userId,
    origin: mergedId,
    isSplit: fate.value.by === 'split',
    isMerge: true,
    isInKey: false,
    mark: (left) =>
      replaceDocument(fate.path, alertFateType, { ...fate.value, ...left, sessionId: null }, fate.version),
  };
}

/** Whether a session takes merged problems beside that of an alert: a merge moves those of earlier ones. */
async function hasOtherMerges(
  sessionId: string,
  { isMerge }: Joined,
  { store }: Pick<StateDeps, 'store'>,
): Promise<boolean> {
  const { incidents: collection, incident } = incidentType.paths;
  const query = { collection, field: 'sessionId', oneOf: [sessionId], limit: MAX_PROBLEMS };
  const read = (key: string) => store.get(incident(key), incidentType);
  const found = await Promise.all((await store.listIds(query)).map(read));
  return found.filter((one) => one?.value.merged).length > (isMerge ? 1 : 0);
}

async function isMergedInto(
  sessionId: string,
  merged: Session,
  { store }: Pick<StateDeps, 'store'>,
): Promise<boolean> {
  for await (const { id } of followMerges(merged, store)) if (id === sessionId) return true;
  return false;
}

/** The alert with this start of its key, if a rule added it to the session. */
async function addedAlert(
  idPrefix: string,
  { sessionId }: Session,
  { store }: StateDeps,
): Promise<Joined | undefined> {
  const query = { collection: alertKeyType.paths.alertKeys, idPrefix, limit: 1 };
  const [key] = await store.list(query, alertKeyType);
  const { joined = null, fate = null } = key?.value ?? {};
  if (key?.value.sessionId !== sessionId || fate?.outcome !== 'joined') return undefined;
  const { title } = key.value;
  return {
    title,
    fatesSession: joined?.split ? null : sessionId,
    body: joined === null ? undefined : bodyToPublish(joined.body),
    chain: joined?.chain ?? null,
    userId: joined?.userId ?? null,
    origin: key.id,
    isSplit: joined?.split ?? false,
    isMerge: false,
    isInKey: key.value.counted !== null,
    mark(left, isCounted) {
      const counted = isCounted ? key.value.counted : null;
      const marked = { joined: joined && { ...joined, split: true }, fate: { ...fate, ...left }, counted };
      return replaceDocument(key.path, alertKeyType, { ...key.value, ...marked }, key.version);
    },
  };
}
