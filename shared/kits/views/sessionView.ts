// Reads all stored data of a session once: the document that `show --json` prints.

import * as z from 'zod';
import { problemSchema, problemSubject } from '../../alerts/problemState.ts';
import { createProblemReader } from '../../alerts/readProblem.ts';
import { alertSchema, readSessionAlert } from '../../alerts/schema/alert.ts';
import { correlationPart, type RelatedAlert, relatedAlertSchema } from '../../alerts/schema/correlation.ts';
import type { AlertCounts } from '../../alerts/schema/incident.ts';
import { reinvestigationPart } from '../../alerts/schema/reinvestigation.ts';
import { rerunPart } from '../../alerts/schema/rerun.ts';
import { routingPart } from '../../alerts/schema/routing.ts';
import { checkPart } from '../../alerts/schema/sessionCheck.ts';
import { runbookPart } from '../../alerts/schema/usedRunbook.ts';
import { budgetsPart, readWaitedBudgets } from '../../alerts/schema/waitedBudgets.ts';
import { listNotified } from '../../config/notified.ts';
import type { Store } from '../../core/contract/store.ts';
import { isForModel } from '../../core/kernel/execution/newerDocument.ts';
import { type Approval, approvalSchema } from '../../core/schema/approval.ts';
import { addTokens, isTerminal, NO_TOKENS } from '../../core/schema/common.ts';
import {
  approvalType,
  executionType,
  interactionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import { addCosts, NO_COST } from '../../core/schema/cost.ts';
import {
  countedIterations,
  type Execution,
  executionSchema,
  pendingCallSchema,
} from '../../core/schema/execution.ts';
import type { Interaction } from '../../core/schema/interaction.ts';
import { readPart } from '../../core/schema/parts.ts';
import { splitReadable, type Unreadable, unreadableSchema } from '../../core/schema/readable.ts';
import { type Session, sessionSchema } from '../../core/schema/session.ts';
import { type Stage, stageSchema } from '../../core/schema/stage.ts';
import { compareEvents, type TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { verdictPart, verdictSchema } from '../../evidence/schema/verdict.ts';
import { readVerdict } from '../../evidence/verdictWords.ts';
import { forkPart } from '../../schema/forkPart.ts';
import { seenPart, seenSessionSchema } from '../../search/seenSession.ts';
import { adviseLimit } from '../../text/limitAdvice.ts';
import type { ProblemState } from '../../text/problemWords.ts';
import { readRelated } from '../alerts/loadRelated.ts';
import { requestPart } from './chat/requestContext.ts';
import { getReadable, listReadable } from './readable.ts';
import { readCounts, reportsView, reportsViewSchema } from './reports.ts';

/** A session has few approvals; a model cannot request more than its iterations allow. */
const MAX_APPROVALS = 1_000;

/** A run of an agent. */
const executionViewSchema = executionSchema
  .pick({
    executionId: true,
    agentName: true,
    parentExecutionId: true,
    depth: true,
    status: true,
    iteration: true,
    toolCalls: true,
    tokens: true,
    cost: true,
    failure: true,
    caveats: true,
    finalAnalysis: true,
    createdAt: true,
    startedAt: true,
    endedAt: true,
  })
  .extend({
    countedIteration: z.int().describe('The current iteration as `maxIterations` counts'),
    maxIterations: z.int(),
    sessionTokens: z
      .int()
      .nullable()
      .describe('Tokens of the whole session after which the agent must conclude; null without a limit'),
    budgetReached: z
      .enum(['sessionTokens', 'dailyTokens'])
      .nullable()
      .describe('Why it had to conclude early'),
    durationMs: z.number().nullable(),
    /** The models that answered, by the names they returned. */
    models: z.array(z.string()),
    /** Servers that could not be connected at the last attempt. */
    missingServers: z.array(z.string()),
    waitsForModelSince: z
      .date()
      .nullable()
      .describe('Since when its model has not answered; null while it answers'),
    openCalls: z
      .array(
        pendingCallSchema.pick({ callId: true, name: true, state: true, waitsFor: true, resultEvent: true }),
      )
      .describe(
        'Calls of the current iteration without a result: `requested`, `running` or `waiting`. `resultEvent` is the `sequenceNumber` that is kept for it',
      ),
  });

/** A session with its stages and runs. In JSON, times are ISO 8601 in UTC and durations milliseconds. */
export const sessionViewSchema = sessionSchema
  .pick({
    sessionId: true,
    tenantId: true,
    userId: true,
    kind: true,
    status: true,
    title: true,
    steering: true,
    cancellation: true,
    failure: true,
    finalAnalysis: true,
    executiveSummary: true,
    partial: true,
    caveats: true,
    deadline: true,
    createdAt: true,
    endedAt: true,
    traceparent: true,
    cost: true,
    tokens: true,
  })
  .extend({
    alert: alertSchema.nullable(),
    deferral: sessionSchema.shape.deferral
      .unwrap()
      .extend({ budgets: budgetsPart.schema.nullable() })
      .nullable(),
    check: checkPart.schema.nullable(),
    context: requestPart.schema.nullable(),
    routing: routingPart.schema.nullable(),
    runbook: runbookPart.schema.nullable(),
    alsoFiring: z.array(relatedAlertSchema),
    seenBefore: z.array(seenSessionSchema),
    reinvestigates: reinvestigationPart.schema.nullable(),
    rerunOf: z.string().min(1).nullable(),
    fork: forkPart.schema.nullable().describe('Where it was forked; null if it was not'),
    verdict: verdictSchema
      .extend({
        sentence: z.string().describe('The verdict in words'),
        disproof: z.string().describe('What would disprove it; empty where nothing is claimed'),
        questions: z.array(z.string()).describe('What the investigation left open'),
      })
      .nullable(),
    /** Name of the chain. */
    chain: z.string(),
    budgetToRaise: z
      .string()
      .nullable()
      .describe('The number whose budget ended it early, with its file and value'),
    destinations: z.array(z.string()).describe('The destinations that get messages about it'),
    /** Milliseconds to the end, or to now; null for a deferred session. */
    durationMs: z.number().nullable(),
    /** The versions that answered, each once. */
    models: z.array(z.string()),
    /** Number of masked secrets in the alert and in the events of the timeline. */
    masked: z.strictObject({ alert: z.int(), timeline: z.int() }),
    /** Calls and answers that were blocked, then refused approvals. */
    refused: z.array(
      z.strictObject({
        /**
         * `secret`: the arguments contained a secret. `tool_changed`, or the status of an approval: the call
         * was not run.
         */
        kind: z.enum(['secret', 'tool_changed', 'denied', 'expired', 'ended']),
        executionId: z.string(),
        /** In words, masked. */
        text: z.string(),
      }),
    ),
    unreadable: unreadableSchema,
    /** All approvals, decided or not. */
    approvals: z.array(approvalSchema),
    /** The started stages in order, each with its executions. */
    stages: z.array(
      stageSchema
        .pick({ stageId: true, kind: true, status: true, createdAt: true, endedAt: true })
        .extend({ executions: z.array(executionViewSchema) }),
    ),
    planned: z
      .array(stageSchema.pick({ name: true, kind: true }).extend({ agents: z.array(z.string()) }))
      .describe('Stages that have not started, in order; none when the session has ended'),
    /** Null for an alert without an identity. */
    reports: reportsViewSchema.nullable(),
    /** Null without an alert. */
    problem: problemSchema.nullable(),
  });

/** A session with all its documents. */
export type SessionView = z.infer<typeof sessionViewSchema> & {
  /** All events in order. */
  timeline: TimelineEvent[];
};
type ExecutionView = z.infer<typeof executionViewSchema>;

/**
 * Reads a session and all data that `show` prints.
 * @returns undefined when it does not exist.
 * @throws RetryableError when the store fails; TerminalError, or RetryableError `SCHEMA_TOO_NEW`, when the
 *   document of the session itself cannot be read.
 */
export async function readSessionView(
  sessionId: string,
  store: Store,
  now: Date,
): Promise<SessionView | undefined> {
  const below = paths.session(sessionId);
  const [session, stages, executions, events, interactions, approvals, counts] = await Promise.all([
    store.get(below, sessionType),
    listReadable({ collection: `${below}/stages` }, stageType, store),
    listReadable({ collection: paths.executions(sessionId) }, executionType, store),
    listReadable({ collection: paths.timeline(sessionId) }, timelineEventType, store),
    listReadable({ collection: paths.interactions(sessionId) }, interactionType, store),
    readApprovals(sessionId, store),
    readCounts(sessionId, store),
  ]);
  if (session === undefined) return undefined;
  const [related, { problem, unreadable }] = await Promise.all([
    readRelated(session.value, { store }),
    createProblemReader(store)(problemSubject(session.value), counts.value),
  ]);
  const lists = [stages, executions, events, interactions, approvals, related, { unreadable }];
  return sessionView({
    session: session.value,
    stages: stages.values,
    executions: executions.values,
    timeline: events.values.sort(compareEvents),
    interactions: interactions.values,
    approvals: approvals.values,
    counts: counts.value,
    problem,
    alsoFiring: related.alerts,
    unreadable: [...lists, splitReadable([counts])].flatMap(({ unreadable }) => unreadable),
    now,
  });
}

async function readApprovals(sessionId: string, store: Store) {
  const query = { collection: paths.approvals, field: 'sessionId', oneOf: [sessionId], limit: MAX_APPROVALS };
  const ids = await store.listIds(query);
  return splitReadable(
    await Promise.all(ids.map((id) => getReadable(paths.approval(id), approvalType, store))),
  );
}

/** By number; of one number, checks of claims follow the stage whose claims they are, as they started. */
const byStart = (a: Stage, b: Stage): number =>
  Number.parseInt(a.stageId, 10) - Number.parseInt(b.stageId, 10) ||
  a.createdAt.getTime() - b.createdAt.getTime();

/** The stored documents of a session, the timeline in order. */
export interface SessionDocuments {
  /** The document of the session. */
  session: Session;
  /** The started stages, in order. */
  stages: Stage[];
  /** All executions, descendants included. */
  executions: Execution[];
  /** All events, in order. */
  timeline: TimelineEvent[];
  /** The records of all model calls. */
  interactions: Interaction[];
  /** All approvals, decided or not. */
  approvals: Approval[];
  /** How often the alert was reported; absent if that is not counted. */
  counts?: AlertCounts | undefined;
  /** The state of its problem. Default: null. */
  problem?: ProblemState | null;
  /** The current related alerts. Default: those of its latest stage. */
  alsoFiring?: RelatedAlert[];
  /** Unreadable documents. Default: none. */
  unreadable?: Unreadable[];
  /** Ends the durations of running executions. */
  now: Date;
}

/** Builds the view of a session from its documents. */
export function sessionView(documents: SessionDocuments): SessionView {
  const { session, stages, executions, timeline, interactions, approvals, now } = documents;
  const { status, createdAt, endedAt, chain } = session;
  const alert = readSessionAlert(session);
  const verdict = readPart(verdictPart, session);
  const runs = !isTerminal(status) && status !== 'deferred';
  const until = endedAt ?? (runs ? now : null);
  return {
    sessionId: session.sessionId,
    tenantId: session.tenantId,
    userId: session.userId,
    kind: session.kind,
    check: readPart(checkPart, session) ?? null,
    context: readPart(requestPart, session) ?? null,
    status,
    chain: chain.name,
    budgetToRaise: budgetToRaise(executions),
    routing: readPart(routingPart, session) ?? null,
    title: session.title,
    runbook: readPart(runbookPart, session) ?? null,
    alsoFiring: documents.alsoFiring ?? readPart(correlationPart, session)?.alsoFiring ?? [],
    seenBefore: readPart(seenPart, session)?.seenBefore ?? [],
    destinations: listNotified(session).map(({ to }) => to),
    reinvestigates: readPart(reinvestigationPart, session) ?? null,
    rerunOf: readPart(rerunPart, session)?.of ?? null,
    fork: readPart(forkPart, session) ?? null,
    createdAt,
    endedAt,
    durationMs: until === null ? null : until.getTime() - createdAt.getTime(),
    deadline: session.deadline,
    traceparent: session.traceparent,
    alert,
    reports: reportsView(documents.counts),
    problem: documents.problem ?? null,
    deferral: session.deferral && { ...session.deferral, budgets: readWaitedBudgets(session) },
    steering: session.steering,
    cancellation: session.cancellation,
    failure: session.failure,
    finalAnalysis: session.finalAnalysis,
    executiveSummary: session.executiveSummary,
    partial: session.partial,
    caveats: session.caveats,
    verdict: verdict === undefined ? null : readVerdict(verdict),
    tokens: executions.reduce((sum, { tokens }) => addTokens(sum, tokens), NO_TOKENS),
    cost: executions.reduce((sum, { cost }) => addCosts(sum, cost), NO_COST),
    models: listUsedModels(interactions),
    masked: {
      alert: alert?.masked ?? 0,
      timeline: timeline.reduce((sum, { metadata }) => sum + (metadata.masked ?? 0), 0),
    },
    refused: [...refusedCalls(timeline), ...approvals.flatMap(refusedApproval)],
    approvals,
    stages: stages.toSorted(byStart).map(({ stageId, kind, status, createdAt, endedAt }) => ({
      stageId,
      kind,
      status,
      createdAt,
      endedAt,
      executions: executions
        .filter((execution) => execution.stageId === stageId)
        .toSorted(byTree)
        .map((execution) => executionView(execution, interactions, now)),
    })),
    planned: isTerminal(status) ? [] : plannedStages(session, stages),
    timeline,
    unreadable: documents.unreadable ?? [],
  };
}

function budgetToRaise(executions: readonly Execution[]): string | null {
  const ended = executions.find((one) => one.budgetReached);
  return ended?.budgetReached ? adviseLimit(ended.budgetReached, ended.limits) : null;
}

function executionView(execution: Execution, interactions: Interaction[], now: Date): ExecutionView {
  const { executionId, startedAt, endedAt, status, limits, missingServers, pendingCalls, outage } = execution;
  const until = endedAt ?? now;
  return {
    executionId,
    agentName: execution.agentName,
    parentExecutionId: execution.parentExecutionId,
    depth: execution.depth,
    status,
    iteration: execution.iteration,
    countedIteration: countedIterations(execution),
    maxIterations: limits.maxIterations,
    sessionTokens: limits.sessionTokens ?? null,
    budgetReached: execution.budgetReached ?? null,
    toolCalls: execution.toolCalls,
    models: listUsedModels(interactions.filter((one) => one.executionId === executionId)),
    tokens: execution.tokens,
    cost: execution.cost,
    failure: execution.failure,
    caveats: execution.caveats,
    missingServers: missingServers.map(({ name }) => name),
    waitsForModelSince: isForModel(outage) ? (outage?.since ?? null) : null,
    openCalls: pendingCalls
      .filter(({ state }) => ['requested', 'running', 'waiting'].includes(state))
      .map(({ callId, name, state, waitsFor, resultEvent }) => ({
        callId,
        name,
        state,
        ...(waitsFor !== undefined && { waitsFor }),
        resultEvent,
      })),
    finalAnalysis: execution.finalAnalysis,
    createdAt: execution.createdAt,
    startedAt,
    endedAt,
    durationMs: startedAt === null ? null : until.getTime() - startedAt.getTime(),
  };
}

function plannedStages({ chain, kind }: Session, begun: Stage[]): SessionView['planned'] {
  if (kind === 'chat') return [];
  const all = chain.stages.flatMap(({ name, agents, synthesis }, index) => [
    { index: index + 1, name, kind: 'investigation' as const, agents: listAgentNames(agents) },
    ...(synthesis === null
      ? []
      : [
          {
            index: index + 1,
            name: `${name}-synthesis`,
            kind: 'synthesis' as const,
            agents: listAgentNames([synthesis]),
          },
        ]),
  ]);
  return all
    .filter((plan) => !begun.some(({ index, kind }) => index === plan.index && kind === plan.kind))
    .map(({ index: _, ...plan }) => plan);
}

const listAgentNames = (agents: readonly { name: string }[]): string[] => agents.map(({ name }) => name);

function listUsedModels(interactions: Interaction[]): string[] {
  return [...new Set(interactions.flatMap(({ modelVersion }) => modelVersion ?? []))];
}

function refusedCalls(timeline: TimelineEvent[]): SessionView['refused'] {
  return timeline.flatMap((event): SessionView['refused'] => {
    const { executionId, content: text } = event;
    if (event.eventType === 'error' && event.metadata.code === 'TAINT_BLOCKED')
      return [{ kind: 'secret', executionId, text }];
    if (event.eventType === 'notice' && event.metadata.code === 'tool_changed')
      return [{ kind: 'tool_changed', executionId, text }];
    return [];
  });
}

function refusedApproval({
  status,
  executionId,
  toolName,
  decidedBy,
  reason,
}: Approval): SessionView['refused'] {
  if (status === 'pending' || status === 'approved') return [];
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  const why = reason === null ? '' : `: ${reason}`;
  return [{ kind: status, executionId, text: `${toolName}: ${status}${by}${why}` }];
}

/** Sorts each execution before those that its calls created, in the order of their numbers. */
function byTree(a: Execution, b: Execution): number {
  return a.executionId.localeCompare(b.executionId, 'en', { numeric: true });
}
