// Schemas that several routes use.

import * as z from 'zod';
import { executionSchema, pendingCallSchema } from '../../schema/execution.ts';
import { approvalSchema } from '../../schema/features/approval.ts';
import { verdictSchema } from '../../schema/features/verdict.ts';
import { ALERT_STATUSES, SESSION_STATUSES, sessionSchema } from '../../schema/session.ts';
import { stageSchema } from '../../schema/stage.ts';
import { Problem } from './problem.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/** The id of a document of a session: an event, an execution or a message. */
export const EVENT_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,400}$/;

/** The id of a session in an address. */
export const sessionParams = z.strictObject({
  sessionId: z.string().regex(ID, 'must be the id of a session: letters, digits, "_" and "-", at most 200'),
});

/** The end of the previous page: a session id, or a time. */
export const cursorSchema = sessionParams.shape.sessionId.or(z.iso.datetime({ offset: true }));

/** Text that people write. The runtime checks its length. */
export const textSchema = z.string().refine((text) => text.trim() !== '', 'must not be empty');

/** Words of a search. */
export const wordsSchema = z
  .string()
  .max(200)
  .regex(/[\p{L}\p{N}]/u, 'must hold a letter or a digit');

/** One line for readers of a timeline. */
export const reasonSchema = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .refine((text) => !/[\n\r]/.test(text), 'must be one line')
  .optional();

const reports = z
  .strictObject({ firing: z.int(), resolved: z.int(), acknowledged: z.int(), joined: z.int() })
  .describe('How often the alert was reported, with the report that opened the session');

const problem = z
  .strictObject({
    status: z
      .enum(ALERT_STATUSES)
      .describe('`unknown`: the source names no state, or no later report can be recognised'),
    at: z.date().nullable().describe('Since when it fires, or when it was resolved'),
    repeats: z.int().describe('Reports that it fires, after the first one of the session'),
  })
  .describe('The state of the problem at the source of the alert, as of now');

/** A session in a list. Missing values are null. */
const sessionRowSchema = z.strictObject({
  sessionId: z.string(),
  title: z.string().nullable(),
  severity: z.string().nullable(),
  source: z.string().nullable(),
  place: z
    .strictObject({
      workload: z.string().nullable(),
      namespace: z.string().nullable(),
      cluster: z.string().nullable(),
      project: z.string().nullable(),
    })
    .nullable()
    .describe('Where the problem is, from the labels of the alert'),
  reports: reports.nullable(),
  problem: problem.nullable(),
  status: z.enum(SESSION_STATUSES).or(z.string()).nullable(),
  chain: z.string().nullable(),
  createdAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  durationMs: z.number().nullable().describe('From opening to end, or to now'),
  cost: z.strictObject({ usd: z.number().nullable(), unpricedCalls: z.number().nullable() }),
  executiveSummary: z.string().nullable().describe('The findings in a few lines'),
  failure: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it ended without an analysis'),
  rerunOf: z.string().nullable(),
  kind: z.string().nullable().describe('`investigation`, `chat` or `check`'),
  caveats: z.array(z.string()).describe('Why its analysis is limited: codes'),
  verdict: z.string().nullable().describe('The verdict on its claims; null if they were not checked'),
});

/** A session in a list, with what runs now. */
export const listedSessionSchema = sessionRowSchema.extend({
  agents: z
    .array(
      z.strictObject({
        agentName: z.string(),
        status: z.string().describe('`pending`, `active`, or `waiting` for other agents or people'),
        iteration: z.int(),
        outageCode: z.string().nullable().describe('Why its model does not answer'),
      }),
    )
    .describe('Agents that run, at most 10'),
  analysisStart: z
    .string()
    .nullable()
    .describe('The first paragraph of the analysis, if there is no executive summary'),
});

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
    models: z.array(z.string()),
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

/** Documents that are left out of an answer because they cannot be read: invalid, or of newer code. */
export const unreadableSchema = z.array(
  z.strictObject({ path: z.string(), code: z.string(), message: z.string() }),
);

/** A session with its stages and runs; the timeline has a route of its own. */
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
    chain: z.string(),
    budgetToRaise: z
      .string()
      .nullable()
      .describe('The number whose budget ended it early, with its file and value'),
    destinations: z.array(z.string()).describe('The destinations that get messages about it'),
    durationMs: z.number().nullable(),
    models: z.array(z.string()),
    masked: z.strictObject({ alert: z.int(), timeline: z.int() }),
    refused: z.array(
      z.strictObject({
        kind: z.enum(['secret', 'tool_changed', 'denied', 'expired', 'ended']),
        executionId: z.string(),
        text: z.string(),
      }),
    ),
    unreadable: unreadableSchema,
    approvals: z.array(approvalSchema),
    stages: z.array(
      stageSchema
        .pick({ stageId: true, kind: true, status: true, createdAt: true, endedAt: true })
        .extend({ executions: z.array(executionViewSchema) }),
    ),
    planned: z
      .array(stageSchema.pick({ name: true, kind: true }).extend({ agents: z.array(z.string()) }))
      .describe('Stages that have not started, in order; none when the session has ended'),
    reports: reports.extend({ lastAt: z.date() }).nullable(),
    problem: problem.nullable(),
    documentUrl: z
      .string()
      .nullable()
      .describe('The session in the Firestore console; null where an emulator stores it'),
    now: z.date().describe("The server's clock"),
  });

/** The problem for a session that does not exist or is not visible to the caller. */
export function unknownSession(sessionId: string): Problem {
  return new Problem(
    'SESSION_UNKNOWN',
    `there is no session ${sessionId}; GET /v1/sessions lists the sessions`,
  );
}
