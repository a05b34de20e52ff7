// One valid document of each type, for tests that need some document. What a test is about it says itself,
// in the overrides.

import { type Alert, type AlertBody, alertPart } from '../../shared/alerts/schema/alert.ts';
import type { Correlation } from '../../shared/alerts/schema/correlation.ts';
import type { Incident } from '../../shared/alerts/schema/incident.ts';
import { routingPart } from '../../shared/alerts/schema/routing.ts';
import type { Request } from '../../shared/api/http/request.ts';
import type { AgentSnapshot, PlannedAgent, StagePlan } from '../../shared/core/schema/agent.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { NO_TOKENS } from '../../shared/core/schema/common.ts';
import type { Control, Feedback, Guidance } from '../../shared/core/schema/control.ts';
import { composeExecutionId, composeStageId } from '../../shared/core/schema/coreDocuments.ts';
import { NO_COST } from '../../shared/core/schema/cost.ts';
import type { Execution, PendingCall } from '../../shared/core/schema/execution.ts';
import type { Interaction } from '../../shared/core/schema/interaction.ts';
import type { Message, MessagePart } from '../../shared/core/schema/message.ts';
import { NO_PARTS, type WithParts, withPart } from '../../shared/core/schema/parts.ts';
import { NOT_STEERED, type Session, sessionDueAt } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { EventType, TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import type { Usage } from '../../shared/core/schema/usage.ts';
import type { SessionVerdict } from '../../shared/evidence/schema/verdict.ts';
import type { ApiKey } from '../../shared/kits/access/apiKeyDocument.ts';
import type { PinnedTools } from '../../shared/kits/agents/pinnedTools.ts';
import type { StoredAgent } from '../../shared/kits/agents/storedAgent.ts';
import type { ToolList } from '../../shared/kits/agents/toolList.ts';
import type { DroppedAlerts } from '../../shared/kits/alerts/droppedAlerts.ts';
import { type AlertKey, NO_FATE } from '../../shared/kits/alerts/fates/alertKeyDocument.ts';
import type { Delivery } from '../../shared/kits/deliveries/delivery.ts';
import type { LiveText } from '../../shared/kits/live/liveText.ts';
import type { RejectedMessages } from '../../shared/kits/messages/rejectedMessage.ts';
import type { WorkEntry } from '../../shared/kits/work/work.ts';
import type { Knowledge } from '../../shared/search/knowledge.ts';

/** When everything in the samples began. */
export const SAMPLE_TIME = new Date('2026-11-05T10:20:30.123Z');
/** When the samples may be deleted. */
const SAMPLE_EXPIRY = new Date('2026-12-05T10:20:30.123Z');
const later = (minutes: number): Date => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);

const sessionId = 'session-1';
const stageId = composeStageId(1, 'investigation');
const executionId = composeExecutionId(1, 'kubernetes');
const place = { sessionId, stageId, executionId };

export function sampleAgent(overrides: Partial<PlannedAgent> = {}): PlannedAgent {
  return {
    name: 'kubernetes',
    strategy: 'native-thinking',
    instructions: 'Find out why the pod does not start.',
    model: { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true },
    fallback: [],
    tools: ['kubernetes'],
    nativeTools: [],
    combineNativeTools: false,
    outsideTools: 'apart',
    collect: [],
    limits: {
      maxIterations: 20,
      iterationTimeoutMs: 300_000,
      toolTimeoutMs: 60_000,
      toolResultBytes: 65_536,
      afterFailure: 'conclude',
    },
    ...overrides,
  };
}

/** A stage of one agent without a synthesis. */
export function samplePlan(overrides: Partial<StagePlan> = {}): StagePlan {
  return {
    name: 'investigation',
    successPolicy: 'any',
    timeoutMs: null,
    agents: [sampleAgent()],
    synthesis: null,
    ...overrides,
  };
}

export function sampleAlert(overrides: Partial<Alert> = {}): Alert {
  return {
    source: 'alertmanager',
    title: 'KubePodCrashLooping',
    status: 'firing',
    severity: 'critical',
    identity: '5ef77f1f8a3ecb8d',
    summary: 'Pod checkout-7d9f is restarting every few minutes.',
    url: 'https://prometheus.example.com/graph',
    runbookUrl: 'https://runbooks.example.com/kubepodcrashlooping',
    links: [{ title: 'Dashboard', url: 'https://grafana.example.com/d/pods' }],
    startedAt: SAMPLE_TIME,
    labels: { namespace: 'shop', 'app.kubernetes.io/name': 'checkout' },
    members: [
      { title: 'checkout-1', status: 'firing', severity: 'critical', identity: 'a1', startedAt: SAMPLE_TIME },
      { title: 'checkout-2', status: 'resolved', severity: null, identity: null, startedAt: null },
    ],
    masked: 0,
    bodyBytes: 1024,
    ...overrides,
  };
}

/** Of the sample session, and of the frames in its prompts. */
export const SAMPLE_NONCE = '0123456789ab';
/** Of its marks. */
const SAMPLE_KEY = '0123456789abcdef0123456789abcdef';

/** A verdict of the present table, without a cause. */
export const sampleVerdict = (
  value: SessionVerdict['value'],
  changes: Partial<SessionVerdict> = {},
): SessionVerdict => ({
  value,
  table: 2,
  rule: 'unsupported',
  caps: [],
  isRecovered: false,
  causes: [],
  reason: null,
  open: [],
  ...changes,
});

/** The parts of the sample session with others; an undefined one is removed. */
function mergeParts(others: WithParts['parts'] = {}): WithParts['parts'] {
  const alert = withPart(alertPart, NO_PARTS, sampleAlert());
  const routing = { by: 'default', rule: null, text: 'it is the default' } as const;
  const parts = { ...withPart(routingPart, alert, routing).parts, ...others };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** The part of a session with an alert, or without one. */
export const sampleAlertPart = (alert: Alert | null): WithParts => ({ parts: { alert: alert ?? undefined } });

export function sampleSession(overrides: Partial<Session> = {}): Session {
  const session: Session = {
    sessionId,
    tenantId: 'default',
    userId: null,
    kind: 'investigation',
    status: 'in_progress',
    input: 'KubePodCrashLooping in shop',
    title: null,
    chain: { name: 'default', stages: [samplePlan()] },
    steering: NOT_STEERED,
    currentStageId: stageId,
    openStage: null,
    questions: 0,
    deferral: null,
    waitedUntil: null,
    finalAnalysis: null,
    caveats: [],
    executiveSummary: null,
    conclusion: null,
    partial: null,
    tokens: NO_TOKENS,
    cost: NO_COST,
    failure: null,
    deadline: later(30),
    dueAt: null,
    cancellation: null,
    dataNonce: SAMPLE_NONCE,
    maskKey: SAMPLE_KEY,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    endedAt: null,
    ...overrides,
    parts: mergeParts(overrides.parts),
  };
  return { ...session, dueAt: overrides.dueAt === undefined ? sessionDueAt(session) : overrides.dueAt };
}

export function sampleAlertBody(overrides: Partial<AlertBody> = {}): AlertBody {
  return { sessionId, part: 1, text: '{"status":"firing"}', expireAt: SAMPLE_EXPIRY, ...overrides };
}

export function sampleAlertKey(overrides: Partial<AlertKey> = {}): AlertKey {
  const times = { expireAt: SAMPLE_EXPIRY, createdAt: SAMPLE_TIME };
  const key = { title: 'NodeDown', sessionId, joined: null, at: SAMPLE_TIME };
  return { ...key, ...NO_FATE, counted: null, ...times, ...overrides };
}

export function sampleStage(overrides: Partial<Stage> = {}): Stage {
  return {
    sessionId,
    stageId,
    index: 1,
    name: 'investigation',
    kind: 'investigation',
    status: 'active',
    expectedExecutions: [executionId],
    finishedExecutions: [],
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    endedAt: null,
    ...overrides,
  };
}

export function samplePendingCall(overrides: Partial<PendingCall> = {}): PendingCall {
  return {
    index: 0,
    callId: 'call-1',
    name: 'kubernetes.get_events',
    readOnly: true,
    state: 'requested',
    resultEvent: 3,
    resultMessage: 4,
    ...overrides,
  };
}

export function sampleExecution(overrides: Partial<Execution> = {}): Execution {
  return {
    ...place,
    agentName: sampleAgent().name,
    limits: sampleAgent().limits,
    status: 'active',
    parentExecutionId: null,
    ancestors: [],
    depth: 0,
    children: 0,
    iteration: 1,
    collects: false,
    modelIndex: 0,
    publishedIteration: 1,
    claims: 1,
    startedClaims: 1,
    lease: { holder: 'instance-1', until: later(1), messageId: null },
    notBefore: null,
    outage: null,
    waitingSince: null,
    waits: [],
    waitedUntil: null,
    due: { b0: later(1) },
    pendingCalls: [samplePendingCall()],
    lastEvent: 3,
    lastMessage: 4,
    signaturesRefusedUpTo: 0,
    lastInteractionFailed: false,
    lastErrorMessage: null,
    consecutiveTimeouts: 0,
    emptyAnswers: 0,
    toolCalls: 0,
    missingServers: [],
    hungServers: [],
    reads: { text: false, servers: [], entries: [] },
    guidanceTaken: 0,
    tokens: NO_TOKENS,
    cost: NO_COST,
    tokensBefore: 0,
    siblings: 0,
    budgetReached: null,
    deadline: later(30),
    failure: null,
    finalAnalysis: null,
    caveats: [],
    traceparent: null,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    startedAt: SAMPLE_TIME,
    endedAt: null,
    ...NO_PARTS,
    ...overrides,
  };
}

export function sampleAgentSnapshot(overrides: Partial<AgentSnapshot> = {}): AgentSnapshot {
  const { limits: _, ...agent } = sampleAgent();
  return {
    sessionId,
    executionId,
    agent,
    dataNonce: SAMPLE_NONCE,
    maskKey: SAMPLE_KEY,
    labels: { namespace: 'shop' },
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

const call = { toolName: 'kubernetes.get_events', callId: 'call-1', arguments: '{"namespace":"shop"}' };
const source = { uri: 'https://example.com/oom', title: 'Out of memory' };
const support = { startIndex: 0, endIndex: 4, text: 'OOM.', groundingChunkIndices: [0] };

/** The metadata of one event of each type. */
export const SAMPLE_METADATA: { [T in EventType]: Extract<TimelineEvent, { eventType: T }>['metadata'] } = {
  llm_thinking: { source: 'native', signed: true },
  llm_response: {},
  llm_tool_call: call,
  tool_result: {
    toolName: call.toolName,
    callId: call.callId,
    isError: false,
    truncated: false,
    durationMs: 12,
  },
  mcp_tool_call: { ...call, server: 'kubernetes' },
  mcp_tool_summary: { toolName: call.toolName, callId: call.callId, originalBytes: 100_000 },
  error: { code: 'MODEL_TIMEOUT', retryable: true, recoverable: true, iteration: 1 },
  user_question: { askedBy: 'reader@example.com' },
  user_guidance: { givenBy: 'reader@example.com' },
  notice: { code: 'runbook_used', subject: 'pod-crash-looping' },
  action: { actionType: 'observation', payload: '{"confidence":0.9}' },
  task_assigned: { agentName: 'logs', childExecutionId: '01-kubernetes~1' },
  executive_summary: {},
  final_analysis: { citations: [{ type: 'url_citation', url: source.uri, title: source.title }] },
  code_execution: { source: 'gemini', outcome: 'OUTCOME_OK' },
  google_search_result: {
    source: 'gemini',
    queries: ['exit code 137'],
    sources: [source],
    supports: [support],
  },
  url_context_result: {
    source: 'gemini',
    sources: [source],
    supports: [support],
    statuses: [{ uri: source.uri, status: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
  },
};

/** An event of a type, complete with the metadata of that type. */
export function sampleEvent<T extends EventType>(
  eventType: T,
  overrides: Partial<Extract<TimelineEvent, { eventType: T }>> = {},
): TimelineEvent {
  return {
    ...place,
    parentExecutionId: null,
    eventType,
    metadata: SAMPLE_METADATA[eventType],
    sequenceNumber: 1,
    iteration: 1,
    status: 'completed',
    content: 'The container was killed because it ran out of memory.',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  } as TimelineEvent;
}

export function sampleMessage(overrides: Partial<Message> = {}): Message {
  return {
    sessionId,
    executionId,
    sequenceNumber: 3,
    role: 'assistant',
    iteration: 1,
    blocks: [
      { blockType: 'thinking', textContent: 'Look at the events first.' },
      { blockType: 'text', textContent: 'I look at the events.' },
      { blockType: 'tool_use', toolUseId: 'call-1', toolName: call.toolName, input: call.arguments },
    ],
    blockDocuments: 0,
    providerParts: { provider: 'google', model: 'gemini-3.8-flash', parts: '[]', partDocuments: 0 },
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleMessagePart(overrides: Partial<MessagePart> = {}): MessagePart {
  return { part: 1, text: '[{"text":"I look at the events."}]', expireAt: SAMPLE_EXPIRY, ...overrides };
}

export function sampleInteraction(overrides: Partial<Interaction> = {}): Interaction {
  return {
    sessionId,
    executionId,
    iteration: 1,
    interactionType: 'iteration',
    model: 'gemini-3.8-flash',
    modelVersion: 'gemini-3.8-flash-001',
    messageCount: 2,
    lastMessageId: `${executionId}.000002`,
    requestBytes: 2048,
    responseBytes: 512,
    toolCallCount: 1,
    codeExecutionCount: 1,
    groundingCount: 1,
    codeExecutions: [{ code: 'print(1)', language: 'PYTHON', result: '1', outcome: 'OUTCOME_OK' }],
    groundings: [{ kind: 'search', queries: ['oom'], sources: [source], supports: [support], statuses: [] }],
    searchEntryPoint: null,
    thinking: 'Look at the events first.',
    tokens: { input: 500, output: 40, thinking: 20, cached: 0, total: 560 },
    costUsd: 0.0006,
    durationMs: 1800,
    finishReason: 'STOP',
    attempts: 1,
    attemptErrors: [],
    serviceTier: null,
    provider: 'gcp.gemini',
    attemptTimes: [{ startedMs: 0, endedMs: 1800 }],
    repairedSignatures: false,
    failure: null,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleRejectedMessage(overrides: Partial<RejectedMessages> = {}): RejectedMessages {
  return {
    function: 'runIteration',
    hour: '2026-11-05T10',
    code: 'MESSAGE_MALFORMED',
    count: 2,
    samples: [
      {
        messageId: '1234567890',
        reason: 'iteration: expected a positive whole number',
        attributes: { sessionId },
        dataBytes: 17,
        excerpt: '{"iteration":"x"}',
        at: SAMPLE_TIME,
      },
    ],
    expireAt: SAMPLE_EXPIRY,
    ...overrides,
  };
}

export function sampleCorrelation(overrides: Partial<Correlation> = {}): Correlation {
  const alert = { sessionId, title: 'NodeDown', severity: 'critical', startedAt: null, at: SAMPLE_TIME };
  const title = 'Same labels as: NodeDown';
  return { title, tenantId: 'default', count: 1, alerts: [alert], expireAt: SAMPLE_EXPIRY, ...overrides };
}

export function sampleDroppedAlerts(overrides: Partial<DroppedAlerts> = {}): DroppedAlerts {
  const last = { messageId: '1234567890', source: 'alertmanager', title: 'NodeDown', at: SAMPLE_TIME };
  return {
    tenantId: 'default',
    rule: 'dev',
    day: '2026-11-05',
    count: 12,
    text: 'label env is "dev"',
    examples: [last],
    last,
    expireAt: SAMPLE_EXPIRY,
    ...overrides,
  };
}

export function sampleControl(overrides: Partial<Control> = {}): Control {
  return {
    sessionId,
    watchedUntil: later(1),
    paused: false,
    guidance: 1,
    expireAt: SAMPLE_EXPIRY,
    ...overrides,
  };
}

export function sampleLiveText(overrides: Partial<LiveText> = {}): LiveText {
  return {
    sessionId,
    executionId: '01-investigator',
    iteration: 2,
    text: 'The disk is',
    textStart: 0,
    thinking: 'Which disk?',
    thinkingStart: 10,
    verbatim: true,
    freshUntil: later(1),
    expireAt: SAMPLE_EXPIRY,
    ...overrides,
  };
}

export function sampleGuidance(overrides: Partial<Guidance> = {}): Guidance {
  return {
    sessionId,
    number: 1,
    text: 'Look at the node, not at the pod.',
    givenBy: 'reader@example.com',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleApproval(overrides: Partial<Approval> = {}): Approval {
  return {
    sessionId,
    executionId,
    approvalId: 'k7f3q-9mtxz',
    agentName: sampleAgent().name,
    callId: call.callId,
    toolName: 'kubernetes.restart',
    arguments: call.arguments,
    status: 'pending',
    until: later(15),
    decidedBy: null,
    decidedAt: null,
    signature: null,
    reason: null,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleIncident(overrides: Partial<Incident> = {}): Incident {
  return {
    title: 'Checkout is slow',
    source: 'json',
    identity: 'checkout',
    chain: null,
    sessionId,
    firing: true,
    firingAt: SAMPLE_TIME,
    resolvedAt: null,
    firesSince: SAMPLE_TIME,
    since: SAMPLE_TIME,
    retries: 0,
    stopped: false,
    opening: null,
    merged: false,
    alone: false,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleFeedback(overrides: Partial<Feedback> = {}): Feedback {
  return {
    sessionId,
    verdict: 'helpful',
    comment: null,
    givenBy: 'reader@example.com',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    sessionId,
    destination: 'oncall',
    event: 'ended',
    key: '1',
    isRepeated: false,
    state: 'sent',
    dueAt: null,
    attempts: 1,
    firstSentAt: SAMPLE_TIME,
    sendingAt: SAMPLE_TIME,
    isDoubtful: false,
    probes: 0,
    probedAt: null,
    ref: null,
    failure: null,
    sentAt: SAMPLE_TIME,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleWork(overrides: Partial<WorkEntry> = {}): WorkEntry {
  return {
    sessionId,
    number: 1,
    kind: 'review',
    text: null,
    review: {
      rating: 'partly',
      cause: { component: 'checkout', mechanism: 'memory', text: null },
      action: 'rolled back',
      missed: null,
    },
    by: 'reader@example.com',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleApiKey(overrides: Partial<ApiKey> = {}): ApiKey {
  return {
    keyId: '0123456789ab',
    name: 'deploy-bot',
    tenantId: 'default',
    role: 'viewer',
    digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    createdBy: 'anna',
    createdAt: SAMPLE_TIME,
    mac: '0123456789abcdef.47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
    revoked: null,
    expireAt: SAMPLE_EXPIRY,
    ...overrides,
  };
}

export function sampleRequest(overrides: Partial<Request> = {}): Request {
  return {
    title: 'POST /v1/alerts',
    tenantId: 'default',
    digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    answer: { status: 202, body: '{"sessionId":"session-1"}' },
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleUsage(overrides: Partial<Usage> = {}): Usage {
  return { count: 3, reserved: { w2994624: 1_500 }, expireAt: SAMPLE_EXPIRY, ...overrides };
}

export function samplePinnedTools(overrides: Partial<PinnedTools> = {}): PinnedTools {
  return {
    sessionId,
    server: 'kubernetes',
    executionId,
    tools: [
      {
        name: 'kubernetes.get_logs',
        description: '0123456789abcdef',
        parameters: 'fedcba9876543210',
        rights: '00112233445566ff',
      },
    ],
    instructions: '8899aabbccddeeff',
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleToolList(overrides: Partial<ToolList> = {}): ToolList {
  const list = JSON.stringify({ tools: [{ name: 'kubernetes.get_logs' }] });
  return {
    sessionId,
    server: 'kubernetes',
    list,
    expireAt: SAMPLE_EXPIRY,
    createdAt: SAMPLE_TIME,
    ...overrides,
  };
}

export function sampleKnowledge(overrides: Partial<Knowledge> = {}): Knowledge {
  return {
    tenantId: 'default',
    key: 'payments-api',
    kind: 'resource',
    title: 'Payments API',
    text: 'Takes card payments. It needs the database ledger.',
    links: [{ key: 'ledger', type: 'depends-on' }],
    labels: { team: 'payments' },
    session: null,
    trigrams: ['  p', ' pa', 'pay'],
    embedding: null,
    embeddingModel: overrides.embedding ? 'gemini-embedding-001' : null,
    userId: null,
    updatedBy: 'anna',
    updatedAt: SAMPLE_TIME,
    expireAt: null,
    ...overrides,
  };
}

export function sampleStoredAgent(overrides: Partial<StoredAgent> = {}): StoredAgent {
  return {
    name: 'triage',
    yaml: 'description: You triage alerts.\njson_schema_extra:\n  name: triage\n',
    version: '1.0.0',
    updatedBy: 'anna',
    createdAt: SAMPLE_TIME,
    updatedAt: later(1),
    ...overrides,
  };
}
