// Turns an alert into a session. The session's id derives from the Pub/Sub message, so a redelivery opens no second session.

import { randomBytes } from 'node:crypto';
import { readAlert } from '../../alerts/index.ts';
import type { OwnNames } from '../../alerts/ownAlert.ts';
import { alertForPrompt } from '../../alerts/prompt.ts';
import { resolveChain } from '../../config/chains.ts';
import type { SessionConfig } from '../../config/config.ts';
import { create, type Write } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { NO_TOKENS } from '../../schema/common.ts';
import { NO_COST } from '../../schema/cost.ts';
import {
  alertBodyType,
  paths,
  SESSION_EVENTS,
  sessionType,
  stageIdOf,
  timelineEventType,
} from '../../schema/documents.ts';
import { type Alert, DEFAULT_TENANT, type Session } from '../../schema/session.ts';
import { splitText } from '../../text/splitText.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import type { PubsubMessage } from '../entry/pubsubEvent.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { resumeStage } from '../stage/advanceStage.ts';
import { startStage } from '../stage/startStage.ts';
import { type Deferral, decideDeferral } from './decideDeferral.ts';
import { sessionIdOf, traceparentOf } from './sessionId.ts';

/** Size of one document of the alert's body, below the limit of a document. */
const BODY_PIECE_BYTES = 600_000;

/**
 * What became of an alert. `already_open`: it was delivered before; what had not been published was published again.
 * `deferred`: it is stored and not investigated. `resolved`: it says it is over, so nothing is investigated and nothing
 * stored.
 */
export type IngestOutcome =
  | { outcome: 'opened' | 'already_open'; sessionId: string }
  | { outcome: 'deferred'; sessionId: string; deferral: Deferral }
  | { outcome: 'resolved'; alert: Alert };

const NOTHING_OWN: OwnNames = { projectId: '', functions: [], topics: [], services: [] };

/**
 * Opens a session for an alert that is not resolved and publishes its first iterations, or stores it as deferred.
 * The message attribute `chain` picks a chain other than the default one.
 * @param own the names of Inquest's own functions and topics, none when absent; `ownServices` of the configuration are added.
 * @throws TerminalError when the alert is refused: `ALERT_*`, `CONFIG_UNKNOWN_CHAIN`, `DOCUMENT_*`;
 *   RetryableError when store or publisher fail.
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: SessionConfig,
  deps: StateDeps,
  own: OwnNames = NOTHING_OWN,
): Promise<IngestOutcome> {
  const reading = readAlert(message.data);
  if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
  const { alert } = reading;
  if (alert.status === 'resolved') return { outcome: 'resolved', alert };
  const sessionId = sessionIdOf(message);
  try {
    const names = { ...own, services: [...own.services, ...config.ownServices] };
    const opened = await openSession(message, reading, { config, own: names }, deps);
    if (opened !== undefined) return { sessionId, ...opened };
  } catch (error) {
    // An earlier delivery may have opened it with an older configuration, under which the alert was valid.
    if (!(error instanceof TerminalError) || !(await resumeSession(sessionId, deps))) throw error;
    return { sessionId, outcome: 'already_open' };
  }
  await resumeSession(sessionId, deps);
  return { sessionId, outcome: 'already_open' };
}

/** Publishes what an earlier delivery did not; false when there is no session. */
async function resumeSession(sessionId: string, deps: StateDeps): Promise<boolean> {
  const session = await deps.store.get(paths.session(sessionId), sessionType);
  if (session === undefined) return false;
  await resumeStage(session.value, deps);
  return true;
}

/** Stores the session with its first stage and publishes, or stores it as deferred; undefined when the session exists. */
async function openSession(
  message: PubsubMessage,
  { alert, body }: { alert: Alert; body: string },
  { config, own }: { config: SessionConfig; own: OwnNames },
  deps: StateDeps,
): Promise<{ outcome: 'opened' } | { outcome: 'deferred'; deferral: Deferral } | undefined> {
  const fresh = newSession(message, alert, body, config, deps.clock.now());
  const budgets = config.budgets(fresh.chain.name);
  // A redelivered alert takes no second ticket.
  const hasTicket = budgets.sessionsPerHour.length > 0 && (await isStored(fresh, deps));
  if (hasTicket) return undefined;
  const deferral = await decideDeferral(fresh, { budgets, own }, deps);
  const session = deferral === undefined ? fresh : deferredSession(fresh, deferral);
  const { sessionId, expireAt } = session;
  const { executions, writes } =
    deferral === undefined
      ? startStage(session, { index: 1, kind: 'investigation', findings: [] }, session.createdAt)
      : { executions: [], writes: [deferralEvent(session, deferral)] };
  const pieces = splitText(body, BODY_PIECE_BYTES).map((text, index) => {
    const part = index + 1;
    return create(paths.alertBody(sessionId, part), alertBodyType, { sessionId, part, text, expireAt });
  });
  await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const result = await deps.store.commit([
    create(paths.session(sessionId), sessionType, session),
    ...pieces,
    ...writes,
  ]);
  if (!result.ok) return undefined;
  await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
  await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
  await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
  return deferral === undefined ? { outcome: 'opened' } : { outcome: 'deferred', deferral };
}

async function isStored({ sessionId }: Session, { store }: StateDeps): Promise<boolean> {
  return (await store.get(paths.session(sessionId), sessionType)) !== undefined;
}

function deferredSession(session: Session, { reason }: Deferral): Session {
  return { ...session, status: 'deferred', deferral: { reason, startedAt: null } };
}

/** The event that says in the timeline why nothing runs, and what to do. */
function deferralEvent(session: Session, { reason, subject, text }: Deferral): Write {
  const { sessionId, currentStageId: stageId, createdAt, expireAt } = session;
  const code = reason === 'own_alert' ? 'own_alert' : 'budget_reached';
  return create(paths.event(sessionId, SESSION_EVENTS, 1), timelineEventType, {
    eventType: 'notice',
    sessionId,
    stageId,
    executionId: SESSION_EVENTS,
    parentExecutionId: null,
    sequenceNumber: 1,
    iteration: null,
    status: 'completed',
    content: `Deferred: ${text} Nothing runs until someone starts it: inquest start-deferred ${sessionId}`,
    metadata: { code, subject },
    expireAt,
    createdAt,
  });
}

function newSession(
  message: PubsubMessage,
  alert: Alert,
  body: string,
  config: SessionConfig,
  now: Date,
): Session {
  const chain = resolveChain(config, message.attributes.chain);
  const dataNonce = randomBytes(6).toString('hex');
  return {
    sessionId: sessionIdOf(message),
    tenantId: DEFAULT_TENANT,
    userId: null,
    kind: 'investigation',
    status: 'in_progress',
    alert,
    alertText: alertForPrompt(alert, body, { maxBytes: config.alertPromptBytes, nonce: dataNonce }),
    dataNonce,
    chain,
    currentStageId: stageIdOf(1, chain.stages[0]?.name ?? ''),
    openStage: null,
    finalAnalysis: null,
    executiveSummary: null,
    partial: null,
    caveats: [],
    tokens: NO_TOKENS,
    cost: NO_COST,
    failure: null,
    deferral: null,
    deadline: new Date(now.getTime() + config.sessionDeadlineMs(chain.name)),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: traceparentOf(message),
    createdAt: now,
    endedAt: null,
  };
}
