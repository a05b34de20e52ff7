// All collections by their id, at any depth: the type of their documents, who owns them, and how they are erased.

import * as types from './documents.ts';
import type { DocumentType } from './documentType.ts';

/** How the tenant of a document is known. */
export type Ownership =
  /** Its field `tenantId` names the tenant. */
  | 'tenant'
  /** It belongs to the tenant of the session in its field `sessionId`. */
  | 'session'
  /** Its path leads through a session, to whose tenant it belongs. */
  | 'below'
  /** It belongs to the installation: every tenant reads it, operators write it. */
  | 'shared'
  /** It belongs to the installation: only operators read and write it. */
  | 'operators'
  /** As `operators`, but the usage of tenants is counted in it. */
  | 'counted';

/** How the documents of a collection that belong to a session are found. */
export type Place =
  /** Below the session: deleted with everything else that is there. */
  | 'below'
  /** Their field `sessionId` names the session. */
  | 'field'
  /** The session's entry in the knowledge base. */
  | 'entry'
  /** The stored answer of a request of the tenant contains the id of the session, or the key of its alert. */
  | 'answer'
  /** Lists alerts of several sessions: the entries of the session are removed. */
  | 'list'
  /** Has samples of messages of several tenants: those of the tenant, or that name the session, are removed. */
  | 'samples'
  /** Belongs to a tenant, and to no session. */
  | 'tenant'
  /** Nothing of a session, or of a tenant, is in it; why. */
  | { none: string };

const BY_HOUR = 'counts without content, of the whole installation';
const SHARED = 'written by people for the whole installation';

/** What the code knows of a collection. */
export interface CollectionRow {
  type: DocumentType<unknown>;
  owner: Ownership;
  erase: Place;
}

/** The row of a collection below sessions. */
const below = <T extends DocumentType<unknown>>(type: T) =>
  ({ type, owner: 'below', erase: 'below' }) as const;

/** The row of each collection. */
export const ROWS = {
  sessions: { type: types.sessionType, owner: 'tenant', erase: 'below' },
  alertBody: below(types.alertBodyType),
  alertKeys: { type: types.alertKeyType, owner: 'session', erase: 'field' },
  alertFates: { type: types.alertFateType, owner: 'tenant', erase: 'field' },
  canaries: {
    type: types.canaryType,
    owner: 'operators',
    erase: { none: 'the test alert of the installation' },
  },
  changes: { type: types.changeType, owner: 'tenant', erase: 'tenant' },
  changeCounts: { type: types.changeCountsType, owner: 'tenant', erase: 'tenant' },
  enrichments: { type: types.enrichmentType, owner: 'shared', erase: { none: SHARED } },
  chatKeys: { type: types.chatKeyType, owner: 'tenant', erase: 'field' },
  checks: { type: types.checkType, owner: 'tenant', erase: 'field' },
  schedules: { type: types.scheduleStateType, owner: 'tenant', erase: 'tenant' },
  // A document whose first session is being opened has no owner.
  incidents: { type: types.incidentType, owner: 'session', erase: 'field' },
  // The sweep starts the sessions of all tenants in this order.
  waitingSessions: { type: types.waitingSessionType, owner: 'operators', erase: 'field' },
  alertCounts: below(types.alertCountsType),
  stages: below(types.stageType),
  executions: below(types.executionType),
  agentSnapshots: below(types.agentSnapshotType),
  timeline: below(types.timelineEventType),
  messages: below(types.messageType),
  parts: below(types.messagePartType),
  results: below(types.resultPartType),
  interactions: below(types.interactionType),
  rejectedMessages: { type: types.rejectedMessageType, owner: 'operators', erase: 'samples' },
  // Counts and error codes of a tenant's rejected alerts. They expire within days.
  droppedAlerts: { type: types.droppedAlertsType, owner: 'operators', erase: 'tenant' },
  correlations: { type: types.correlationType, owner: 'tenant', erase: 'list' },
  control: below(types.controlType),
  guidance: below(types.guidanceType),
  live: below(types.liveTextType),
  agents: { type: types.storedAgentType, owner: 'shared', erase: { none: SHARED } },
  approvals: { type: types.approvalType, owner: 'session', erase: 'field' },
  feedback: below(types.feedbackType),
  work: below(types.workType),
  outcomes: below(types.outcomeType),
  deliveries: below(types.deliveryType),
  threads: below(types.threadType),
  telemetry: below(types.telemetryGapType),
  // Messages that stand for sessions of several tenants. Counts and ids of many sessions, which expire within days.
  deliveryGroups: { type: types.deliveryGroupType, owner: 'operators', erase: 'tenant' },
  // The session of a press is known only after its check.
  inbox: {
    type: types.inboxEntryType,
    owner: 'operators',
    erase: {
      none: 'presses of buttons and ids of accounts; texts are removed when they are handled, the rest within a day',
    },
  },
  destinations: {
    type: types.destinationStateType,
    owner: 'operators',
    erase: { none: 'the state of destinations' },
  },
  requests: { type: types.requestType, owner: 'tenant', erase: 'answer' },
  // Authenticates requests before their tenant is known.
  apiKeys: { type: types.apiKeyType, owner: 'operators', erase: 'tenant' },
  pinnedTools: below(types.pinnedToolsType),
  toolLists: below(types.toolListType),
  runbooks: { type: types.runbookType, owner: 'shared', erase: { none: SHARED } },
  knowledge: { type: types.knowledgeType, owner: 'tenant', erase: 'entry' },
  // Also below sessions, where the path decides, and where it is deleted with them.
  usage: { type: types.usageType, owner: 'counted', erase: { none: BY_HOUR } },
  counters: { type: types.sweepMarkType, owner: 'operators', erase: { none: BY_HOUR } },
  // Approvals of every tenant depend on the pause of the installation.
  system: {
    type: types.systemControlType,
    owner: 'shared',
    erase: { none: 'the pause of the whole installation' },
  },
  quotas: {
    type: types.quotaType,
    owner: 'operators',
    erase: { none: 'the use of models and servers in a minute, by name of the tenant' },
  },
  modelOutages: {
    type: types.modelOutageType,
    owner: 'operators',
    erase: { none: 'which models do not answer' },
  },
  tokenLeases: {
    type: types.tokenLeaseType,
    owner: 'operators',
    erase: { none: 'leases of the servers that tools come from' },
  },
  metricTotals: { type: types.metricTotalsType, owner: 'operators', erase: { none: BY_HOUR } },
} as const satisfies Record<string, CollectionRow>;

/** The document type of every collection. */
export const COLLECTIONS = Object.fromEntries(
  Object.entries(ROWS).map(([name, { type }]) => [name, type]),
) as { [K in keyof typeof ROWS]: (typeof ROWS)[K]['type'] };
