// The API's types as clients see them, where times are texts. The dashboard imports only this from here.

import type { EventJson } from '../api/events/eventJson.ts';
import type { liveJson, toSessionHead, toStreamState } from '../api/events/eventStream.ts';
import type { Json } from '../api/http/route.ts';
import type { Unreadable } from '../core/schema/readable.ts';
import type {
  EventStatus,
  Citation as StoredCitation,
  TimelineEvent as StoredEvent,
} from '../core/schema/timelineEvent.ts';
import type { RoutesMap } from './routes.ts';

/** The answer of a route. */
export type AnswerOf<R extends keyof RoutesMap> = RoutesMap[R]['answer'];

/** A session in a list. */
export type SessionRow = AnswerOf<'GET /v1/sessions'>['sessions'][number];
/** A session with its stages and runs. */
export type SessionView = AnswerOf<'GET /v1/sessions/{sessionId}'>;
/** A message about a session at a destination. */
export type DeliveryView = AnswerOf<'GET /v1/sessions/{sessionId}/deliveries'>['deliveries'][number];
/** A budget of tokens in its current period. */
export type BudgetUsage = AnswerOf<'GET /v1/budgets'>['budgets'][number];
/** A schedule with its next time and its latest run. */
export type Schedule = AnswerOf<'GET /v1/schedules'>['schedules'][number];
/** Tool servers with their last answers, and open questions of agents. */
export type SystemActivity = AnswerOf<'GET /v1/system/activity'>;
/** The configuration as it is loaded, with the use of its limits. */
export type Configuration = AnswerOf<'GET /v1/system/configuration'>;
/** The changes near the alert of a session. */
export type SessionChanges = AnswerOf<'GET /v1/sessions/{sessionId}/changes'>;
/** Dependencies and dependents of the place of a session. */
export type SessionTopology = AnswerOf<'GET /v1/sessions/{sessionId}/topology'>;
/** The claims of a session, checked in the stored results. */
export type Claims = AnswerOf<'GET /v1/sessions/{sessionId}/claims'>;
/** A stage of a session. */
export type StageView = SessionView['stages'][number];
/** One run of an agent. */
export type ExecutionView = StageView['executions'][number];
/** Fields that the API adds to a stored event: its id, and measures of the complete content. */
type AddedToEvent = Pick<Json<EventJson>, 'eventId' | 'cut' | 'lines' | 'bytes' | 'masked' | 'truncated'>;
/** `streaming`: the event is not stored yet; a page makes it of live text. */
type WithClientFields<E> = E extends unknown
  ? Omit<E, 'status' | 'expireAt'> & AddedToEvent & { status: EventStatus | 'streaming' }
  : never;
/** An event of a timeline, by its `eventType`. Its content can be cut. */
export type TimelineEvent = WithClientFields<Json<StoredEvent>>;
type EventType = TimelineEvent['eventType'];
/** An event of one type, or of several. */
export type EventOf<T extends EventType> = Extract<TimelineEvent, { eventType: T }>;
/** A stage of a session that has not started. */
export type PlannedStage = SessionView['planned'][number];
/** A message of a conversation with a model. */
export type ConversationMessage =
  AnswerOf<'GET /v1/sessions/{sessionId}/executions/{executionId}/messages'>['messages'][number];
/** How an alert would be read and routed. */
export type AlertPreview = AnswerOf<'POST /v1/alerts/preview'>;
/** A call of a model. */
export type ModelCall = AnswerOf<'GET /v1/sessions/{sessionId}/interactions'>['interactions'][number];
/** The alert of a session as it came, and how agents see it. */
export type AlertOriginal = AnswerOf<'GET /v1/sessions/{sessionId}/alert'>;
/** A citation of an analysis. */
export type Citation = StoredCitation;
/** A call that waits, or waited, for a person. */
export type Approval = SessionView['approvals'][number];
/** All actions of people about a session. */
export type WorkView = AnswerOf<'GET /v1/sessions/{sessionId}/work'>;
/** An action of a person about a session. */
export type WorkEntry = WorkView['entries'][number];
/** The ratings of a session. */
export type SessionReviews = AnswerOf<'GET /v1/reviews'>['reviews'][number];
/** Who claimed or resolved a session. */
export type SessionWork = AnswerOf<'GET /v1/reviews'>['work'][number];
/** An entry of the knowledge base, in a list. */
export type KnowledgeRow = AnswerOf<'GET /v1/knowledge'>['entries'][number];
/** Messages that could not be accepted for one reason within an hour. */
export type RejectedMessages = AnswerOf<'GET /v1/rejected-messages'>['messages'][number];
/** The fate of an alert. */
export type AlertFate = AnswerOf<'GET /v1/alerts'>['alerts'][number];
/** Alerts that a rule dropped on a day. */
export type DroppedAlerts = AnswerOf<'GET /v1/dropped-alerts'>['alerts'][number];

type Clock = { now: string };
/** The text of a running model call. Each message replaces the one before. */
export type LiveText = Json<ReturnType<typeof liveJson>> & Clock;
/** The state of a session of a list. */
type StreamedSession = Json<ReturnType<typeof toStreamState> & ReturnType<typeof toSessionHead>>;
/** The messages of each stream by their event: the data. */
export interface StreamsMap {
  '/v1/sessions/{sessionId}/events': {
    timeline: TimelineEvent;
    live: LiveText;
    session: Json<ReturnType<typeof toStreamState>> & Clock;
    unreadable: Unreadable & Clock;
    heartbeat: Clock;
    end: Clock;
  };
  '/v1/sessions/events': {
    session: StreamedSession & Clock;
    unreadable: Unreadable & Clock;
    heartbeat: Clock;
  };
}
