// Begins a session that was stored as not investigated because its alert did not fire, when it fires again: with the alert
// that says so, if a budget has room, and after the settle window of its chain.

import { incidentRulesOf } from '../../../alerts/incident.ts';
import { alertForPrompt } from '../../../alerts/prompt.ts';
import { isInvestigated } from '../../../alerts/status.ts';
import { create, replace, type Stored, type Write } from '../../../contract/store.ts';
import { alertBodyType, paths } from '../../../schema/documents.ts';
import type { Session } from '../../../schema/session.ts';
import { splitText } from '../../../text/splitText.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { type Deferral, decideDeferral } from '../../kernel/session/decideDeferral.ts';
import { deferralNotice, deferredSession } from '../../kernel/session/deferredSession.ts';
import { noticed } from '../../kernel/session/noticed.ts';
import type { SessionNotice } from '../../kernel/session/sessionEvents.ts';
import { waitingWrites } from '../../kernel/session/waitingSessions.ts';
import { commitStart } from '../../session/startDeferred.ts';
import type { IncidentMessage } from '../message/incidentMessage.ts';
import type { FollowRules } from './followRules.ts';

/** Size of one document of the alert's body, below the limit of a document. */
const BODY_PIECE_BYTES = 600_000;

/** Why a session waits until the settle window of its chain is over; undefined without one. */
export function settleDeferral({ alert, chain }: Session, now: Date): Deferral | undefined {
  const { settleMs } = incidentRulesOf(chain);
  if (settleMs === 0 || alert === null || !isInvestigated(alert.status)) return undefined;
  const until = new Date(now.getTime() + settleMs);
  const text = `It begins in ${settleMs / 1000} s (settle), unless the source resolves it until then.`;
  return { reason: 'settling', subject: 'settle', text, until };
}

/**
 * Begins the session of an alert that fires again.
 * @param fence the write that is refused when the incident has changed.
 * @returns false when another writer was faster; nothing was written then.
 * @throws RetryableError when the store fails.
 */
export async function beginHeld(
  session: Stored<Session>,
  message: IncidentMessage,
  rules: FollowRules,
  fence: Write,
  deps: StateDeps,
): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const { change, writes } = await withFiringAlert(session.value, message, rules, deps);
  const fresh: Session = { ...session.value, ...change, createdAt: now };
  const budgets = rules.budgets(session.value.chain.name);
  const limits = { budgets, own: rules.own };
  const deferral = (await decideDeferral(fresh, limits, deps)) ?? settleDeferral(fresh, now);
  if (deferral !== undefined) {
    const deferred = { ...session.value, ...change, ...statusOf(deferredSession(session.value, deferral)) };
    const told = noticed(session, deferred, deferralNotice(session.id, deferral), now);
    const waiting = waitingWrites(told.session, now);
    return (await store.commit([told.replaced, told.event, ...waiting, ...writes, fence])).ok;
  }
  const notice: SessionNotice = { code: 'alert_repeated', subject: 'firing', content: AGAIN };
  const told = noticed(session, { ...session.value, ...change }, notice, now);
  const { steering } = told.session;
  const also = [told.event, ...writes, fence];
  return (await commitStart(session, deps, { ...change, steering }, also, now)) !== undefined;
}

const AGAIN = 'The source reports that it fires: the investigation begins.';

const statusOf = ({ status, deferral }: Session) => ({ status, deferral });

/** The alert of the message, in the place of one that did not fire; nothing for a session that has one that did. */
async function withFiringAlert(
  { sessionId, alert, dataNonce, maskKey, expireAt }: Session,
  message: IncidentMessage,
  { alertPromptBytes }: FollowRules,
  { store }: StateDeps,
): Promise<{ change: Partial<Session>; writes: Write[] }> {
  if (alert !== null && isInvestigated(alert.status)) return { change: {}, writes: [] };
  const reading = message.readFor(maskKey);
  const alertText = alertForPrompt(reading.alert, reading.body, {
    maxBytes: alertPromptBytes,
    nonce: dataNonce,
  });
  const stored = await store.list({ collection: paths.alertBodies(sessionId) }, alertBodyType);
  const texts = splitText(reading.body, BODY_PIECE_BYTES);
  // Pieces that the new body has no text for stay, without one.
  const writes = Array.from({ length: Math.max(texts.length, stored.length) }, (_, index) => {
    const part = index + 1;
    const piece = { sessionId, part, text: texts[index] ?? '', expireAt };
    const before = stored.find(({ value }) => value.part === part);
    const path = paths.alertBody(sessionId, part);
    return before === undefined
      ? create(path, alertBodyType, piece)
      : replace(path, alertBodyType, piece, before.version);
  });
  return { change: { alert: reading.alert, alertText }, writes };
}
