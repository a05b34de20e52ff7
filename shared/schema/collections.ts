// What is stored where: every collection by its id, at whatever depth, and the type of its documents.

import {
  alertBodyType,
  executionType,
  interactionType,
  messagePartType,
  messageType,
  rejectedMessageType,
  sessionType,
  stageType,
  timelineEventType,
} from './documents.ts';
import type { DocumentType } from './documentType.ts';

export const COLLECTIONS = {
  sessions: sessionType,
  alertBody: alertBodyType,
  stages: stageType,
  executions: executionType,
  timeline: timelineEventType,
  messages: messageType,
  parts: messagePartType,
  interactions: interactionType,
  rejectedMessages: rejectedMessageType,
} as const satisfies Record<string, DocumentType<unknown>>;
