// sessions/{sessionId}/executions/{executionId}: a run of an agent with its next iteration's state.

import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import { limitsSchema } from './agent.ts';
import {
  type CaveatCode,
  failureSchema,
  nameSchema,
  openSet,
  TERMINAL_STATUSES,
  tokenUsageSchema,
} from './common.ts';
import { costSchema } from './cost.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import type { Upcaster } from './documentType.ts';
import { partsSchema } from './parts.ts';

/**
 * The process that works on the execution. It renews `until` while it runs; after that another process can
 * take over.
 */
export const leaseSchema = z.strictObject({
  holder: z.string().min(1),
  until: z.date(),
  /** Pub/Sub's id of the message that is being handled; null when unknown. */
  messageId: z.string().min(1).nullable(),
});
/** The lease of the process that works on an execution. */
export type Lease = z.infer<typeof leaseSchema>;

/** The events that a call can wait for: the end of a child execution, or the decision of a person. */
const WAIT_KINDS = ['child', 'person'] as const;
/** The event that a call can wait for. */
export type WaitKind = (typeof WAIT_KINDS)[number];

/**
 * The recovery of a call that changes something and was running when its holder died. Absent: its effect is
 * unknown.
 */
const RECOVERIES = ['repeat', 'probe'] as const;
/**
 * `repeat`: the call runs again, because its tool recognises the idempotency key. `probe`: a read-only call
 * finds out whether it took effect; it runs again only if it did not.
 */
export type Recovery = (typeof RECOVERIES)[number];

/**
 * A tool call that the model requested in the current iteration. Its arguments are in the assistant message.
 * The sequence numbers of its result are reserved when the answer is stored, so that results can be committed
 * in any order and the timeline still reads call, result, call, result.
 */
export const pendingCallSchema = z.strictObject({
  /** Position in the answer, from 0; last part of the idempotency key. */
  index: z.int().nonnegative(),
  callId: z.string().min(1),
  /** `server.tool`. */
  name: z.string(),
  /** Whether the call can be repeated after a crash (MCP `readOnlyHint`, or by configuration). */
  readOnly: z.boolean(),
  /** `done`: it has its result, which can be the tool's error or a denial. `failed`: it could not be run. */
  state: z.enum(['requested', 'running', 'waiting', 'done', 'failed', 'unknown']),
  /** Set when it ran and its server did not answer in time. */
  timedOut: z.literal(true).optional(),
  /** Set for a call that waits instead of running: the kind of event that ends the wait. */
  waits: z.enum(WAIT_KINDS).optional(),
  /** The id of the execution that the call creates when it starts. */
  childExecutionId: z.string().min(1).optional(),
  /** The child or approval that a call in state `waiting` waits for, by its id, and the end of the wait. */
  waitsFor: z.strictObject({ kind: z.enum(WAIT_KINDS), id: z.string().min(1), until: z.date() }).optional(),
  /** The user who approved the call, and when. */
  approval: z.strictObject({ by: z.string().min(1), at: z.date() }).optional(),
  /** The arguments that configuration set when approval was requested. */
  bound: z.record(z.string(), z.string()).optional(),
  /**
   * Digest of the tool's definition when approval was requested: if the tool has changed since, the call is
   * not run.
   */
  toolDigest: z.string().min(1).optional(),
  /** The recovery of a call that changes something, after its holder died. */
  recovery: z.enum(RECOVERIES).optional(),
  /** Number of documents with parts of its result so far, if it takes more than one commit. */
  storedParts: z.int().positive().optional(),
  resultEvent: z.int().positive(),
  resultMessage: z.int().positive(),
});
/** A tool call of the current iteration. */
export type PendingCall = z.infer<typeof pendingCallSchema>;

/** An MCP server that could not be connected at the last attempt. */
const missingServerSchema = z.strictObject({
  name: z.string().min(1),
  /** Whether retries cannot help, so that it is never tried again. */
  permanent: z.boolean(),
});
/** An MCP server that could not be connected at the last attempt. */
export type MissingServer = z.infer<typeof missingServerSchema>;

/** An MCP server whose calls timed out. */
const hungServerSchema = z.strictObject({
  name: z.string().min(1),
  /** Number of iterations in a row that called it without an answer. */
  iterations: z.int().positive(),
  /** The last of these iterations. */
  iteration: z.int().positive(),
});
/** An MCP server whose calls timed out. */
export type HungServer = z.infer<typeof hungServerSchema>;

/** An outage of the model: a period without a successful call. */
const outageSchema = z.strictObject({
  /** The code of the last failure. */
  code: openSet<ErrorCode>(),
  /** When the first of the failed calls started. */
  since: z.date(),
  /** Number of pauses so far; each after a call is about twice as long as the one before. */
  pauses: z.int().positive(),
  /** Number of calls that were sent. */
  calls: z.int().nonnegative(),
  /** Whether the message was acknowledged for a long pause: the sweep publishes it at `notBefore`. */
  parked: z.boolean(),
});
/** An outage of the model. */
export type Outage = z.infer<typeof outageSchema>;

/** The sources that an execution read, 100 per list. Results are too many to be listed. */
const readsSchema = z.strictObject({
  /** Whether a result was text that a workload or an outsider can write. */
  text: z.boolean(),
  servers: z.array(z.string()),
  entries: z.array(z.string()),
});
/** The reads of an execution without calls. */
export const NO_READS: z.infer<typeof readsSchema> = { text: false, servers: [], entries: [] };

const time = z.date().optional();
/** A time in one of four fields: each has an index of its own, so that none takes all writes. */
const dueSchema = z.strictObject({ b0: time, b1: time, b2: time, b3: time });
/** The fields of `due`. */
export const DUE_BUCKETS = dueSchema.keyof().options;

/** A token budget, by its name in system.yaml. */
export type BudgetName = 'sessionTokens' | 'dailyTokens';

/** An execution as it is stored. */
export const executionSchema = z.strictObject({
  sessionId: z.string().min(1),
  stageId: z.string().min(1),
  executionId: z.string().min(1),
  /** The rest of the agent is in agentSnapshots/{executionId}. */
  agentName: nameSchema,
  limits: limitsSchema,
  /** `waiting`: calls wait for children or people; it has neither lease nor message. */
  status: z.enum(['pending', 'active', 'waiting', ...TERMINAL_STATUSES]),
  /** The execution whose call created this one; null for an agent of a stage. */
  parentExecutionId: z.string().min(1).nullable(),
  /** Names of the ancestor agents, the topmost first. */
  ancestors: z.array(nameSchema),
  /** Number of ancestor executions. */
  depth: z.int().nonnegative(),
  /** Number of child numbers that were assigned; the number of a call that was refused later stays unused. */
  children: z.int().nonnegative(),
  /**
   * The current or next iteration, from 1. Iterations that called no model, or ended in a change of models,
   * do not count: see `countedIterations`.
   */
  iteration: z.int().positive(),
  /** Whether its first iteration makes the calls that its agent's `collect` names, without a model call. */
  collects: z.boolean(),
  /** The current model: 0 is the agent's own, n its nth fallback. Grows by at most one per iteration. */
  modelIndex: z.int().nonnegative(),
  /**
   * Highest iteration whose message is known to have been delivered. If it is below `iteration`, the next
   * message has possibly never been published.
   */
  publishedIteration: z.int().nonnegative(),
  /** Number of claims of the current iteration. */
  claims: z.int().nonnegative(),
  /** Of these, claims whose holder wrote afterwards. The others have possibly done nothing. */
  startedClaims: z.int().nonnegative(),
  lease: leaseSchema.nullable(),
  /** The iteration starts no earlier, because the last failure requires a pause. */
  notBefore: z.date().nullable(),
  /** Its model's outage, or its wait for newer code (`SCHEMA_TOO_NEW`); null while the model answers. */
  outage: outageSchema.nullable(),
  /** The wait that the next claim ends; null while it does not wait. */
  waitingSince: z.strictObject({ kind: z.string().min(1), at: z.date() }).nullable(),
  /** Its waits that have ended, at most the first 20. */
  waits: z.array(z.strictObject({ kind: z.string().min(1), from: z.date(), to: z.date() })),
  /**
   * The time until which waiting for models has extended `deadline`, its own or that of an execution that it
   * waits for; null for never.
   */
  waitedUntil: z.date().nullable(),
  /**
   * When the execution is overdue unless it is written before; empty once it has ended. See `computeDue`.
   */
  due: dueSchema,
  /** Calls of this iteration's answer; empty until an answer is stored. */
  pendingCalls: z.array(pendingCallSchema),
  /** The last event and message numbers that are used or reserved. */
  lastEvent: z.int().nonnegative(),
  lastMessage: z.int().nonnegative(),
  /**
   * Number of the last message whose signatures, and those before it, are not sent again: the provider
   * refused them, or a model that cannot read them has taken over. 0 for none.
   */
  signaturesRefusedUpTo: z.int().nonnegative(),
  lastInteractionFailed: z.boolean(),
  lastErrorMessage: z.string().nullable(),
  /** Number of iterations in a row in which the model's answer timed out. */
  consecutiveTimeouts: z.int().nonnegative(),
  /** Number of iterations in a row with an empty answer of the model. */
  emptyAnswers: z.int().nonnegative(),
  /** Number of calls that the model has requested. Executions of versions 1 and 2 count from 0. */
  toolCalls: z.int().nonnegative(),
  /** Servers unreachable at the last attempt; timeline and model were informed. */
  missingServers: z.array(missingServerSchema),
  /** MCP servers that accepted calls and did not answer in time; see `restingServers`. */
  hungServers: z.array(hungServerSchema),
  /** Number of the last guidance that is part of the conversation. */
  guidanceTaken: z.int().nonnegative(),
  /** The sources of its knowledge: see `readsSchema`. */
  reads: readsSchema,
  tokens: tokenUsageSchema,
  cost: costSchema,
  /** Tokens that the session had used before this stage. */
  tokensBefore: z.int().nonnegative(),
  /** Number of other executions in its stage. */
  siblings: z.int().nonnegative(),
  /** The budget that is used up, so that the next iteration is the conclusion; null while none is used up. */
  budgetReached: openSet<BudgetName>().nullable(),
  /** The deadline of its stage, at most that of the session. After this time it is ended as `timed_out`. */
  deadline: z.date(),
  expireAt: z.date(),
  failure: failureSchema.nullable(),
  /** Its result: the analysis, or the executive summary. */
  finalAnalysis: z.string().nullable(),
  /** Why `finalAnalysis` is limited; empty if it is not. */
  caveats: z.array(openSet<CaveatCode>()),
  traceparent: z.string().nullable(),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  /** The data of features. */
  parts: partsSchema,
});
/** One run of an agent. */
export type Execution = z.infer<typeof executionSchema>;

/** Whether the current iteration makes the calls of `collect` instead of asking the model. */
export function isCollecting({ collects, iteration }: Pick<Execution, 'collects' | 'iteration'>): boolean {
  return collects && iteration === 1;
}

/**
 * The number of the current iteration as `maxIterations` counts it: from 1, without the iteration that only
 * collected and those that ended in a change of models. 0 while it collects.
 */
export function countedIterations({
  iteration,
  modelIndex,
  collects,
}: Pick<Execution, 'iteration' | 'modelIndex' | 'collects'>): number {
  return iteration - modelIndex - (collects ? 1 : 0);
}

/**
 * Version 5 recorded neither sources (it counts as having read text) nor waits, counted all claims as
 * started, and had the data of features in fields of its own. Its limits had neither `stallTimeoutMs` nor
 * `modelOutageMs`: their defaults apply. Its time in `dueAt` is in a bucket after the next write.
 */
const upcastExecution: Upcaster = ({
  changedTools,
  introducedServers,
  resourcesRead,
  changedServers,
  dueAt,
  ...execution
}) => {
  const pins = { changedTools, introducedServers, changedServers };
  const hasPins = Object.values(pins).some((names) => Array.isArray(names) && names.length > 0);
  return {
    ...execution,
    reads: { ...NO_READS, text: true },
    waitingSince: null,
    waits: [],
    startedClaims: execution.claims,
    due: dueAt === null ? {} : { b0: dueAt },
    parts: {
      ...(hasPins && { pins }),
      ...(resourcesRead === true && { knowledge: { resourcesRead } }),
    },
  };
};

export const executionType = defineCollection({
  collection: 'executions',
  name: 'execution',
  version: 11,
  schema: executionSchema,
  oldest: 5,
  upcast: upcastExecution,
  paths: {
    executions: (sessionId: string) => `sessions/${sessionId}/executions`,
    execution: (sessionId: string, executionId: string) => `sessions/${sessionId}/executions/${executionId}`,
  },
  ...BELOW_SESSION,
  indexes: { group: [...DUE_BUCKETS.map((bucket) => `due.${bucket}`), 'dueAt', 'endedAt', 'schemaVersion'] },
});
