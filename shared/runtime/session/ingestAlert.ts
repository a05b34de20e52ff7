// Turns an alert into a session. The session's id derives from the Pub/Sub message, so a redelivery opens no second session.

import { randomBytes } from 'node:crypto';
import { readAlert } from '../../alerts/index.ts';
import type { OwnNames } from '../../alerts/ownAlert.ts';
import { alertForPrompt } from '../../alerts/prompt.ts';
import type { SessionConfig } from '../../config/config.ts';
import { routeAlert } from '../../config/routing.ts';
import { create } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import type { Masker } from '../../masking/masker.ts';
import type { ChainSnapshot, PlannedAgent } from '../../schema/agent.ts';
import { NO_TOKENS } from '../../schema/common.ts';
import { NO_COST } from '../../schema/cost.ts';
import { alertBodyType, paths, sessionType, stageIdOf } from '../../schema/documents.ts';
import { type Alert, DEFAULT_TENANT, type Session, sessionDueAt } from '../../schema/session.ts';
import { splitText } from '../../text/splitText.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { AlertDeps, StateDeps } from '../deps.ts';
import type { PubsubMessage } from '../entry/pubsubEvent.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { resumeStage } from '../stage/advanceStage.ts';
import { startStage } from '../stage/startStage.ts';
import { type Deferral, decideDeferral } from './decideDeferral.ts';
import { deferralEvent, deferredSession } from './deferredSession.ts';
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
 * The message attribute `chain` picks a chain; without it the rules of the chains do.
 * @param own names of Inquest's own functions and topics, none when absent; `ownServices` of the configuration are added.
 * @throws TerminalError when the alert is refused: `ALERT_*`, `CONFIG_UNKNOWN_CHAIN`, `DOCUMENT_*`;
 *   RetryableError when store or publisher fail.
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: SessionConfig,
  deps: AlertDeps,
  own: OwnNames = NOTHING_OWN,
): Promise<IngestOutcome> {
  const maskKey = randomBytes(16).toString('hex');
  const masker = deps.maskerFor(maskKey);
  const reading = readAlert(message.data, masker);
  if (!reading.ok) throw new TerminalError(reading.failure.code, reading.failure.message);
  const { alert, body } = reading;
  if (alert.status === 'resolved') return { outcome: 'resolved', alert };
  const sessionId = sessionIdOf(message);
  try {
    const names = { ...own, services: [...own.services, ...config.ownServices] };
    const masked = { alert, body, maskKey, masker };
    const opened = await openSession(message, masked, { config, own: names }, deps);
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

/** An alert without its secrets, and what took them out. */
interface MaskedAlert {
  alert: Alert;
  body: string;
  maskKey: string;
  masker: Masker;
}

/** The chain as it may be stored: instructions hold no secrets, whoever wrote them. */
function maskInstructions({ name, stages }: ChainSnapshot, masker: Masker): ChainSnapshot {
  const mask = <A extends PlannedAgent | null>(agent: A): A =>
    agent === null ? agent : { ...agent, instructions: masker.mask(agent.instructions).text };
  return {
    name,
    stages: stages.map(({ agents, synthesis, ...stage }) => ({
      ...stage,
      agents: agents.map(mask),
      synthesis: mask(synthesis),
    })),
  };
}

/** Stores the session with its first stage and publishes, or stores it as deferred; undefined when the session exists. */
async function openSession(
  message: PubsubMessage,
  reading: MaskedAlert,
  { config, own }: { config: SessionConfig; own: OwnNames },
  deps: StateDeps,
): Promise<{ outcome: 'opened' } | { outcome: 'deferred'; deferral: Deferral } | undefined> {
  const fresh = newSession(message, reading, config, deps.clock.now());
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
  const pieces = splitText(reading.body, BODY_PIECE_BYTES).map((text, index) => {
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

/** A name that is no chain's is quoted in an error, which cuts it. */
function chainNameOf(
  { attributes: { chain } }: PubsubMessage,
  { chains }: SessionConfig,
  masker: Masker,
): string | undefined {
  return chain === undefined || Object.hasOwn(chains, chain) ? chain : masker.mask(chain).text;
}

function newSession(
  message: PubsubMessage,
  { alert, body, maskKey, masker }: MaskedAlert,
  config: SessionConfig,
  now: Date,
): Session {
  const route = routeAlert(config, alert, body, chainNameOf(message, config, masker));
  const chain = maskInstructions(route.chain, masker);
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
    maskKey,
    chain,
    // It quotes the rule, which may name a secret.
    routing: { ...route.routing, text: masker.mask(route.routing.text).text },
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
    deadline,
    dueAt: sessionDueAt({ status, deadline, createdAt: now }),
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: traceparentOf(message),
    createdAt: now,
    endedAt: null,
  };
}
