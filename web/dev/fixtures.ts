// Sessions as they are stored: what the development API of the page, its tests and its pictures start with.

import { decideProblem, problemSubject } from '../../shared/alerts/problemState.ts';
import { eventJson } from '../../shared/api/events/eventJson.ts';
import { deriveFields } from '../../shared/core/kernel/stageFeature.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { Interaction } from '../../shared/core/schema/interaction.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import { compareEvents, type TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { deriveApprovalId } from '../../shared/kits/approvals/approvalId.ts';
import { decodeDate, encodeDates } from '../../shared/kits/views/documents/sessionDocuments.ts';
import { sessionView } from '../../shared/kits/views/sessionView.ts';
import type { SessionView, TimelineEvent as ShownEvent } from '../../shared/lists/apiTypes.ts';
import {
  approvalType,
  executionType,
  incidentType,
  interactionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../shared/lists/documents.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';

/** A stored document. */
export interface FixtureDocument {
  path: string;
  /**
   * Its fields with `schemaVersion`. They can be invalid: the API then reports the document as unreadable.
   */
  data: Record<string, unknown>;
}

/** A session with its documents, by type. */
export interface SessionFixture {
  session: Session;
  stages: Stage[];
  executions: Execution[];
  events: TimelineEvent[];
  interactions: Interaction[];
  approvals: Approval[];
  /** Documents of other types, also those that only name the session. */
  others: FixtureDocument[];
}

/** Reads the documents of recorded sessions, one a line as JSON. @returns the newest session first. */
export function readSessions(text: string): SessionFixture[] {
  const documents = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line, (_, value: unknown) => decodeDate(value)) as FixtureDocument);
  const sessions = documents.filter(({ path }) => /^sessions\/[^/]+$/.test(path));
  return sessions
    .map((document) => sessionOf(document, documents))
    .toSorted((a, b) => b.session.createdAt.getTime() - a.session.createdAt.getTime());
}

function sessionOf({ path: root, data }: FixtureDocument, documents: FixtureDocument[]): SessionFixture {
  const session = sessionType.decode(data, root);
  const own = documents.filter(
    ({ path, data: { sessionId } }) =>
      path !== root && (path.startsWith(`${root}/`) || sessionId === session.sessionId),
  );
  const taken = new Set<FixtureDocument>();
  const take = <T>(collection: string, type: DocumentType<T>): T[] => {
    const found = own.filter(({ path }) => path.slice(0, path.lastIndexOf('/')) === collection);
    return found.map((document) => {
      taken.add(document);
      return type.decode(document.data, document.path);
    });
  };
  return {
    session,
    stages: take(`${root}/stages`, stageType),
    executions: take(`${root}/executions`, executionType),
    events: take(`${root}/timeline`, timelineEventType),
    interactions: take(`${root}/interactions`, interactionType),
    approvals: take(paths.approvals, approvalType),
    others: own.filter((document) => !taken.has(document)),
  };
}

/** A document as it is stored. */
export function stored<T extends object>(path: string, type: DocumentType<T>, value: T): FixtureDocument {
  return { path, data: { ...value, schemaVersion: type.version } };
}

/** A session with the fields by which lists find it. */
export const withDerivedFields = (session: Session): Session =>
  deriveFields(session, undefined, { stageFeatures: STAGE_FEATURES });

/** The documents of a session as they are stored. */
export function documentsOf(fixture: SessionFixture): FixtureDocument[] {
  const { session, stages, executions, events, interactions, approvals, others } = fixture;
  const { sessionId } = session;
  return [
    stored(paths.session(sessionId), sessionType, withDerivedFields(session)),
    ...stages.map((one) => stored(paths.stage(sessionId, one.stageId), stageType, one)),
    ...executions.map((one) => stored(paths.execution(sessionId, one.executionId), executionType, one)),
    ...events.map((one) => storedEvent(one)),
    ...interactions.map((one) => stored(interactionPath(one), interactionType, one)),
    ...approvals.map((one) => stored(paths.approval(one.approvalId), approvalType, one)),
    ...others,
  ];
}

/** One iteration can ask its model for a summary beside its answer. */
function interactionPath({ sessionId, executionId, iteration, interactionType: type }: Interaction): string {
  const kind = type === 'executive_summary' || type === 'summarization' ? type : undefined;
  return paths.interaction(sessionId, executionId, iteration, kind);
}

/** An event as it is stored. */
export function storedEvent(event: TimelineEvent): FixtureDocument {
  const { sessionId, executionId, sequenceNumber } = event;
  return stored(paths.event(sessionId, executionId, sequenceNumber), timelineEventType, event);
}

/** The same session under another id, with approvals of its own. */
export function renamed(fixture: SessionFixture, sessionId: string): SessionFixture {
  let text = JSON.stringify(encodeDates(fixture)).replaceAll(fixture.session.sessionId, sessionId);
  for (const [index, { approvalId, executionId }] of fixture.approvals.entries())
    text = text.replaceAll(approvalId, deriveApprovalId({ sessionId, executionId, iteration: 1 }, index));
  return JSON.parse(text, (_, value: unknown) => decodeDate(value)) as SessionFixture;
}

/** The same session under an id of today: the list follows only sessions of the last days. */
export function openedToday(fixture: SessionFixture): SessionFixture {
  const today = new Date().toISOString().slice(0, 10);
  return renamed(fixture, fixture.session.sessionId.replace(/^\d{4}-\d\d-\d\d/, today));
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

/** The same session at another time. @param ms Added to all its times. */
export function shifted(fixture: SessionFixture, ms: number): SessionFixture {
  const shift = (value: unknown): unknown => {
    if (value instanceof Date) return new Date(value.getTime() + ms);
    if (typeof value === 'string' && TIME.test(value)) return new Date(Date.parse(value) + ms).toISOString();
    if (Array.isArray(value)) return value.map(shift);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shift(one)]));
  };
  return shift(fixture) as SessionFixture;
}

/** An event as the API shows it. */
export function shownEvent(event: TimelineEvent): ShownEvent {
  const id = storedEvent(event).path.split('/').at(-1) ?? '';
  return JSON.parse(JSON.stringify(eventJson(id, event))) as ShownEvent;
}

/** The session as the API shows it, without its timeline. @param now ends the durations of what runs. */
export function shownSession(fixture: SessionFixture, now = new Date()): SessionView {
  const { session, others } = fixture;
  const incident = others.find(({ path }) => path.startsWith(`${paths.incidents}/`));
  const own = incident && incidentType.decode(incident.data, incident.path);
  const problem = decideProblem(problemSubject(session), { own, merged: [], firing: 1 });
  const timeline = fixture.events.toSorted(compareEvents);
  const { timeline: _, ...view } = sessionView({ ...fixture, timeline, problem, now });
  return JSON.parse(JSON.stringify({ ...view, now })) as SessionView;
}
