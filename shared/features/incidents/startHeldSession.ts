// Starts a session that was stored without an investigation because its alert did not fire, when the alert
// fires again: if a budget has room, and after the settle window of its chain. Its agents get the alert that
// fires.

import { chooseIncidentRules } from '../../alerts/coolDown.ts';
import { isInvestigated } from '../../alerts/fields/status.ts';
import { maskAlertGradually } from '../../alerts/index.ts';
import { alertForPrompt } from '../../alerts/prompt.ts';
import { alertBodyType, alertPart, readSessionAlert } from '../../alerts/schema/alert.ts';
import { announce } from '../../core/contract/announce.ts';
import { type Stored, saveDocument, type Write } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { withNotice } from '../../core/kernel/session/noticed.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { commitStart } from '../../core/session/startDeferred.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { bodyPieces } from '../../kits/alerts/alertBody.ts';
import {
  type Deferral,
  deferralNotice,
  deferredSession,
  waitingWrites,
} from '../../kits/alerts/deferredSession.ts';
import type { AttachOptions } from '../../kits/alerts/intakeFeature.ts';
import { secondsText } from '../../text/amounts.ts';

/** The rules for a held session that starts. */
export interface FollowRules extends Pick<AttachOptions, 'decideDeferral'> {
  /** UTF-8 bytes of the alert in prompts. */
  alertPromptBytes: number;
}

/** The deferral of a session until the settle window of its chain ends; undefined without a window. */
export function settleWindowDeferral(session: Session, now: Date): Deferral | undefined {
  const { chain } = session;
  const alert = readSessionAlert(session);
  const { settleMs } = chooseIncidentRules(chain);
  if (settleMs === 0 || alert === null || !isInvestigated(alert.status)) return undefined;
  const until = new Date(now.getTime() + settleMs);
  const text = `It starts in ${secondsText(settleMs)} (settle), unless the source resolves it before.`;
  return { reason: 'settling', subject: 'settle', text, until, chain: chain.name };
}

/**
 * Starts the held session of an alert that fires again, or defers it.
 * @param fence the write that fails if the incident has changed.
 * @returns false if another writer was faster; nothing was written then.
 * @throws RetryableError when the store fails; TerminalError for a chain that is no longer configured.
 */
export async function startHeldSession(
  session: Stored<Session>,
  alert: TriagedAlert,
  rules: FollowRules,
  fence: Write,
  deps: AlertDeps,
): Promise<boolean> {
  const now = deps.clock.now();
  const { change, writes } = await withFiringAlert(session.value, alert, rules, deps);
  const fresh: Session = { ...session.value, ...change, createdAt: now };
  const deferral = (await rules.decideDeferral(fresh)) ?? settleWindowDeferral(fresh, now);
  if (deferral !== undefined) {
    const deferred = deferredSession({ ...session.value, ...change }, deferral);
    const changed = withNotice(session, deferred, deferralNotice(session.id, deferral), now, deps);
    const waiting = waitingWrites(changed.session, now);
    const batch = [changed.replaced, changed.event, ...waiting, ...writes, fence];
    return (await announce({ session: session.value }, { session: changed.session }, batch, deps)).ok;
  }
  const notice: SessionNotice = { code: 'alert_repeated', subject: 'firing', content: AGAIN };
  const changed = withNotice(session, { ...session.value, ...change }, notice, now, deps);
  const { steering } = changed.session;
  const also = [changed.event, ...writes, fence];
  return (await commitStart(session, deps, { ...change, steering }, also, now)) !== undefined;
}

const AGAIN = 'The source reports that it fires: the investigation starts.';

/** Replaces an alert that did not fire with one that does; keeps an alert that fired. */
async function withFiringAlert(
  held: Session,
  { opened, publishedAt }: TriagedAlert,
  { alertPromptBytes }: FollowRules,
  { store, maskerFor }: Pick<AlertDeps, 'store' | 'maskerFor'>,
): Promise<{ change: Partial<Session>; writes: Write[] }> {
  const { sessionId, dataNonce, maskKey, expireAt } = held;
  const alert = readSessionAlert(held);
  if (alert !== null && isInvestigated(alert.status)) return { change: {}, writes: [] };
  const masked = await maskAlertGradually(opened, maskerFor(maskKey), { receivedAt: publishedAt });
  const limits = { maxBytes: alertPromptBytes, nonce: dataNonce };
  const input = alertForPrompt(masked.alert, masked.body, limits);
  const stored = await store.list({ collection: alertBodyType.paths.alertBodies(sessionId) }, alertBodyType);
  const pieces = bodyPieces(masked.body, sessionId, expireAt);
  // Pieces that the new body does not need stay, without text.
  const writes = Array.from({ length: Math.max(pieces.length, stored.length) }, (_, index) => {
    const part = index + 1;
    const piece = pieces[index] ?? { sessionId, part, text: '', expireAt };
    const before = stored.find(({ value }) => value.part === part);
    const path = alertBodyType.paths.alertBody(sessionId, part);
    return saveDocument(path, alertBodyType, piece, before?.version);
  });
  const { parts } = withPart(alertPart, held, masked.alert);
  return { change: { parts, input }, writes };
}
