// sessions/{sessionId}/executions/{executionId}: one run of an agent, with all state that its next iteration needs.

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
import { costSchema, unpricedCost } from './cost.ts';
import type { Upcaster } from './documentType.ts';

/** The process that works on the execution. It renews `until` while it lives; after that another process may take over. */
export const leaseSchema = z.strictObject({
  holder: z.string().min(1),
  until: z.date(),
  /** Pub/Sub's id of the message that is being handled; null when unknown. */
  messageId: z.string().min(1).nullable(),
});
/** The lease of the process that works on an execution. */
export type Lease = z.infer<typeof leaseSchema>;

/** What a call may wait for: the end of a child execution, or the decision of a person. */
const WAIT_KINDS = ['child', 'person'] as const;
/** What a call may wait for. */
export type WaitKind = (typeof WAIT_KINDS)[number];

/** What becomes of a call that changes something and was running when its holder died. Without any its effect is unknown. */
const RECOVERIES = ['repeat', 'probe'] as const;
/**
 * `repeat`: it runs again, because its tool recognises the idempotency key. `probe`: a read-only call says whether it took
 * effect; only if it did not it runs again.
 */
export type Recovery = (typeof RECOVERIES)[number];

/**
 * A tool call that the model requested in the current iteration. Its arguments are in the assistant message. The sequence
 * numbers of its result are reserved when the answer is stored, so that results may be committed in any order and the
 * timeline still reads call, result, call, result.
 */
export const pendingCallSchema = z.strictObject({
  /** Position in the answer, from 0; last part of the idempotency key. */
  index: z.int().nonnegative(),
  callId: z.string().min(1),
  /** `server.tool`. */
  name: z.string(),
  /** Whether the call may be repeated after a crash (MCP `readOnlyHint`, or configured so). */
  readOnly: z.boolean(),
  /** `done`: it has its result, also when that is the tool's error or a denial. `failed`: it could not be run. */
  state: z.enum(['requested', 'running', 'waiting', 'done', 'failed', 'unknown']),
  /** Set when it ran and its server did not answer it in time. */
  timedOut: z.literal(true).optional(),
  /** Set for a call that waits instead of running: for what kind of event. */
  waits: z.enum(WAIT_KINDS).optional(),
  /** The id of the execution that the call creates when its turn comes. */
  childExecutionId: z.string().min(1).optional(),
  /** What a call in state `waiting` waits for, and until when. `id` is that of the child, or of the approval. */
  waitsFor: z.strictObject({ kind: z.enum(WAIT_KINDS), id: z.string().min(1), until: z.date() }).optional(),
  /** The user who approved the call, and when. */
  approval: z.strictObject({ by: z.string().min(1), at: z.date() }).optional(),
  /** What configuration set of the arguments when approval was asked for. */
  bound: z.record(z.string(), z.string()).optional(),
  /** Digest of the tool's definition when approval was asked for: a tool that changed meanwhile is not run. */
  toolDigest: z.string().min(1).optional(),
  /** What becomes of the call after a death of its holder, if it changes something. */
  recovery: z.enum(RECOVERIES).optional(),
  /** Number of documents that hold parts of its result so far, where it takes more than one commit. */
  storedParts: z.int().positive().optional(),
  resultEvent: z.int().positive(),
  resultMessage: z.int().positive(),
});
/** A tool call of the current iteration. */
export type PendingCall = z.infer<typeof pendingCallSchema>;

/** An MCP server that could not be reached when it was last tried. */
const missingServerSchema = z.strictObject({
  name: z.string().min(1),
  /** Whether trying again cannot help, so that it is never tried again. */
  permanent: z.boolean(),
});
/** An MCP server that could not be reached when it was last tried. */
export type MissingServer = z.infer<typeof missingServerSchema>;

/** An MCP server whose calls ran out of time. */
const hungServerSchema = z.strictObject({
  name: z.string().min(1),
  /** Number of iterations in a row that called it and had no answer. */
  iterations: z.int().positive(),
  /** The last of them. */
  iteration: z.int().positive(),
});
/** An MCP server whose calls ran out of time. */
export type HungServer = z.infer<typeof hungServerSchema>;

/** An outage of the model: since when no call of it has been answered. */
const outageSchema = z.strictObject({
  /** The code of the last failure. */
  code: openSet<ErrorCode>(),
  /** When the first of the calls began. */
  since: z.date(),
  /** Number of pauses so far; each is about twice as long as the one before. */
  pauses: z.int().positive(),
  /** Number of calls that were sent. */
  calls: z.int().nonnegative(),
  /** Whether the message was acked because the pause is long, so that the sweep publishes it when `notBefore` has come. */
  parked: z.boolean(),
});
/** An outage of the model. */
export type Outage = z.infer<typeof outageSchema>;

/** A budget of tokens, as system.yaml names it. */
export type BudgetName = 'sessionTokens' | 'dailyTokens';

/** An execution as it is stored. */
export const executionSchema = z.strictObject({
  sessionId: z.string().min(1),
  stageId: z.string().min(1),
  executionId: z.string().min(1),
  /** The rest of the agent is in agentSnapshots/{executionId}. */
  agentName: nameSchema,
  limits: limitsSchema,
  /** `waiting`: calls wait for children or people; there is neither lease nor message. */
  status: z.enum(['pending', 'active', 'waiting', ...TERMINAL_STATUSES]),
  /** The execution whose call created this one; null for an agent of a stage. */
  parentExecutionId: z.string().min(1).nullable(),
  /** Names of the agents above this one, the topmost first. */
  ancestors: z.array(nameSchema),
  /** Number of executions above this one. */
  depth: z.int().nonnegative(),
  /** Numbers that were given to children; that of a call that was refused in the end stays unused. */
  children: z.int().nonnegative(),
  /** The iteration that runs now or next, from 1. One that asked no model, or ended in a change of models, does not count: see `countedIterations`. */
  iteration: z.int().positive(),
  /** Whether its first iteration makes the calls that its agent's `collect` names, and asks no model. */
  collects: z.boolean(),
  /** The model that is asked: 0 is the agent's own, n the nth of its fallback. It only grows, by one with an iteration. */
  modelIndex: z.int().nonnegative(),
  /** Highest iteration whose message is known to have been delivered. Below `iteration`: the successor may never have been published. */
  publishedIteration: z.int().nonnegative(),
  /** Number of claims of the current iteration. */
  claims: z.int().nonnegative(),
  lease: leaseSchema.nullable(),
  /** The iteration starts no earlier, because the last failure asked for a pause. */
  notBefore: z.date().nullable(),
  /** The outage of its model that lasts, or its wait for newer code (`SCHEMA_TOO_NEW`); null while the model answers. */
  outage: outageSchema.nullable(),
  /** Up to when waiting for models has extended `deadline`, its own or that of an execution that it waits for; null for never. */
  waitedUntil: z.date().nullable(),
  /** When the execution is overdue unless it is written before. Null once it has ended. See `dueAtOf`. */
  dueAt: z.date().nullable(),
  /** Calls of this iteration's answer; empty until an answer is stored. */
  pendingCalls: z.array(pendingCallSchema),
  /** The last event and message numbers that are used or reserved. */
  lastEvent: z.int().nonnegative(),
  lastMessage: z.int().nonnegative(),
  /**
   * Number of the last message whose signatures are not sent again, nor those before it: the provider refused them, or a
   * model that cannot read them has taken over. 0 for none.
   */
  signaturesRefusedUpTo: z.int().nonnegative(),
  lastInteractionFailed: z.boolean(),
  lastErrorMessage: z.string().nullable(),
  /** Number of iterations in a row in which the model's answer did not end in time. */
  consecutiveTimeouts: z.int().nonnegative(),
  /** Number of iterations in a row in which the model answered nothing. */
  emptyAnswers: z.int().nonnegative(),
  /** Number of calls that the model has requested. Executions of versions 1 and 2 count from 0. */
  toolCalls: z.int().nonnegative(),
  /** MCP servers that could not be reached when they were last tried: timeline and model were told of their outage. */
  missingServers: z.array(missingServerSchema),
  /** MCP servers that took calls and did not answer them in time; see `restingServers`. */
  hungServers: z.array(hungServerSchema),
  /** `server.tool` of tools that changed since the session first saw them, or are new: told in the timeline. At most 50. */
  changedTools: z.array(z.string()),
  /** MCP servers whose instructions are part of the conversation. */
  introducedServers: z.array(z.string()),
  /** Whether the entries of the knowledge base that its agent names are in the conversation. */
  resourcesRead: z.boolean(),
  /** MCP servers whose instructions are not what the session saw first: told in the timeline. */
  changedServers: z.array(z.string()),
  /** Number of the last guidance that is part of the conversation. */
  guidanceTaken: z.int().nonnegative(),
  tokens: tokenUsageSchema,
  cost: costSchema,
  /** Tokens that the session had used before this stage. */
  tokensBefore: z.int().nonnegative(),
  /** Number of other executions in its stage. */
  siblings: z.int().nonnegative(),
  /** The budget that is used up, so that the next iteration is the conclusion; null while none is. */
  budgetReached: openSet<BudgetName>().nullable(),
  /** That of its stage, at most that of the session. After this time it is ended as `timed_out`. */
  deadline: z.date(),
  expireAt: z.date(),
  failure: failureSchema.nullable(),
  /** Its result: the analysis; of the execution that writes the executive summary, the summary. */
  finalAnalysis: z.string().nullable(),
  /** Why `finalAnalysis` is less than it should be; empty when nothing is wrong with it. */
  caveats: z.array(openSet<CaveatCode>()),
  traceparent: z.string().nullable(),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
});
/** One run of an agent. */
export type Execution = z.infer<typeof executionSchema>;

/** Whether the current iteration makes the calls of `collect` instead of asking the model. */
export function isCollecting({ collects, iteration }: Pick<Execution, 'collects' | 'iteration'>): boolean {
  return collects && iteration === 1;
}

/**
 * The current iteration as `maxIterations` counts: from 1, without the one that only collected and those that ended in a
 * change of models. 0 while it collects.
 */
export function countedIterations({
  iteration,
  modelIndex,
  collects,
}: Pick<Execution, 'iteration' | 'modelIndex' | 'collects'>): number {
  return iteration - modelIndex - (collects ? 1 : 0);
}

/**
 * When an execution of an older version is late. Of one that waits for its message the last write is not known, so it is
 * late at once: the sweep looks at it until it is written again, and decides by its update time.
 */
function dueSinceCreation(execution: Record<string, unknown>, lease: unknown): unknown {
  if (execution.endedAt !== null) return null;
  return (lease as Lease | null)?.until ?? execution.notBefore ?? execution.createdAt;
}

/** Upcasters of older executions, by version. */
export const executionUpcasters: Record<number, Upcaster> = {
  // Version 1 had a cancellation flag that was never set.
  1: ({ cancelRequested: _, ...kept }) => kept,
  // The agent moved to a document of its own. Agents of older executions are found in their session's chain.
  2: ({ agent, lease, ...kept }) => {
    const { name, limits } = agent as { name: string; limits: unknown };
    return {
      ...kept,
      agentName: name,
      limits,
      lease: lease === null ? null : { ...(lease as object), messageId: null },
      parentExecutionId: null,
      ancestors: [],
      depth: 0,
      children: 0,
      claims: 0,
      collects: false,
      modelIndex: 0,
      dueAt: dueSinceCreation(kept, lease),
      emptyAnswers: 0,
      toolCalls: 0,
      missingServers: [],
      changedTools: [],
      introducedServers: [],
      resourcesRead: false,
      changedServers: [],
      guidanceTaken: 0,
      signaturesRefusedUpTo: 0,
      caveats: [],
      cost: unpricedCost(kept.tokens),
      tokensBefore: 0,
      siblings: 0,
      budgetReached: null,
    };
  },
  // Version 3 did not count servers that hang.
  3: (execution) => ({ ...execution, hungServers: [] }),
  // In version 4 a failed call of the model always cost an iteration.
  4: (execution) => ({ ...execution, outage: null, waitedUntil: null }),
};
