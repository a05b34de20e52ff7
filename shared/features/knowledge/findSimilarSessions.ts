// Finds earlier sessions about the same alert as a new session, or about a similar one.

import type { Alert } from '../../alerts/schema/alert.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { Store } from '../../core/contract/store.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { type Knowledge, knowledgeType } from '../../search/knowledge.ts';
import { isLive, type Scope } from '../../search/readEntry.ts';
import { type SeenSession, seenPart } from '../../search/seenSession.ts';
import { compareTrigrams, listTrigrams, rarestTrigrams } from '../../search/trigrams.ts';
import { chooseTrust, forPrompt, isConfirmed } from '../../search/trust.ts';
import { limitHead } from '../../text/limitText.ts';

/** Maximum number of earlier sessions that agents are shown. */
const MAX_SEEN = 3;
/** Limit of the findings of each, in UTF-8 bytes. */
const MAX_TEXT_BYTES = 1_500;
/** Minimum similarity of title and labels of two alerts, by their trigrams. */
const LIKE = 0.5;
const MAX_VALUES = 30;
const MAX_CANDIDATES = 100;

/** Earlier sessions about an alert, and the event that names them; null if there are none. */
interface SeenBefore {
  seenBefore: SeenSession[];
  notice: SessionNotice | null;
}

/** Adds the earlier sessions about the same alert or a similar one, among those of its tenant and user. */
export const SEEN_BEFORE: IntakeFeature = {
  async addContext({ alert, masker, session: { tenantId, userId } }, _, deps) {
    const { seenBefore, notice } = await findSeen({ alert, tenantId, userId, masker }, deps);
    const part = seenBefore.length === 0 ? undefined : { seenBefore };
    return { change: withPart(seenPart, NO_PARTS, part), notice };
  },
};

const CONFIRMED = { 'session.trust': 'confirmed' };

const NOTHING_SEEN: SeenBefore = { seenBefore: [], notice: null };

/**
 * Returns sessions whose analysis a person confirmed: of the same alert first, then the most similar, then
 * the latest. If the store cannot be searched, there are none, and the investigation proceeds without them.
 */
async function findSeen(
  { alert, masker, ...scope }: { alert: Alert; masker: Masker } & Scope,
  { store, clock, log }: Pick<AlertDeps, 'store' | 'clock' | 'log'>,
): Promise<SeenBefore> {
  let found: Knowledge[];
  try {
    found = await findEntries(alert, scope, store);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    log.warn({ err: error }, `earlier sessions could not be searched: ${errorMessage(error)}`);
    return NOTHING_SEEN;
  }
  const now = clock.now();
  const own = describedAs(alert);
  const live = found.filter((entry) => isLive(entry, now));
  const likest = live
    .filter(isConfirmed)
    .map((entry) => {
      const isSame = alert.identity !== null && entry.session?.identity === alert.identity;
      return { entry, isSame, score: isSame ? 2 : compareTrigrams(own, describedAs(entry)) };
    })
    .filter(({ score }) => score >= LIKE)
    .sort((a, b) => b.score - a.score || b.entry.updatedAt.getTime() - a.entry.updatedAt.getTime());
  const seenBefore = likest.slice(0, MAX_SEEN).map(({ entry, isSame }) => seenSession(entry, isSame, masker));
  const unchecked = live
    .filter((entry) => chooseTrust(entry) === 'unreviewed' && entry.session?.identity === alert.identity)
    .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
    .flatMap(({ session }) => session?.sessionId ?? [])
    .slice(0, MAX_SEEN);
  const isNothing = seenBefore.length + unchecked.length === 0;
  return isNothing ? NOTHING_SEEN : { seenBefore, notice: seenNotice(seenBefore, unchecked) };
}

/** Entries of the same alert, and confirmed ones that could be about a similar one, without duplicates. */
async function findEntries(
  alert: Alert,
  { tenantId, userId }: Scope,
  store: Pick<Store, 'find'>,
): Promise<Knowledge[]> {
  const values = rarestTrigrams([...describedAs(alert)], MAX_VALUES);
  const queries = (userId === null ? [null] : [null, userId]).flatMap((owner) => {
    const equal = { tenantId, userId: owner, kind: 'session' };
    return [
      ...(alert.identity === null ? [] : [{ equal: { ...equal, 'session.identity': alert.identity } }]),
      ...(alert.identity === null
        ? []
        : [{ equal: { ...equal, ...CONFIRMED, 'session.identity': alert.identity } }]),
      // Any number of unchecked entries leaves room for the confirmed ones.
      ...(values.length === 0
        ? []
        : [{ equal: { ...equal, ...CONFIRMED }, anyOf: { field: 'trigrams', values } }]),
    ];
  });
  const found = await Promise.all(
    queries.map((query) =>
      store.find(
        { collection: knowledgeType.paths.knowledge, limit: MAX_CANDIDATES, ...query },
        knowledgeType,
      ),
    ),
  );
  return [...new Map(found.flat().map(({ id, value }) => [id, value])).values()];
}

/** The trigrams of the parts that describe the subject of an alert: title and labels. */
function describedAs({ title, labels }: Pick<Alert, 'title' | 'labels'>): Set<string> {
  const values = Object.entries(labels).map(([name, value]) => `${name} ${value}`);
  return new Set(listTrigrams([title, ...values.sort()].join('\n')));
}

function seenSession(entry: Knowledge, isSame: boolean, masker: Masker): SeenSession {
  const clean = (text: string) => cleanText(masker, text).text;
  const { title, text } = forPrompt(entry);
  return {
    sessionId: entry.session?.sessionId ?? entry.key,
    key: entry.key,
    title: clean(title),
    text: limitHead(clean(text), MAX_TEXT_BYTES),
    endedAt: entry.updatedAt,
    isSame,
  };
}

/** Agents are shown the confirmed sessions; the event also names the others, for people. */
function seenNotice(seen: readonly SeenSession[], unchecked: readonly string[]): SessionNotice {
  const named = seen.map(
    ({ sessionId, isSame }) => `${sessionId} (${isSame ? 'the same alert' : 'a similar one'})`,
  );
  const shown = named.length === 0 ? [] : [`Seen before: ${named.join(', ')}.`];
  const others =
    unchecked.length === 0
      ? []
      : [
          `No person confirmed the sessions of the same alert ${unchecked.join(', ')}: agents do not see them.`,
        ];
  return {
    code: 'seen_before',
    subject: [...seen.map(({ sessionId }) => sessionId), ...unchecked].join(', '),
    content: [...shown, ...others, '`inquest show` shows them.'].join(' '),
  };
}
