// Every stored document: its type, its version and its path. Ids are readable for users of the Firestore console, and
// zero-padded, so that the console's order is the order of events.

import { agentSnapshotSchema, agentSnapshotUpcasters } from './agent.ts';
import { alertFateSchema } from './alertFate.ts';
import { alertKeySchema, alertKeyUpcasters } from './alertKey.ts';
import { apiKeySchema } from './apiKey.ts';
import { canarySchema } from './canary.ts';
import { chatKeySchema, chatKeyUpcasters } from './chatKey.ts';
import { approvalSchema, controlSchema, feedbackSchema, guidanceSchema } from './control.ts';
import { correlationSchema, correlationUpcasters } from './correlation.ts';
import { deliveryGroupSchema, deliverySchema, destinationStateSchema, threadSchema } from './delivery.ts';
import { documentType } from './documentType.ts';
import { droppedAlertsSchema } from './droppedAlerts.ts';
import { enrichmentSchema } from './enrichment.ts';
import { executionSchema, executionUpcasters } from './execution.ts';
import { alertCountsSchema, incidentSchema, incidentUpcasters } from './incident.ts';
import { interactionSchema, interactionUpcasters } from './interaction.ts';
import { knowledgeSchema, knowledgeUpcasters } from './knowledge.ts';
import { liveTextSchema } from './liveText.ts';
import { messagePartSchema, messageSchema, messageUpcasters } from './message.ts';
import { pinnedToolsSchema } from './pinnedTools.ts';
import { rejectedMessageSchema, rejectedMessageUpcasters } from './rejectedMessage.ts';
import { requestSchema, requestUpcasters } from './request.ts';
import { runbookSchema } from './runbook.ts';
import { alertBodySchema, sessionSchema, sessionUpcasters } from './session.ts';
import { stageSchema } from './stage.ts';
import { storedAgentSchema } from './storedAgent.ts';
import { resultPartSchema } from './storedResult.ts';
import { sweepMarkSchema } from './sweepMark.ts';
import { systemControlSchema } from './systemControl.ts';
import { timelineEventSchema, timelineEventUpcasters } from './timelineEvent.ts';
import { tokenLeaseSchema } from './tokenLease.ts';
import { usageSchema, usageUpcasters } from './usage.ts';
import { waitingSessionSchema } from './waitingSession.ts';
import { workSchema, workUpcasters } from './work.ts';

export const sessionType = documentType({
  name: 'session',
  version: 8,
  schema: sessionSchema,
  upcasters: sessionUpcasters,
});
export const alertBodyType = documentType({ name: 'alertBody', version: 1, schema: alertBodySchema });
export const alertKeyType = documentType({
  name: 'alertKey',
  version: 2,
  schema: alertKeySchema,
  upcasters: alertKeyUpcasters,
});
export const alertFateType = documentType({ name: 'alertFate', version: 1, schema: alertFateSchema });
export const canaryType = documentType({ name: 'canary', version: 1, schema: canarySchema });
export const enrichmentType = documentType({ name: 'enrichment', version: 1, schema: enrichmentSchema });
export const chatKeyType = documentType({
  name: 'chatKey',
  version: 2,
  schema: chatKeySchema,
  upcasters: chatKeyUpcasters,
});
export const incidentType = documentType({
  name: 'incident',
  version: 3,
  schema: incidentSchema,
  upcasters: incidentUpcasters,
});
export const waitingSessionType = documentType({
  name: 'waitingSession',
  version: 1,
  schema: waitingSessionSchema,
});
export const alertCountsType = documentType({ name: 'alertCounts', version: 1, schema: alertCountsSchema });
export const stageType = documentType({ name: 'stage', version: 1, schema: stageSchema });
export const executionType = documentType({
  name: 'execution',
  version: 6,
  schema: executionSchema,
  upcasters: executionUpcasters,
});
export const agentSnapshotType = documentType({
  name: 'agentSnapshot',
  version: 3,
  schema: agentSnapshotSchema,
  upcasters: agentSnapshotUpcasters,
});
export const timelineEventType = documentType({
  name: 'timelineEvent',
  version: 4,
  schema: timelineEventSchema,
  upcasters: timelineEventUpcasters,
});
export const messageType = documentType({
  name: 'message',
  version: 3,
  schema: messageSchema,
  upcasters: messageUpcasters,
});
export const messagePartType = documentType({ name: 'messagePart', version: 1, schema: messagePartSchema });
export const resultPartType = documentType({ name: 'resultPart', version: 1, schema: resultPartSchema });
export const interactionType = documentType({
  name: 'interaction',
  version: 2,
  schema: interactionSchema,
  upcasters: interactionUpcasters,
});
export const correlationType = documentType({
  name: 'correlation',
  version: 2,
  schema: correlationSchema,
  upcasters: correlationUpcasters,
});
export const droppedAlertsType = documentType({
  name: 'droppedAlerts',
  version: 1,
  schema: droppedAlertsSchema,
});
export const rejectedMessageType = documentType({
  name: 'rejectedMessage',
  version: 2,
  schema: rejectedMessageSchema,
  upcasters: rejectedMessageUpcasters,
});

export const controlType = documentType({ name: 'control', version: 1, schema: controlSchema });
export const guidanceType = documentType({ name: 'guidance', version: 1, schema: guidanceSchema });
export const liveTextType = documentType({ name: 'liveText', version: 1, schema: liveTextSchema });
export const approvalType = documentType({ name: 'approval', version: 1, schema: approvalSchema });
export const feedbackType = documentType({ name: 'feedback', version: 1, schema: feedbackSchema });
export const workType = documentType({
  name: 'work',
  version: 2,
  schema: workSchema,
  upcasters: workUpcasters,
});
export const deliveryType = documentType({ name: 'delivery', version: 1, schema: deliverySchema });
export const threadType = documentType({ name: 'thread', version: 1, schema: threadSchema });
export const deliveryGroupType = documentType({
  name: 'deliveryGroup',
  version: 1,
  schema: deliveryGroupSchema,
});
export const destinationStateType = documentType({
  name: 'destinationState',
  version: 1,
  schema: destinationStateSchema,
});
export const sweepMarkType = documentType({ name: 'sweepMark', version: 1, schema: sweepMarkSchema });
export const systemControlType = documentType({
  name: 'systemControl',
  version: 1,
  schema: systemControlSchema,
});
export const tokenLeaseType = documentType({ name: 'tokenLease', version: 1, schema: tokenLeaseSchema });
export const apiKeyType = documentType({ name: 'apiKey', version: 1, schema: apiKeySchema });
export const requestType = documentType({
  name: 'request',
  version: 2,
  schema: requestSchema,
  upcasters: requestUpcasters,
});
export const pinnedToolsType = documentType({ name: 'pinnedTools', version: 1, schema: pinnedToolsSchema });
export const storedAgentType = documentType({ name: 'storedAgent', version: 1, schema: storedAgentSchema });
export const runbookType = documentType({ name: 'runbook', version: 1, schema: runbookSchema });
export const knowledgeType = documentType({
  name: 'knowledge',
  version: 2,
  schema: knowledgeSchema,
  upcasters: knowledgeUpcasters,
  vectors: ['embedding'],
});
export const usageType = documentType({
  name: 'usage',
  version: 2,
  schema: usageSchema,
  upcasters: usageUpcasters,
});

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
  enrichment: (id: string) => `enrichments/${id}`,
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
  pinnedTools: (sessionId: string, server: string) => `sessions/${sessionId}/pinnedTools/${server}`,
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
  deliveries: (sessionId: string) => `sessions/${sessionId}/deliveries`,
  delivery: (sessionId: string, destination: string, event: string, key: string) =>
    `sessions/${sessionId}/deliveries/${destination}.${event}.${key}`,
  thread: (sessionId: string, destination: string) => `sessions/${sessionId}/threads/${destination}`,
  deliveryGroup: (groupId: string) => `deliveryGroups/${groupId}`,
  destinations: 'destinations',
  destination: (name: string) => `destinations/${name}`,
  apiKeys: 'apiKeys',
  apiKey: (keyId: string) => `apiKeys/${keyId}`,
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
  tokenLease: (server: string) => `tokenLeases/${server}`,
  correlation: (id: string) => `correlations/${id}`,
  droppedAlerts: 'droppedAlerts',
  droppedAlertsOf: (day: string, rule: string) => `droppedAlerts/${day}.${rule}`,
  rejectedMessages: 'rejectedMessages',
  rejectedMessage: (functionName: string, hour: string, code: string) =>
    `rejectedMessages/${functionName}.${hour}.${code}`,
} as const;
