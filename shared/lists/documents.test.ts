import { Timestamp } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  sampleAgentSnapshot,
  sampleAlertBody,
  sampleAlertKey,
  sampleApiKey,
  sampleApproval,
  sampleControl,
  sampleCorrelation,
  sampleDroppedAlerts,
  sampleEvent,
  sampleExecution,
  sampleFeedback,
  sampleGuidance,
  sampleInteraction,
  sampleKnowledge,
  sampleLiveText,
  sampleMessage,
  sampleMessagePart,
  samplePinnedTools,
  sampleRejectedMessage,
  sampleRequest,
  sampleSession,
  sampleStage,
  sampleStoredAgent,
  sampleToolList,
  sampleUsage,
  sampleWork,
} from '../../test/support/samples.ts';
import { alertBodySchema } from '../alerts/schema/alert.ts';
import { correlationSchema } from '../alerts/schema/correlation.ts';
import { requestSchema } from '../api/http/request.ts';
import { EMBEDDING_DIMENSIONS } from '../contract/embedder.ts';
import { agentSnapshotSchema } from '../core/schema/agent.ts';
import { approvalSchema } from '../core/schema/approval.ts';
import { controlSchema, feedbackSchema, guidanceSchema } from '../core/schema/control.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import { executionSchema } from '../core/schema/execution.ts';
import { interactionSchema } from '../core/schema/interaction.ts';
import { messagePartSchema, messageSchema } from '../core/schema/message.ts';
import { sessionSchema } from '../core/schema/session.ts';
import { stageSchema } from '../core/schema/stage.ts';
import { EVENT_TYPES, timelineEventSchema } from '../core/schema/timelineEvent.ts';
import { usageSchema } from '../core/schema/usage.ts';
import { apiKeySchema } from '../kits/access/apiKeyDocument.ts';
import { pinnedToolsSchema } from '../kits/agents/pinnedTools.ts';
import { storedAgentSchema } from '../kits/agents/storedAgent.ts';
import { toolListSchema } from '../kits/agents/toolList.ts';
import { droppedAlertsSchema } from '../kits/alerts/droppedAlerts.ts';
import { alertKeySchema } from '../kits/alerts/fates/alertKeyDocument.ts';
import { liveTextSchema } from '../kits/live/liveText.ts';
import { rejectedMessageSchema } from '../kits/messages/rejectedMessage.ts';
import { workSchema } from '../kits/work/work.ts';
import { knowledgeSchema, UNREVIEWED } from '../search/knowledge.ts';
import { quickCheck } from '../text/schema/quickCheck.ts';
import {
  agentSnapshotType,
  alertBodyType,
  alertKeyType,
  apiKeyType,
  approvalType,
  controlType,
  correlationType,
  droppedAlertsType,
  executionType,
  feedbackType,
  guidanceType,
  interactionType,
  knowledgeType,
  liveTextType,
  messagePartType,
  messageType,
  paths,
  pinnedToolsType,
  rejectedMessageType,
  requestType,
  sessionType,
  stageType,
  storedAgentType,
  timelineEventType,
  toolListType,
  usageType,
  workType,
} from './documents.ts';

type Row = { type: DocumentType<unknown>; schema: z.ZodType; samples: unknown[] };
const row = <T>(type: DocumentType<T>, schema: z.ZodType<T>, samples: T[]): Row => ({
  type: type as DocumentType<unknown>,
  schema,
  samples,
});

const rows: Row[] = [
  row(sessionType, sessionSchema, [
    sampleSession(),
    sampleSession({ status: 'failed', failure: { code: 'MODEL_QUOTA', message: 'none left' } }),
  ]),
  row(alertBodyType, alertBodySchema, [sampleAlertBody()]),
  row(stageType, stageSchema, [sampleStage()]),
  row(executionType, executionSchema, [
    sampleExecution(),
    sampleExecution({ lease: null, pendingCalls: [] }),
  ]),
  row(
    timelineEventType,
    timelineEventSchema,
    EVENT_TYPES.map((eventType) => sampleEvent(eventType)),
  ),
  row(messageType, messageSchema, [sampleMessage(), sampleMessage({ role: 'user', providerParts: null })]),
  row(agentSnapshotType, agentSnapshotSchema, [sampleAgentSnapshot()]),
  row(messagePartType, messagePartSchema, [sampleMessagePart()]),
  row(interactionType, interactionSchema, [sampleInteraction()]),
  row(correlationType, correlationSchema, [sampleCorrelation()]),
  row(droppedAlertsType, droppedAlertsSchema, [sampleDroppedAlerts()]),
  row(rejectedMessageType, rejectedMessageSchema, [sampleRejectedMessage()]),
  row(controlType, controlSchema, [sampleControl(), sampleControl({ watchedUntil: null })]),
  row(liveTextType, liveTextSchema, [sampleLiveText(), sampleLiveText({ text: '', thinking: '' })]),
  row(guidanceType, guidanceSchema, [sampleGuidance()]),
  row(storedAgentType, storedAgentSchema, [sampleStoredAgent(), sampleStoredAgent({ yaml: null })]),
  row(approvalType, approvalSchema, [sampleApproval()]),
  row(workType, workSchema, [sampleWork(), sampleWork({ kind: 'note', text: 'It is back.', review: null })]),
  row(feedbackType, feedbackSchema, [sampleFeedback({ comment: 'It named the right pod.' })]),
  row(apiKeyType, apiKeySchema, [sampleApiKey()]),
  row(requestType, requestSchema, [sampleRequest(), sampleRequest({ answer: null })]),
  row(knowledgeType, knowledgeSchema, [
    sampleKnowledge(),
    sampleKnowledge({
      embedding: Array.from({ length: EMBEDDING_DIMENSIONS }, (_, index) => index / 10),
      session: { sessionId: 'session-1', identity: null, ...UNREVIEWED, shown: [] },
    }),
  ]),
  row(usageType, usageSchema, [sampleUsage()]),
  row(pinnedToolsType, pinnedToolsSchema, [samplePinnedTools()]),
  row(toolListType, toolListSchema, [sampleToolList(), sampleToolList({ list: null })]),
  row(alertKeyType, alertKeySchema, [sampleAlertKey()]),
];

/** What Firestore hands out for what it was given: its own timestamps instead of dates. */
function asFirestoreReads(value: unknown): unknown {
  if (value instanceof Date) return Timestamp.fromDate(value);
  if (Array.isArray(value)) return value.map(asFirestoreReads);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asFirestoreReads(entry)]));
}

/** The value with one of its parts replaced by a value of another kind, for each part. */
function* variantsOf(value: unknown): Generator<unknown> {
  yield* [undefined, null, '', 'gemini', -1, 1.5, [], {}, new Date(Number.NaN)];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    for (const changed of variantsOf(entry)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

describe.each(rows)('$type.name', ({ type, schema, samples }) => {
  it('comes back as it was stored', () => {
    for (const sample of samples) {
      const stored = asFirestoreReads(type.encode(sample)) as Record<string, unknown>;
      expect(stored.schemaVersion).toBe(type.version);
      expect(type.decode(stored, 'path')).toEqual(sample);
    }
  });

  it('is refused without any of its fields: nothing stored has a default', () => {
    for (const sample of samples) {
      for (const field of Object.keys(sample as object)) {
        const { [field]: _, ...rest } = type.encode(sample);
        expect(() => type.decode(rest, 'path'), field).toThrow();
      }
    }
  });

  it('is refused with a field too many', () => {
    for (const sample of samples) {
      const stored = { ...type.encode(sample), surplus: 1 };
      expect(() => type.decode(stored, 'path')).toThrow('"surplus"');
    }
  });

  it('is accepted by its quick check only if zod accepts it unchanged', () => {
    const check = quickCheck(schema);
    for (const sample of samples) {
      for (const changed of variantsOf(sample)) {
        if (!check(changed)) continue;
        const result = schema.safeParse(changed);
        expect(result.success && result.data).toEqual(changed);
      }
    }
  });

  // A replaced document keeps a top-level field that the new value lacks: no such value is allowed.
  it('has no optional field at the top', () => {
    const options = schema instanceof z.ZodUnion ? schema.options : [schema];
    for (const option of options) {
      expect(option).toBeInstanceOf(z.ZodObject);
      for (const [field, value] of Object.entries((option as z.ZodObject).shape)) {
        expect(value, field).not.toBeInstanceOf(z.ZodOptional);
      }
    }
  });
});

it.each([executionType, messageType, timelineEventType, interactionType])(
  'an iteration writes $name without zod',
  ({ name }) => {
    const { schema, samples } = rows.find(({ type }) => type.name === name) as (typeof rows)[number];
    expect(samples.filter(quickCheck(schema))).toEqual(samples);
  },
);

it('the paths are these', () => {
  expect([
    paths.session('s'),
    paths.alertBody('s', 1),
    paths.stage('s', '01-investigation'),
    paths.execution('s', '01-a'),
    paths.event('s', '01-a', 12),
    paths.message('s', '01-a', 12),
    paths.messagePart('s', '01-a', 12, 3),
    paths.interaction('s', '01-a', 4),
    paths.interaction('s', '01-a', 4, 'forced_conclusion'),
    paths.rejectedMessage('runIteration', '2026-11-05T10', 'MESSAGE_MALFORMED'),
    paths.usage('sessions', null, '2026-11-05T10'),
    paths.usage('tokens', 'shop', '2026-11-05'),
    paths.stageUsage('s', '01-investigation'),
    paths.allowance('tokens~shop', '2026-11-05', 0),
    paths.live('s', '01-a'),
    paths.pinnedTools('s', 'kubernetes'),
    paths.toolList('s', 'd1'),
    paths.agent('triage'),
  ]).toEqual([
    'sessions/s',
    'sessions/s/alertBody/001',
    'sessions/s/stages/01-investigation',
    'sessions/s/executions/01-a',
    'sessions/s/timeline/01-a.000012',
    'sessions/s/messages/01-a.000012',
    'sessions/s/messages/01-a.000012/parts/003',
    'sessions/s/interactions/01-a.004',
    'sessions/s/interactions/01-a.004.forced_conclusion',
    'rejectedMessages/runIteration.2026-11-05T10.MESSAGE_MALFORMED',
    'usage/sessions.2026-11-05T10',
    'usage/tokens.shop.2026-11-05',
    'sessions/s/usage/01-investigation',
    'allowances/tokens~shop.2026-11-05.0',
    'sessions/s/live/01-a',
    'sessions/s/pinnedTools/kubernetes',
    'sessions/s/toolLists/d1',
    'agents/triage',
  ]);
});
