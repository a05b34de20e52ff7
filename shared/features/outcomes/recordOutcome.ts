// Stores the end of a check: outcome, event, and the trust of the session's knowledge entry.

import { incidentType } from '../../alerts/schema/incident.ts';
import { announce } from '../../core/contract/announce.ts';
import { createDocument, replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { approvalType, paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { OUTCOME_EVENTS, type Outcome, type OutcomeCheck, outcomeType } from '../../kits/alerts/outcome.ts';
import { workType } from '../../kits/work/work.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { outcomeOrigin } from '../../search/trust.ts';
import { decideOutcome, type RecordedAction } from './decideOutcome.ts';

/** Approvals and incidents of a session that are read. */
const MAX_FOUND = 200;

/**
 * Ends the latest check with its results; false when another writer changed the outcome.
 * @param dueAt the time of the next check; null after the last one.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function recordOutcome(
  session: Session,
  stored: Stored<Outcome>,
  results: OutcomeCheck['results'],
  dueAt: Date | null,
  deps: StateDeps,
): Promise<boolean> {
  const now = deps.clock.now();
  const before = stored.value;
  const checks = before.checks.map((check, index) =>
    index === before.checks.length - 1 ? { ...check, endedAt: now, results } : check,
  );
  const facts = {
    probes: before.probes,
    checks,
    actions: await loadRecordedActions(session, deps),
    isFiringAgain: await isFiringAgain(session, deps),
    component: readPart(verdictPart, session)?.causes[0]?.component ?? undefined,
  };
  const outcome: Outcome = { ...before, checks, ...decideOutcome(facts, before), dueAt };
  const batch = [
    replaceDocument(stored.path, outcomeType, outcome, stored.version),
    outcomeEvent(session, outcome, now),
    ...(await trustWrites(session, outcome, deps)),
  ];
  return (await announce({ outcome: before }, { outcome }, batch, deps)).ok;
}

/** The actions that people recorded, those that reviews name, and the calls that people approved. */
async function loadRecordedActions({ sessionId }: Session, { store }: StateDeps): Promise<RecordedAction[]> {
  const work = await store.list({ collection: workType.paths.allWork(sessionId) }, workType);
  const ids = await store.listIds({
    collection: paths.approvals,
    field: 'sessionId',
    oneOf: [sessionId],
    limit: MAX_FOUND,
  });
  const approvals = await Promise.all(ids.map((id) => store.get(paths.approval(id), approvalType)));
  const recorded = work.flatMap(({ value: { kind, text, review, by, createdAt: at } }): RecordedAction[] => {
    const done = kind === 'action' ? text : (review?.action ?? null);
    return done === null ? [] : [{ text: done, by, at }];
  });
  const approved = approvals.flatMap((one): RecordedAction[] => {
    if (one?.value.status !== 'approved') return [];
    const { toolName, arguments: args, decidedBy, decidedAt, createdAt } = one.value;
    const text = `${toolName.replaceAll(/[._]/g, ' ')} ${args}`;
    return [{ text, by: decidedBy ?? 'a person', at: decidedAt ?? createdAt }];
  });
  return [...recorded, ...approved].sort((a, b) => a.at.getTime() - b.at.getTime());
}

async function isFiringAgain({ sessionId }: Session, { store }: StateDeps): Promise<boolean> {
  const ids = await store.listIds({
    collection: 'incidents',
    field: 'sessionId',
    oneOf: [sessionId],
    limit: 1,
  });
  const incident = ids[0] && (await store.get(incidentType.paths.incident(ids[0]), incidentType))?.value;
  if (!incident) return false;
  const { firing, firingAt, resolvedAt } = incident;
  return firing && firingAt !== null && resolvedAt !== null && firingAt > resolvedAt;
}

function outcomeEvent({ sessionId, currentStageId, expireAt }: Session, outcome: Outcome, now: Date): Write {
  const { checks, value, reason } = outcome;
  const event: TimelineEvent = {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: OUTCOME_EVENTS,
    parentExecutionId: null,
    sequenceNumber: checks.length,
    iteration: null,
    status: 'completed',
    content: `Outcome after check ${checks.length}: ${value}. ${reason}`,
    metadata: { code: 'outcome', subject: value ?? 'unknown' },
    expireAt,
    createdAt: now,
  };
  return createDocument(paths.event(sessionId, OUTCOME_EVENTS, checks.length), timelineEventType, event);
}

/** The write of the session's entry in the knowledge base, if the outcome changes its trust. */
async function trustWrites(ended: Session, { value }: Outcome, { store }: StateDeps): Promise<Write[]> {
  const path = knowledgeType.paths.knowledgeEntry(ended.tenantId, sessionEntryKey(ended.sessionId));
  const verdict = readPart(verdictPart, ended);
  const stored = await store.get(path, knowledgeType);
  if (!stored?.value.session) return [];
  const session = outcomeOrigin(stored.value.session, value, verdict?.value ?? null);
  if (session.trust === stored.value.session.trust) return [];
  return [replaceDocument(path, knowledgeType, { ...stored.value, session }, stored.version)];
}
