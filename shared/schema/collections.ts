// All collections by their id, at any depth, with the type of their documents.

import {
  agentSnapshotType,
  alertBodyType,
  alertKeyType,
  approvalType,
  controlType,
  executionType,
  feedbackType,
  guidanceType,
  interactionType,
  messagePartType,
  messageType,
  pinnedToolsType,
  rejectedMessageType,
  requestType,
  resultPartType,
  sessionType,
  stageType,
  sweepMarkType,
  timelineEventType,
  usageType,
} from './documents.ts';
import type { DocumentType } from './documentType.ts';

/** The document type of every collection. */
export const COLLECTIONS = {
  sessions: sessionType,
  alertBody: alertBodyType,
  alertKeys: alertKeyType,
  stages: stageType,
  executions: executionType,
  agentSnapshots: agentSnapshotType,
  timeline: timelineEventType,
  messages: messageType,
  parts: messagePartType,
  results: resultPartType,
  interactions: interactionType,
  rejectedMessages: rejectedMessageType,
  control: controlType,
  guidance: guidanceType,
  approvals: approvalType,
  feedback: feedbackType,
  requests: requestType,
  pinnedTools: pinnedToolsType,
  usage: usageType,
  counters: sweepMarkType,
} as const satisfies Record<string, DocumentType<unknown>>;
