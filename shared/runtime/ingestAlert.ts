// An alert becomes a session. The session's id derives from the Pub/Sub message, so a redelivered alert opens no second one.

import { readAlert } from '../alerts/index.ts';
import { alertForPrompt } from '../alerts/prompt.ts';
import { resolveChain } from '../config/chains.ts';
import type { Config } from '../config/config.ts';
import { TerminalError } from '../errors.ts';
import { type Failure, NO_TOKENS } from '../schema/common.ts';
import { alertBodyType, executionType, paths, sessionType, stageIdOf } from '../schema/documents.ts';
import type { Alert, Session } from '../schema/session.ts';
import { create } from '../store/store.ts';
import type { RuntimeDeps } from './deps.ts';
import { publishIteration } from './nextIteration.ts';
import type { PubsubMessage } from './pubsubEvent.ts';
import { sessionIdOf } from './sessionId.ts';
import { splitText } from './splitText.ts';
import { startStage } from './startStage.ts';

/** Size of a document that holds a piece of the alert's body. */
const BODY_PIECE_BYTES = 600_000;

export type IngestOutcome =
  | { kind: 'opened'; sessionId: string }
  /** The alert was delivered before; what had not been published is published again. */
  | { kind: 'already_open'; sessionId: string }
  /** To be recorded by the caller. */
  | { kind: 'refused'; failure: Failure };

/**
 * Opens a session for an alert and publishes its first iterations.
 * The message attribute `chain` picks a chain other than the default one.
 * @throws RetryableError when store or publisher fail.
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: Config,
  deps: Pick<RuntimeDeps, 'store' | 'publisher' | 'clock' | 'log'>,
): Promise<IngestOutcome> {
  const reading = readAlert(message.data);
  if (!reading.ok) return { kind: 'refused', failure: reading.failure };
  if (reading.alert.status === 'resolved') {
    const text = `"${reading.alert.title}" says it is resolved; there is nothing to investigate`;
    return { kind: 'refused', failure: { code: 'ALERT_RESOLVED', message: text } };
  }

  let session: Session;
  try {
    session = newSession(message, reading.alert, reading.body, config, deps.clock.now());
  } catch (error) {
    if (error instanceof TerminalError) {
      return { kind: 'refused', failure: { code: error.code, message: error.message } };
    }
    throw error;
  }
  const { sessionId, expireAt } = session;
  const { executions, writes } = startStage(session, 1, [], session.createdAt);
  const pieces = splitText(reading.body, BODY_PIECE_BYTES).map((text, index) => {
    const part = index + 1;
    return create(paths.alertBody(sessionId, part), alertBodyType, { sessionId, part, text, expireAt });
  });
  const result = await deps.store.commit([
    create(paths.session(sessionId), sessionType, session),
    ...pieces,
    ...writes,
  ]);
  if (result.ok) {
    await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
    return { kind: 'opened', sessionId };
  }

  // It was opened by an earlier delivery, which may have died before it published.
  const stored = await Promise.all(
    executions.map(({ executionId }) =>
      deps.store.get(paths.execution(sessionId, executionId), executionType),
    ),
  );
  const unclaimed = stored.flatMap((execution) =>
    execution?.value.publishedIteration === 0 ? [execution.value] : [],
  );
  await Promise.all(unclaimed.map((execution) => publishIteration(deps.publisher, execution)));
  return { kind: 'already_open', sessionId };
}

function newSession(message: PubsubMessage, alert: Alert, body: string, config: Config, now: Date): Session {
  const chain = resolveChain(config, message.attributes.chain);
  return {
    sessionId: sessionIdOf(message),
    status: 'in_progress',
    alert,
    alertText: alertForPrompt(alert, body, config.alertPromptBytes),
    chain,
    currentStageId: stageIdOf(1, chain.stages[0]?.name ?? ''),
    finalAnalysis: null,
    executiveSummary: null,
    tokens: NO_TOKENS,
    failure: null,
    deadline: new Date(now.getTime() + config.sessionDeadlineMs(chain.name)),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: message.traceparent,
    createdAt: now,
    endedAt: null,
  };
}
