// Every stored document: its type, its version and its path. Ids are readable for users of the Firestore console, and
// zero-padded, so that the console's order is the order of events.

import { agentSnapshotSchema, agentSnapshotUpcasters } from './agent.ts';
import { controlSchema, feedbackSchema, guidanceSchema } from './control.ts';
import { documentType } from './documentType.ts';
import { executionSchema, executionUpcasters } from './execution.ts';
import { alertFateSchema } from './features/alertFate.ts';
import { alertKeySchema, alertKeyUpcasters } from './features/alertKey.ts';
import { apiKeySchema, apiKeyUpcasters } from './features/apiKey.ts';
import { approvalSchema, approvalUpcasters } from './features/approval.ts';
import { canarySchema } from './features/canary.ts';
import { changeCountsSchema, changeSchema } from './features/change.ts';
import { chatKeySchema, chatKeyUpcasters } from './features/chatKey.ts';
import { checkSchema, scheduleStateSchema } from './features/check.ts';
import { correlationSchema, correlationUpcasters } from './features/correlation.ts';
import {
  deliveryGroupSchema,
  deliverySchema,
  destinationStateSchema,
  inboxEntrySchema,
  inboxEntryUpcasters,
  threadSchema,
} from './features/delivery.ts';
import { droppedAlertsSchema, droppedAlertsUpcasters } from './features/droppedAlerts.ts';
import { enrichmentSchema } from './features/enrichment.ts';
import { alertCountsSchema, incidentSchema, incidentUpcasters } from './features/incident.ts';
import { knowledgeSchema, knowledgeUpcasters } from './features/knowledge.ts';
import { liveTextSchema } from './features/liveText.ts';
import { metricTotalsSchema } from './features/metricTotals.ts';
import { modelOutageSchema } from './features/modelOutage.ts';
import { OUTCOME_ID, outcomeSchema } from './features/outcome.ts';
import { pinnedToolsSchema } from './features/pinnedTools.ts';
import { quotaSchema } from './features/quota.ts';
import { rejectedMessageSchema, rejectedMessageUpcasters } from './features/rejectedMessage.ts';
import { requestSchema, requestUpcasters } from './features/request.ts';
import { runbookSchema } from './features/runbook.ts';
import { storedAgentSchema } from './features/storedAgent.ts';
import { telemetryGapSchema } from './features/telemetryGap.ts';
import { tokenLeaseSchema } from './features/tokenLease.ts';
import { toolListSchema } from './features/toolList.ts';
import { waitingSessionSchema } from './features/waitingSession.ts';
import { workSchema, workUpcasters } from './features/work.ts';
import { interactionSchema, interactionUpcasters } from './interaction.ts';
import { messagePartSchema, messageSchema, messageUpcasters } from './message.ts';
import { alertBodySchema, sessionSchema, sessionUpcasters } from './session.ts';
import { stageSchema, stageUpcasters } from './stage.ts';
import { resultPartSchema } from './storedResult.ts';
import { sweepMarkSchema } from './sweepMark.ts';
import { systemControlSchema } from './systemControl.ts';
import { timelineEventSchema, timelineEventUpcasters } from './timelineEvent.ts';
import { usageSchema, usageUpcasters } from './usage.ts';

export const sessionType = documentType('session', 10, sessionSchema, sessionUpcasters);
export const alertBodyType = documentType('alertBody', 1, alertBodySchema);
export const alertKeyType = documentType('alertKey', 2, alertKeySchema, alertKeyUpcasters);
export const alertFateType = documentType('alertFate', 1, alertFateSchema);
export const canaryType = documentType('canary', 1, canarySchema);
export const changeType = documentType('change', 1, changeSchema);
export const changeCountsType = documentType('changeCounts', 1, changeCountsSchema);
export const enrichmentType = documentType('enrichment', 1, enrichmentSchema);
export const checkType = documentType('check', 1, checkSchema);
export const scheduleStateType = documentType('scheduleState', 1, scheduleStateSchema);
export const chatKeyType = documentType('chatKey', 2, chatKeySchema, chatKeyUpcasters);
export const incidentType = documentType('incident', 4, incidentSchema, incidentUpcasters);
export const waitingSessionType = documentType('waitingSession', 1, waitingSessionSchema);
export const alertCountsType = documentType('alertCounts', 1, alertCountsSchema);
export const stageType = documentType('stage', 2, stageSchema, stageUpcasters);
export const executionType = documentType('execution', 8, executionSchema, executionUpcasters);
export const agentSnapshotType = documentType(
  'agentSnapshot',
  4,
  agentSnapshotSchema,
  agentSnapshotUpcasters,
);
export const timelineEventType = documentType(
  'timelineEvent',
  4,
  timelineEventSchema,
  timelineEventUpcasters,
);
export const messageType = documentType('message', 4, messageSchema, messageUpcasters);
export const messagePartType = documentType('messagePart', 1, messagePartSchema);
export const resultPartType = documentType('resultPart', 1, resultPartSchema);
export const interactionType = documentType('interaction', 3, interactionSchema, interactionUpcasters);
export const correlationType = documentType('correlation', 2, correlationSchema, correlationUpcasters);
export const droppedAlertsType = documentType(
  'droppedAlerts',
  2,
  droppedAlertsSchema,
  droppedAlertsUpcasters,
);
export const rejectedMessageType = documentType(
  'rejectedMessage',
  2,
  rejectedMessageSchema,
  rejectedMessageUpcasters,
);

export const controlType = documentType('control', 1, controlSchema);
export const guidanceType = documentType('guidance', 1, guidanceSchema);
export const liveTextType = documentType('liveText', 1, liveTextSchema);
export const approvalType = documentType('approval', 2, approvalSchema, approvalUpcasters);
export const feedbackType = documentType('feedback', 1, feedbackSchema);
export const workType = documentType('work', 2, workSchema, workUpcasters);
export const outcomeType = documentType('outcome', 1, outcomeSchema);
export const deliveryType = documentType('delivery', 1, deliverySchema);
export const threadType = documentType('thread', 1, threadSchema);
export const deliveryGroupType = documentType('deliveryGroup', 1, deliveryGroupSchema);
export const destinationStateType = documentType('destinationState', 1, destinationStateSchema);
export const inboxEntryType = documentType('inboxEntry', 2, inboxEntrySchema, inboxEntryUpcasters);
export const sweepMarkType = documentType('sweepMark', 1, sweepMarkSchema);
export const systemControlType = documentType('systemControl', 1, systemControlSchema);
export const telemetryGapType = documentType('telemetryGap', 1, telemetryGapSchema);
export const metricTotalsType = documentType('metricTotals', 1, metricTotalsSchema);
export const quotaType = documentType('quota', 1, quotaSchema);
export const modelOutageType = documentType('modelOutage', 1, modelOutageSchema);
export const tokenLeaseType = documentType('tokenLease', 1, tokenLeaseSchema);
export const apiKeyType = documentType('apiKey', 2, apiKeySchema, apiKeyUpcasters);
export const requestType = documentType('request', 2, requestSchema, requestUpcasters);
export const pinnedToolsType = documentType('pinnedTools', 1, pinnedToolsSchema);
export const toolListType = documentType('toolList', 1, toolListSchema);
export const storedAgentType = documentType('storedAgent', 1, storedAgentSchema);
export const runbookType = documentType('runbook', 1, runbookSchema);
export const knowledgeType = documentType('knowledge', 4, knowledgeSchema, knowledgeUpcasters, ['embedding']);
export const usageType = documentType('usage', 2, usageSchema, usageUpcasters);

/** Digits of a sequence number in an id: a million events per execution sort correctly. */
const SEQUENCE_DIGITS = 6;
const ITERATION_DIGITS = 3;
const PART_DIGITS = 3;
const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** The id of a stage: `01-investigation`. `index` counts from 1. */
export const stageIdOf = (index: number, name: string): string => `${pad(index, 2)}-${name}`;
/** The id of an execution: `01-logs`. `stageIndex` counts from 1. */
export const executionIdOf = (stageIndex: number, agent: string): string => `${pad(stageIndex, 2)}-${agent}`;
/** Separates the id of an execution from the number of its child. */
const CHILD_SEPARATOR = '~';
/** The id of a child execution that a call creates: `01-lead~1`. `number` counts from 1. */
export const childExecutionIdOf = (parentId: string, number: number): string =>
  `${parentId}${CHILD_SEPARATOR}${number}`;
/** The prefix of the ids of all descendants of an execution. No other id has it. */
export const descendantPrefix = (executionId: string): string => `${executionId}${CHILD_SEPARATOR}`;
/**
 * The execution id of events that belong to a session as a whole. No execution has it, because the ids of executions
 * start with a number.
 */
export const SESSION_EVENTS = 'session';
/** The execution id of events about later reports of the alert's source. They have their own numbers. */
export const ALERT_EVENTS = 'alerts';
/** The execution id of events about the work of people. Their numbers are those of the entries. */
export const WORK_EVENTS = 'work';
/** The events of the checks whether its problem ended. */
export const OUTCOME_EVENTS = 'outcome';
/** The execution id of events about changes that became known late. They have their own numbers. */
export const CHANGE_EVENTS = 'changes';
/** The id of an event or message of an execution: `01-logs.000007`. */
export const numberedId = (executionId: string, sequenceNumber: number): string =>
  `${executionId}.${pad(sequenceNumber, SEQUENCE_DIGITS)}`;

/** The id of a part of a result: `01-logs.000007.001`. */
export const resultPartId = (executionId: string, sequenceNumber: number, part: number): string =>
  `${numberedId(executionId, sequenceNumber)}.${pad(part, PART_DIGITS)}`;

/** The paths of all documents and collections. */
export const paths = {
  sessions: 'sessions',
  session: (sessionId: string) => `sessions/${sessionId}`,
  alertBodies: (sessionId: string) => `sessions/${sessionId}/alertBody`,
  alertBody: (sessionId: string, part: number) => `sessions/${sessionId}/alertBody/${pad(part, 3)}`,
  alertKeys: 'alertKeys',
  alertKey: (key: string) => `alertKeys/${key}`,
  alertFates: 'alertFates',
  alertFate: (id: string) => `alertFates/${id}`,
  canary: (topic: string) => `canaries/${topic}`,
  changes: 'changes',
  change: (id: string) => `changes/${id}`,
  allChangeCounts: 'changeCounts',
  changeCounts: (id: string) => `changeCounts/${id}`,
  enrichment: (id: string) => `enrichments/${id}`,
  incidents: 'incidents',
  incident: (key: string) => `incidents/${key}`,
  waitingSessions: 'waitingSessions',
  waitingSession: (chain: string, rank: number, since: string, sessionId: string) =>
    `waitingSessions/${chain}.${rank}.${since}.${sessionId}`,
  alertCounts: (sessionId: string) => `sessions/${sessionId}/alertCounts/all`,
  stage: (sessionId: string, stageId: string) => `sessions/${sessionId}/stages/${stageId}`,
  executions: (sessionId: string) => `sessions/${sessionId}/executions`,
  execution: (sessionId: string, executionId: string) => `sessions/${sessionId}/executions/${executionId}`,
  agentSnapshot: (sessionId: string, executionId: string) =>
    `sessions/${sessionId}/agentSnapshots/${executionId}`,
  allPinnedTools: (sessionId: string) => `sessions/${sessionId}/pinnedTools`,
  pinnedTools: (sessionId: string, server: string) => `sessions/${sessionId}/pinnedTools/${server}`,
  toolLists: (sessionId: string) => `sessions/${sessionId}/toolLists`,
  toolList: (sessionId: string, digest: string) => `sessions/${sessionId}/toolLists/${digest}`,
  timeline: (sessionId: string) => `sessions/${sessionId}/timeline`,
  event: (sessionId: string, executionId: string, sequenceNumber: number) =>
    `sessions/${sessionId}/timeline/${numberedId(executionId, sequenceNumber)}`,
  messages: (sessionId: string) => `sessions/${sessionId}/messages`,
  message: (sessionId: string, executionId: string, sequenceNumber: number) =>
    `sessions/${sessionId}/messages/${numberedId(executionId, sequenceNumber)}`,
  messagePart: (sessionId: string, executionId: string, sequenceNumber: number, part: number) =>
    `sessions/${sessionId}/messages/${numberedId(executionId, sequenceNumber)}/parts/${pad(part, 3)}`,
  resultPart: (sessionId: string, executionId: string, sequenceNumber: number, part: number) =>
    `sessions/${sessionId}/results/${resultPartId(executionId, sequenceNumber, part)}`,
  results: (sessionId: string) => `sessions/${sessionId}/results`,
  interactions: (sessionId: string) => `sessions/${sessionId}/interactions`,
  interaction: (sessionId: string, executionId: string, iteration: number, kind?: string) =>
    `sessions/${sessionId}/interactions/${executionId}.${pad(iteration, ITERATION_DIGITS)}${kind ? `.${kind}` : ''}`,
  control: (sessionId: string) => `sessions/${sessionId}/control/state`,
  allGuidance: (sessionId: string) => `sessions/${sessionId}/guidance`,
  guidance: (sessionId: string, number: number) => `sessions/${sessionId}/guidance/${pad(number, 4)}`,
  allLive: (sessionId: string) => `sessions/${sessionId}/live`,
  live: (sessionId: string, executionId: string) => `sessions/${sessionId}/live/${executionId}`,
  agents: 'agents',
  agent: (name: string) => `agents/${name}`,
  approvals: 'approvals',
  approval: (approvalId: string) => `approvals/${approvalId}`,
  feedback: (sessionId: string, feedbackId: string) => `sessions/${sessionId}/feedback/${feedbackId}`,
  allWork: (sessionId: string) => `sessions/${sessionId}/work`,
  work: (sessionId: string, number: number) => `sessions/${sessionId}/work/${pad(number, 4)}`,
  outcome: (sessionId: string) => `sessions/${sessionId}/outcomes/${OUTCOME_ID}`,
  deliveries: (sessionId: string) => `sessions/${sessionId}/deliveries`,
  delivery: (sessionId: string, destination: string, event: string, key: string) =>
    `sessions/${sessionId}/deliveries/${destination}.${event}.${key}`,
  thread: (sessionId: string, destination: string) => `sessions/${sessionId}/threads/${destination}`,
  deliveryGroup: (groupId: string) => `deliveryGroups/${groupId}`,
  inboxEntry: (digest: string) => `inbox/${digest}`,
  destinations: 'destinations',
  destination: (name: string) => `destinations/${name}`,
  apiKeys: 'apiKeys',
  apiKey: (keyId: string) => `apiKeys/${keyId}`,
  checks: 'checks',
  check: (checkId: string) => `checks/${checkId}`,
  scheduleState: (name: string) => `schedules/${name}`,
  chatKey: (tenantId: string, idDigest: string) => `chatKeys/${tenantId}.${idDigest}`,
  request: (tenantId: string, keyDigest: string) => `requests/${tenantId}.${keyDigest}`,
  runbooks: 'runbooks',
  runbook: (key: string) => `runbooks/${key}`,
  knowledge: 'knowledge',
  knowledgeEntry: (tenantId: string, key: string) => `knowledge/${tenantId}.${key}`,
  usageCounts: 'usage',
  usage: (counted: string, chain: string | null, period: string) =>
    `usage/${counted}.${chain === null ? '' : `${chain}.`}${period}`,
  stageUsage: (sessionId: string, stageId: string) => `sessions/${sessionId}/usage/${stageId}`,
  sweepMark: 'counters/sweep',
  systemControl: 'system/control',
  telemetryGap: (sessionId: string, reason: string) => `sessions/${sessionId}/telemetry/${reason}`,
  quotas: 'quotas',
  quota: (resource: string, period: string, shard: number) => `quotas/${resource}.${period}.${shard}`,
  quotaSlots: (resource: string) => `quotas/${resource}.slots`,
  modelOutages: 'modelOutages',
  modelOutage: (model: string) => `modelOutages/${model}`,
  metricTotals: 'metricTotals/all',
  tokenLease: (server: string) => `tokenLeases/${server}`,
  correlation: (id: string) => `correlations/${id}`,
  droppedAlerts: 'droppedAlerts',
  droppedAlertsOf: (day: string, rule: string, tenantId: string) =>
    `droppedAlerts/${day}.${rule}.${tenantId}`,
  rejectedMessages: 'rejectedMessages',
  rejectedMessage: (functionName: string, hour: string, code: string) =>
    `rejectedMessages/${functionName}.${hour}.${code}`,
} as const;
