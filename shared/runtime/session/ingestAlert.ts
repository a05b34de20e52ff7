// Turns an alert into a session. The session's id derives from the Pub/Sub message, so a redelivery opens no second session.

import { randomBytes } from 'node:crypto';
import { readAlert } from '../../alerts/index.ts';
import { alertForPrompt } from '../../alerts/prompt.ts';
import { resolveChain } from '../../config/chains.ts';
import type { SessionConfig } from '../../config/config.ts';
import { create } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { NO_TOKENS } from '../../schema/common.ts';
import { NO_COST } from '../../schema/cost.ts';
import { alertBodyType, paths, sessionType, stageIdOf } from '../../schema/documents.ts';
import { type Alert, DEFAULT_TENANT, type Session, sessionDueAt } from '../../schema/session.ts';
import { splitText } from '../../text/splitText.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import type { PubsubMessage } from '../entry/pubsubEvent.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { resumeStage } from '../stage/advanceStage.ts';
import { startStage } from '../stage/startStage.ts';
import { sessionIdOf, traceparentOf } from './sessionId.ts';

/** Size of one document of the alert's body, below the limit of a document. */
const BODY_PIECE_BYTES = 600_000;

/**
 * What became of an alert. `already_open`: it was delivered before; what had not been published was published again.
 * `resolved`: it says it is over, so nothing is investigated and nothing stored.
 */
export type IngestOutcome =
  | { outcome: 'opened' | 'already_open'; sessionId: string }
  | { outcome: 'resolved'; alert: Alert };

/**
 * Opens a session for an alert that is not resolved and publishes its first iterations.
 * The message attribute `chain` picks a chain other than the default one.
 * @throws TerminalError when the alert is refused: `ALERT_*`, `CONFIG_UNKNOWN_CHAIN`, `DOCUMENT_*`;
 *   RetryableError when store or publisher fail.
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: SessionConfig,
  deps: StateDeps,
): Promise<IngestOutcome> {
  const reading = readAlert(message.data);
  if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
  const { alert } = reading;
  if (alert.status === 'resolved') return { outcome: 'resolved', alert };
  const sessionId = sessionIdOf(message);
  try {
    if (await openSession(message, reading, config, deps)) return { sessionId, outcome: 'opened' };
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

/** Stores the session with its first stage and publishes; false when the session exists. */
async function openSession(
  message: PubsubMessage,
  { alert, body }: { alert: Alert; body: string },
  config: SessionConfig,
  deps: StateDeps,
): Promise<boolean> {
  const session = newSession(message, alert, body, config, deps.clock.now());
  const { sessionId, expireAt } = session;
  const { executions, writes } = startStage(
    session,
    { index: 1, kind: 'investigation', findings: [] },
    session.createdAt,
  );
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
  if (!result.ok) return false;
  await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
  await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
  await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
  return true;
}

function newSession(
  message: PubsubMessage,
  alert: Alert,
  body: string,
  config: SessionConfig,
  now: Date,
): Session {
  const chain = resolveChain(config, message.attributes.chain);
  const status = 'in_progress';
  const deadline = new Date(now.getTime() + config.sessionDeadlineMs(chain.name));
  const dataNonce = randomBytes(6).toString('hex');
  return {
    sessionId: sessionIdOf(message),
    tenantId: DEFAULT_TENANT,
    userId: null,
    kind: 'investigation',
    status,
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
    deadline,
    dueAt: sessionDueAt({ status, deadline, createdAt: now }),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: traceparentOf(message),
    createdAt: now,
    endedAt: null,
  };
}
