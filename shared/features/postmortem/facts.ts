// The stored events and evidence of an incident as numbered facts, with links to the page.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { approvalType, paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { splitReadable } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { excludeReason } from '../../evidence/evidenceWords.ts';
import { type ReadVerdict, readVerdict } from '../../evidence/verdictWords.ts';
import { readSessionClaims, type SessionClaims } from '../../kits/claims/sessionClaims.ts';
import { getReadable, listReadable } from '../../kits/views/readable.ts';

/** The kinds of facts. */
export const FACT_KINDS = ['alert', 'change', 'finding', 'note', 'action', 'approval', 'end'] as const;
/** The kind of a fact. */
export type FactKind = (typeof FACT_KINDS)[number];

/** Something that is stored, as one line. */
export interface Fact {
  /** `f3`, unique in a draft. */
  id: string;
  at: Date;
  kind: FactKind;
  /** As it is stored: masked, and hostile until it is escaped. */
  text: string;
  /** The address on the page, below its origin. */
  link: string;
}

/** The facts of the sessions of a draft. */
export interface IncidentFacts {
  /** In the order of time. */
  facts: Fact[];
  sessions: SessionFacts[];
  /** Documents that cannot be read, and the facts of which are missing. */
  unreadable: number;
  /** Who took part, as the facts name them. */
  people: ReadonlySet<string>;
}

/** The conclusion of a session. */
interface SessionFacts {
  session: Session;
  verdict: ReadVerdict<SessionClaims['verdict']>;
  /** When the problem started: by its alert, else when the session was opened. */
  startedAt: Date;
  /** When its source or a person stated its end; null without such an event. */
  resolvedAt: Date | null;
}

/** Characters of a fact; the link has the rest. */
const MAX_FACT = 400;
/** Facts of one draft. */
const MAX_FACTS = 300;

/** The kinds of notices that are facts. */
const NOTICES: Partial<Record<NoticeCode, FactKind>> = {
  alert_repeated: 'alert',
  alert_acknowledged: 'alert',
  also_firing: 'alert',
  not_firing: 'end',
  alert_resolved: 'end',
  outcome: 'end',
  work_resolved: 'end',
  what_changed: 'change',
  late_change: 'change',
  approval_requested: 'approval',
  approval_decided: 'approval',
  work_claimed: 'note',
  work_noted: 'note',
  work_done: 'action',
};
const RESOLUTIONS: readonly string[] = ['alert_resolved', 'work_resolved'];

type Draft = Omit<Fact, 'id'>;

/**
 * Collects the facts of sessions.
 * @throws RetryableError when the store fails; TerminalError for a session that cannot be read.
 */
export async function collectFacts(sessions: readonly Session[], deps: StateDeps): Promise<IncidentFacts> {
  const found = await Promise.all(sessions.map((session) => readSession(session, deps)));
  const facts = found
    .flatMap((one) => one.facts)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .slice(0, MAX_FACTS)
    .map((fact, index) => ({ id: `f${index + 1}`, ...fact }));
  return {
    facts,
    sessions: found.map(({ known }) => known),
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
    people: new Set(found.flatMap(({ people }) => people)),
  };
}

async function readSession(session: Session, { store, clock }: StateDeps) {
  const { sessionId } = session;
  const [timeline, claims] = await Promise.all([
    listReadable({ collection: paths.timeline(sessionId) }, timelineEventType, store),
    readSessionClaims(sessionId, store, clock.now()),
  ]);
  if (claims === undefined) throw new RangeError(`session ${sessionId} was deleted while it was read`);
  const events = timeline.values;
  const approvals = await readApprovals(events, store);
  const alert = readSessionAlert(session);
  const startedAt = alert?.startedAt ?? session.createdAt;
  const opening: Draft = {
    at: startedAt,
    kind: 'alert',
    text: alert === null ? `Opened by a question: ${session.title}` : describeAlert(alert),
    link: `/s/${sessionId}`,
  };
  const facts = [
    opening,
    ...events.flatMap(readEvent),
    ...listFindings(claims, events, sessionId),
    ...listRuns(approvals.values, events),
  ].map((fact) => ({ ...fact, text: shorten(fact.text) }));
  const ended = events.filter(
    ({ eventType, metadata }) => eventType === 'notice' && RESOLUTIONS.includes(metadata.code),
  );
  const resolvedAt = ended.map(({ createdAt }) => createdAt).sort((a, b) => a.getTime() - b.getTime());
  const known: SessionFacts = {
    session,
    verdict: readVerdict(claims.verdict),
    startedAt,
    resolvedAt: resolvedAt.at(-1) ?? null,
  };
  const unreadable = timeline.unreadable.length + claims.unreadable.length + approvals.unreadable.length;
  return { known, facts, unreadable, people: listPeople(events, approvals.values) };
}

function describeAlert({
  title,
  severity,
  source,
  summary,
}: NonNullable<ReturnType<typeof readSessionAlert>>) {
  const graded = severity === null ? '' : ` (${severity})`;
  return `Alert of ${source}${graded}: ${title}${summary === null ? '' : ` – ${summary}`}`;
}

async function readApprovals(events: readonly TimelineEvent[], store: StateDeps['store']) {
  const ids = events.flatMap(({ eventType, metadata }) =>
    eventType === 'notice' && metadata.approvalId !== undefined ? [metadata.approvalId] : [],
  );
  const found = [...new Set(ids)].map((id) => getReadable(paths.approval(id), approvalType, store));
  return splitReadable(await Promise.all(found));
}

/** The fact of an event; none for steps of agents. */
function readEvent(event: TimelineEvent): Draft[] {
  const fact = (kind: FactKind, text: string): Draft[] => [
    { at: event.createdAt, kind, text, link: linkEvent(event) },
  ];
  switch (event.eventType) {
    case 'notice': {
      const kind = NOTICES[event.metadata.code as NoticeCode];
      return kind === undefined ? [] : fact(kind, event.content);
    }
    case 'user_guidance':
      return fact('note', `${event.metadata.givenBy} guided the agents: ${event.content}`);
    case 'action':
      return fact('action', event.content);
    default:
      return [];
  }
}

/** The evidence that counts for the concluded causes. */
function listFindings(claims: SessionClaims, events: readonly TimelineEvent[], sessionId: string): Draft[] {
  return claims.executions.flatMap(({ execution, kind, ledger, matches, citable }) =>
    [...ledger.evidence.values()].flatMap((evidence): Draft[] => {
      const checked = claims.evidence.find(({ id }) => id === `${execution.executionId}:${evidence.id}`);
      const counts =
        checked !== undefined &&
        excludeReason(checked) === undefined &&
        claims.causes.includes(checked.hypothesis);
      const match = matches.get(evidence.id);
      if (!counts || evidence.side !== 'for' || kind !== 'agent' || match?.result === undefined) return [];
      const source = citable.results.find(({ id }) => id === match.result);
      const event = events.find(
        ({ eventType, executionId, metadata }) =>
          eventType === 'tool_result' &&
          executionId === execution.executionId &&
          metadata.callId === source?.callId,
      );
      const { quote, pointer, value } = evidence;
      const found = quote ?? [pointer, value].filter((part) => part !== undefined).join(' = ');
      const tool = source?.tool === undefined ? '' : `${source.tool}: `;
      const line = match.line === undefined ? '' : `:L${match.line}`;
      return [
        {
          at: event?.createdAt ?? execution.createdAt,
          kind: 'finding',
          text: `${tool}${found}`,
          link: event === undefined ? `/s/${sessionId}` : `${linkEvent(event)}${line}`,
        },
      ];
    }),
  );
}

/** The results of calls that a person approved. */
function listRuns(approvals: readonly Approval[], events: readonly TimelineEvent[]): Draft[] {
  return approvals.flatMap(({ executionId, callId, toolName, status }): Draft[] => {
    const result = events.find(
      (event) =>
        event.eventType === 'tool_result' &&
        event.executionId === executionId &&
        event.metadata.callId === callId,
    );
    if (status !== 'approved' || result === undefined) return [];
    const text = `Ran ${toolName}: ${result.content}`;
    return [{ at: result.createdAt, kind: 'action', text, link: linkEvent(result) }];
  });
}

function listPeople(events: readonly TimelineEvent[], approvals: readonly Approval[]): string[] {
  const named = events.flatMap(({ eventType, metadata }) => {
    if (eventType === 'user_guidance') return [metadata.givenBy];
    if (eventType === 'notice' && metadata.code.startsWith('work_')) return [metadata.subject];
    return [];
  });
  return [...named, ...approvals.map(({ decidedBy }) => decidedBy)].filter((name) => name != null);
}

function linkEvent({ sessionId, executionId, sequenceNumber }: TimelineEvent): string {
  return `/s/${sessionId}#e-${executionId}.${sequenceNumber}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_FACT ? `${line.slice(0, MAX_FACT).toWellFormed()}…` : line;
}
