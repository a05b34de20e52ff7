// A session with its stages and runs: the answer of the API and, with the timeline, of `show --json`.

import * as z from 'zod';
import { problemSchema } from '../../alerts/problemState.ts';
import { executionSchema, pendingCallSchema } from '../../schema/execution.ts';
import { approvalSchema } from '../../schema/features/approval.ts';
import { verdictSchema } from '../../schema/features/verdict.ts';
import { unreadableSchema } from '../../schema/readable.ts';
import { sessionSchema } from '../../schema/session.ts';
import { stageSchema } from '../../schema/stage.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { reportsViewSchema } from './reports.ts';

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
    check: true,
    context: true,
    status: true,
    alert: true,
    routing: true,
    runbook: true,
    alsoFiring: true,
    title: true,
    seenBefore: true,
    reinvestigates: true,
    rerunOf: true,
    deferral: true,
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
         * `secret`: the arguments contained a secret. `tool_changed`, or the status of an approval: the call was
         * not run.
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
/** A run of an agent. */
export type ExecutionView = z.infer<typeof executionViewSchema>;
