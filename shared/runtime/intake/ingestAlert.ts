// Turns an alert into a session. A document with the key of its message is created with it, so a redelivery opens no second
// session.

import { readAlert } from '../../alerts/index.ts';
import type { OwnNames } from '../../alerts/ownAlert.ts';
import { alertForPrompt } from '../../alerts/prompt.ts';
import { isInvestigated } from '../../alerts/status.ts';
import type { SessionConfig } from '../../config/config.ts';
import { routeAlert } from '../../config/routing.ts';
import { create } from '../../contract/store.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import { cleanText } from '../../masking/cleanText.ts';
import type { Masker } from '../../masking/masker.ts';
import type { CorrelationKeys } from '../../schema/correlation.ts';
import { alertBodyType, alertKeyType, paths, sessionType, stageIdOf } from '../../schema/documents.ts';
import { type Alert, NOT_STEERED, type Session, sessionDueAt } from '../../schema/session.ts';
import { splitText } from '../../text/splitText.ts';
import { withStoredAgents } from '../agents/resolveAgents.ts';
import { findSeen } from '../features/knowledge/findSeen.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import { type AlertDeps, randomHex, type StateDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces } from '../kernel/documents/races.ts';
import { readOrWarn, UNREADABLE } from '../kernel/documents/reading.ts';
import type { PubsubMessage } from '../kernel/pubsubEvent.ts';
import { type Deferral, type DeferralRules, decideDeferral } from '../kernel/session/decideDeferral.ts';
import { deferralEvent, deferredSession } from '../kernel/session/deferredSession.ts';
import { FRESH_SESSION } from '../kernel/session/freshSession.ts';
import { maskInstructions } from '../kernel/session/maskInstructions.ts';
import { searchable } from '../kernel/session/searchable.ts';
import { alsoFiringNotice, type SessionNotice, sessionEvent } from '../kernel/session/sessionEvents.ts';
import { alertKeyOf, ID_DIGITS, sessionIdOf, traceparentOf } from '../kernel/session/sessionId.ts';
import { waitingWrites } from '../kernel/session/waitingSessions.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { readRerunOf } from '../session/rerun.ts';
import { resumeStage } from '../stage/advanceStage.ts';
import { startStage } from '../stage/startStage.ts';
import { ownerOfAlert } from '../tenants/alertContext.ts';
import { dropAlert } from './dropAlert.ts';
import { settleDeferral } from './incident/beginHeld.ts';
import { ingestIncident } from './incident/ingestIncident.ts';
import type { Opening } from './incident/openIncident.ts';
import { alertKeyWrite, incidentMessageOf, type ReadAlert } from './message/incidentMessage.ts';
import { type MessageTriage, proofOf, triageMessage } from './message/triageMessage.ts';
import { joinSession } from './opening/joinSession.ts';
import { keysOf, noteAlert } from './opening/noteAlert.ts';
import { mayHaveRunbook, NO_RUNBOOK, resolveRunbook } from './opening/resolveRunbook.ts';

/** Size of one document of the alert's body, below the limit of a document. */
const BODY_PIECE_BYTES = 600_000;

/**
 * What became of an alert. `already_open`: it was delivered before; what had not been published was published again.
 * `deferred`: it is stored and not investigated. `attached`: it reports something of a problem that has a session.
 * `dropped`: a rule of triage.yaml has it counted alone.
 */
export type IngestOutcome =
  | { outcome: 'attached'; sessionId: string; report: string }
  | { outcome: 'opened' | 'already_open'; sessionId: string }
  | { outcome: 'dropped'; rule: string; text: string; path: string }
  | { outcome: 'deferred'; sessionId: string; deferral: Deferral; alert: Alert | null };

const NOTHING_OWN: OwnNames = { projectId: '', functions: [], topics: [], services: [] };

/**
 * Opens a session for an alert and publishes its first iterations, or stores it as deferred.
 * The message attribute `chain` picks a chain; without it the rules of the chains do. `rerunOf` names the session whose alert
 * it is again. `tenant` and `user` say whose it is.
 * @param own names of Inquest's own functions and topics, none when absent; `ownServices` of the configuration are added.
 * @throws TerminalError when the alert is refused: `ALERT_*`, `CONFIG_UNKNOWN_CHAIN`, `MESSAGE_MALFORMED`,
 *   `DOCUMENT_*`; RetryableError when store or publisher fail.
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: SessionConfig,
  deps: AlertDeps,
  own: OwnNames = NOTHING_OWN,
): Promise<IngestOutcome> {
  const maskKey = randomHex(deps, 16);
  const masker = deps.maskerFor(maskKey);
  const { attributes, publishedAt } = message;
  const reading = readAlert(message.data, masker, { attributes, receivedAt: publishedAt });
  if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
  const { alert, body } = reading;
  const key = alertKeyOf(message);
  try {
    const names = { ...own, services: [...own.services, ...config.ownServices] };
    const masked = { alert, body, maskKey, masker };
    const times = { publishedAt, now: deps.clock.now() };
    const rerunOf = readRerunOf(attributes);
    const triage = triageMessage(config.triage, masked, times, rerunOf);
    const rules = { own: names, triage, proof: proofOf(alert, times) };
    const { tenantId } = ownerOfAlert(attributes, masker);
    const correlation = keysOf(config.triage?.correlate ?? [], { alert, tenantId }, publishedAt ?? times.now);
    const open = async (opening?: Opening): Promise<IngestOutcome | typeof RACE_LOST> => {
      if (triage.action === 'drop') return dropMessage(message, key, alert, triage, deps);
      const joined = await joinOpenSession(message, { key, alert, correlation, triage }, deps);
      if (joined !== undefined) return joined;
      return openSession(message, key, masked, { config, rules, opening, correlation }, deps);
    };
    const about = incidentMessageOf(message, key, reading, { rerunOf, tenantId }, times.now, (maskKey) =>
      readAgain(message, maskKey, deps),
    );
    if (about === undefined) return await retryLostRaces(`alert ${key}`, 1, () => open());
    const following = { ...rules, budgets: config.budgets, alertPromptBytes: config.alertPromptBytes };
    const isWanted = triage.action === 'investigate';
    const resume = (sessionId: string) => resumeSession(sessionId, deps);
    return await ingestIncident(about, { open, resume, rules: following, isWanted }, deps);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    // An earlier delivery may have opened it with an older configuration, under which the alert was valid.
    const sessionId = await findSessionId(key, deps);
    if (sessionId === undefined) throw error;
    return resumeSession(sessionId, deps);
  }
}

/** The alert of a message with the marks of another session. */
function readAgain(
  { data, attributes, publishedAt }: PubsubMessage,
  maskKey: string,
  deps: AlertDeps,
): ReadAlert {
  const reading = readAlert(data, deps.maskerFor(maskKey), { attributes, receivedAt: publishedAt });
  if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
  return reading;
}

/** Attaches an alert to the open session of another one, where its rule says so and there is one. */
async function joinOpenSession(
  { publishedAt }: PubsubMessage,
  about: { key: string; alert: Alert; correlation: CorrelationKeys | null; triage: MessageTriage },
  deps: StateDeps,
): Promise<IngestOutcome | undefined> {
  const { key, alert, correlation, triage } = about;
  if (!triage.join || correlation === null || alert.status === 'test') return undefined;
  const own = sessionIdOf({ title: alert.title, publishedAt: publishedAt ?? deps.clock.now(), key });
  const joining = { key, sessionId: own, alert, correlation, rule: triage.rule };
  const sessionId = await joinSession(joining, deps);
  return sessionId === undefined ? undefined : { outcome: 'attached', sessionId, report: 'joined' };
}

/** Counts a message as dropped, unless an earlier delivery of it opened a session, under other rules. */
async function dropMessage(
  { messageId }: PubsubMessage,
  key: string,
  alert: Alert,
  triage: MessageTriage,
  deps: StateDeps,
): Promise<IngestOutcome> {
  const earlier = await findSessionId(key, deps);
  if (earlier !== undefined) return resumeSession(earlier, deps);
  const path = await dropAlert(messageId, alert, triage, deps);
  return { outcome: 'dropped', rule: triage.rule, text: triage.text, path };
}

/** The session that an earlier delivery of the alert opened; undefined when none did. */
async function findSessionId(key: string, { store }: StateDeps): Promise<string | undefined> {
  return (await store.get(paths.alertKey(key), alertKeyType))?.value.sessionId;
}

/** Publishes what an earlier delivery did not. */
async function resumeSession(sessionId: string, deps: StateDeps): Promise<IngestOutcome> {
  // A session that cannot be read holds the alert already; the sweep, or that of newer code, repairs it.
  const consequence = `session ${sessionId} is not resumed by its alert`;
  const session = await readOrWarn(
    deps.store.get(paths.session(sessionId), sessionType),
    consequence,
    deps.log,
  );
  // The key is kept for longer than some sessions.
  if (session !== undefined && session !== UNREADABLE)
    await readOrWarn(resumeStage(session.value, deps), consequence, deps.log);
  return { outcome: 'already_open', sessionId };
}

/** An alert without its secrets, and what took them out. */
interface MaskedAlert {
  alert: Alert;
  body: string;
  maskKey: string;
  masker: Masker;
}

/**
 * Stores the session with its first stage and publishes, or stores it as deferred, unless an earlier delivery did.
 * `RACE_LOST` when the delivery of another alert opened one for the same incident.
 */
async function openSession(
  message: PubsubMessage,
  key: string,
  reading: MaskedAlert,
  {
    config,
    rules,
    opening,
    correlation,
  }: {
    config: SessionConfig;
    rules: Omit<DeferralRules, 'budgets'>;
    opening?: Opening | undefined;
    correlation: CorrelationKeys | null;
  },
  deps: AlertDeps,
): Promise<IngestOutcome | typeof RACE_LOST> {
  const fresh = await newSession(message, key, reading, config, deps);
  const budgets = config.budgets(fresh.chain.name);
  // A redelivered alert takes no second ticket.
  const opened = budgets.sessionsPerHour.length > 0 ? await findSessionId(key, deps) : undefined;
  if (opened !== undefined) return resumeSession(opened, deps);
  if (opening !== undefined && budgets.sessionsPerHour.length > 0 && !(await opening.claim(fresh.expireAt)))
    return RACE_LOST;
  const deferral =
    (await decideDeferral(fresh, { ...rules, budgets }, deps)) ??
    (opening && settleDeferral(fresh, fresh.createdAt));
  const { alert, masker } = reading;
  const chain = fresh.chain.name;
  const { runbook, notice } = mayHaveRunbook(alert, chain, config.runbooks)
    ? await resolveRunbook({ alert, chain, masker }, config.runbooks, deps)
    : NO_RUNBOOK;
  const { tenantId, userId } = fresh;
  const seen = await findSeen({ alert, tenantId, userId, masker }, deps);
  const isNoted = correlation !== null && isInvestigated(alert.status);
  const alsoFiring = isNoted ? await noteAlert({ ...fresh, alert }, correlation, deps) : [];
  const related = alsoFiring.length === 0 ? null : alsoFiringNotice(alsoFiring);
  const again = opening?.reinvestigation ?? null;
  const notices = [notice, again?.notice ?? null, seen.notice, related].filter((one) => one !== null);
  const steering = { ...NOT_STEERED, events: notices.length };
  const { seenBefore } = seen;
  const reinvestigates = again && {
    ...again.reinvestigates,
    text: cleanOrNull(again.reinvestigates.text, masker),
  };
  const read: Session = {
    ...fresh,
    ...{ runbook, seenBefore, reinvestigates, steering, correlation, alsoFiring },
  };
  const session = deferral === undefined ? read : deferredSession(read, deferral);
  for (const digits of ID_DIGITS) {
    const sessionId = idOf(message, key, reading, session.createdAt, digits);
    const { body } = reading;
    const outcome = await storeSession(
      { ...session, sessionId },
      key,
      { body, deferral, notices, opening },
      deps,
    );
    if (outcome !== undefined) return outcome;
    const other = await findSessionId(key, deps);
    if (other !== undefined) return resumeSession(other, deps);
    if (await opening?.isOutdated()) return RACE_LOST;
    // Another alert's session has this id.
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    'other sessions have the ids that this alert may give to its own',
  );
}

/** Rules of masking can have changed since the text was stored. */
function cleanOrNull(text: string | null, masker: Masker): string | null {
  return text === null ? null : cleanText(masker, text).text;
}

/** What is stored with a new session. */
interface NewSessionParts {
  body: string;
  deferral: Deferral | undefined;
  notices: SessionNotice[];
  opening: Opening | undefined;
}

/** Stores the session and publishes its first iterations; undefined when the alert has a session, or another alert the id. */
async function storeSession(
  session: Session,
  key: string,
  { body, deferral, notices, opening }: NewSessionParts,
  deps: StateDeps,
): Promise<IngestOutcome | undefined> {
  const { sessionId, createdAt, expireAt } = session;
  const { executions, writes } =
    deferral === undefined
      ? startStage(session, { index: 1, kind: 'investigation', findings: [] }, createdAt)
      : { executions: [], writes: [deferralEvent(session, deferral), ...waitingWrites(session, createdAt)] };
  const position = deferral === undefined ? 1 : 2;
  const told = notices.map((notice, index) => sessionEvent(session, position + index, notice, createdAt));
  const pieces = splitText(body, BODY_PIECE_BYTES).map((text, index) => {
    const part = index + 1;
    return create(paths.alertBody(sessionId, part), alertBodyType, { sessionId, part, text, expireAt });
  });
  await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const result = await deps.store.commit([
    create(paths.session(sessionId), sessionType, searchable(session)),
    alertKeyWrite(key, session, createdAt),
    ...(opening?.writes(session) ?? []),
    ...pieces,
    ...writes,
    ...told,
  ]);
  if (!result.ok) return undefined;
  await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
  await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
  await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
  return deferral === undefined
    ? { outcome: 'opened', sessionId }
    : { outcome: 'deferred', sessionId, deferral, alert: session.alert };
}

function idOf(
  { publishedAt }: PubsubMessage,
  key: string,
  { alert }: MaskedAlert,
  now: Date,
  digits?: number,
): string {
  return sessionIdOf({ title: alert.title, publishedAt: publishedAt ?? now, key }, digits);
}

/** A name that is no chain's is quoted in an error, which cuts it. */
function chainNameOf(
  { attributes: { chain } }: PubsubMessage,
  { chains }: SessionConfig,
  masker: Masker,
): string | undefined {
  return chain === undefined || Object.hasOwn(chains, chain) ? chain : masker.mask(chain).text;
}

async function newSession(
  message: PubsubMessage,
  key: string,
  reading: MaskedAlert,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<Session> {
  const { alert, body, maskKey, masker } = reading;
  const route = routeAlert(config, alert, body, chainNameOf(message, config, masker));
  const chain = maskInstructions(await withStoredAgents(route.chain, config, deps), masker);
  const now = deps.clock.now();
  const status = 'in_progress';
  const deadline = new Date(now.getTime() + config.sessionDeadlineMs(chain.name));
  const dataNonce = randomHex(deps, 6);
  return {
    sessionId: idOf(message, key, reading, now),
    ...FRESH_SESSION,
    ...ownerOfAlert(message.attributes, masker),
    kind: 'investigation',
    status,
    alert,
    alertText: alertForPrompt(alert, body, { maxBytes: config.alertPromptBytes, nonce: dataNonce }),
    dataNonce,
    maskKey,
    chain,
    // It quotes the rule, which may name a secret.
    routing: { ...route.routing, text: masker.mask(route.routing.text).text },
    currentStageId: stageIdOf(1, chain.stages[0]?.name ?? ''),
    rerunOf: readRerunOf(message.attributes),
    deadline,
    dueAt: sessionDueAt({ status, openStage: null, deadline, createdAt: now, deferral: null }),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: traceparentOf(message),
    createdAt: now,
  };
}
