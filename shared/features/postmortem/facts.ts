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
  /** Facts that are left out, because there are too many. */
  leftOut: number;
  /** A text without the names of people, unless the template asks for them. */
  hide(text: string): string;
}

/** The conclusion of a session. */
interface SessionFacts {
  session: Session;
  verdict: ReadVerdict<SessionClaims['verdict']>;
  /** When the problem started: by its alert, else when the session was opened. */
  startedAt: Date;
  /** When its source or a person stated its end; null without such an event, and if it fired again. */
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
/** Notices of which the last one states whether the problem is over. */
const ENDS: readonly string[] = ['alert_resolved', 'work_resolved', 'alert_repeated'];

/** The person of a fact is hidden in its text, others only where their names are addresses. */
type Draft = Omit<Fact, 'id'> & { by?: string | null | undefined };

const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
/** The role that stands for a person. */
const ROLE = 'a responder';

/**
 * Collects the facts of sessions.
 * @param showsNames whether people keep their names.
 * @throws RetryableError when the store fails; TerminalError for a session that cannot be read.
 */
export async function collectFacts(
  sessions: readonly Session[],
  { showsNames }: { showsNames: boolean },
  deps: StateDeps,
): Promise<IncidentFacts> {
  const found = await Promise.all(sessions.map((session) => readSession(session, deps)));
  const all = found.flatMap((one) => one.facts).toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const hide = (text: string) => (showsNames ? text : text.replace(EMAIL, ROLE));
  const facts = all.slice(0, MAX_FACTS).map(({ by, text, ...fact }, index) => ({
    id: `f${index + 1}`,
    ...fact,
    text: shorten(hide(by && !showsNames ? replaceWord(text, by, ROLE) : text)),
  }));
  return {
    facts,
    leftOut: all.length - facts.length,
    hide,
    sessions: found.map(({ known }) => known),
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
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
    ...events.flatMap((event) => readEvent(event, approvals.values)),
    ...listFindings(claims, events, sessionId),
    ...listRuns(approvals.values, events),
  ];
  const known: SessionFacts = {
    session,
    verdict: readVerdict(claims.verdict),
    startedAt,
    resolvedAt: findEnd(events),
  };
  const unreadable = timeline.unreadable.length + claims.unreadable.length + approvals.unreadable.length;
  return { known, facts, unreadable };
}

/** When the problem ended: a repeated alert after a resolution takes it back. */
function findEnd(events: readonly TimelineEvent[]): Date | null {
  const last = events
    .filter(({ eventType, metadata }) => eventType === 'notice' && ENDS.includes(metadata.code))
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .at(-1);
  return last?.eventType === 'notice' && last.metadata.code !== 'alert_repeated' ? last.createdAt : null;
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
function readEvent(event: TimelineEvent, approvals: readonly Approval[]): Draft[] {
  const fact = (kind: FactKind, text: string, by?: string | null): Draft[] => [
    { at: event.createdAt, kind, text, link: linkEvent(event), by },
  ];
  switch (event.eventType) {
    case 'notice': {
      const { code, subject, approvalId } = event.metadata;
      const kind = NOTICES[code as NoticeCode];
      const decided = approvals.find((one) => one.approvalId === approvalId)?.decidedBy;
      return kind === undefined
        ? []
        : fact(kind, event.content, code.startsWith('work_') ? subject : decided);
    }
    case 'user_guidance':
      return fact(
        'note',
        `${event.metadata.givenBy} guided the agents: ${event.content}`,
        event.metadata.givenBy,
      );
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

/** The text with a name replaced where it is a word of its own. */
function replaceWord(text: string, name: string, by: string): string {
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'gu'), by);
}

function linkEvent({ sessionId, executionId, sequenceNumber }: TimelineEvent): string {
  return `/s/${sessionId}#e-${executionId}.${sequenceNumber}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_FACT ? `${line.slice(0, MAX_FACT).toWellFormed()}…` : line;
}
