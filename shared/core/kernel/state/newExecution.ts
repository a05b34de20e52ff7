// The initial state of an execution.

import { NO_TOKENS } from '../../schema/common.ts';
import { NO_COST } from '../../schema/cost.ts';
import { type Execution, NO_READS } from '../../schema/execution.ts';
import { NO_PARTS } from '../../schema/parts.ts';

type Given = Pick<
  Execution,
  | 'sessionId'
  | 'stageId'
  | 'executionId'
  | 'agentName'
  | 'limits'
  | 'parentExecutionId'
  | 'ancestors'
  | 'collects'
  | 'depth'
  | 'guidanceTaken'
  | 'tokensBefore'
  | 'siblings'
  | 'budgetReached'
  | 'deadline'
  | 'expireAt'
  | 'traceparent'
>;

/** The execution without its first messages; the caller sets its counters and its `due`. */
export function newExecution(given: Given, now: Date): Execution {
  return {
    ...given,
    status: 'pending',
    children: 0,
    iteration: 1,
    modelIndex: 0,
    publishedIteration: 0,
    claims: 0,
    startedClaims: 0,
    lease: null,
    notBefore: null,
    outage: null,
    waitingSince: null,
    waits: [],
    waitedUntil: null,
    due: {},
    pendingCalls: [],
    lastEvent: 0,
    lastMessage: 0,
    signaturesRefusedUpTo: 0,
    lastInteractionFailed: false,
    lastErrorMessage: null,
    consecutiveTimeouts: 0,
    emptyAnswers: 0,
    toolCalls: 0,
    missingServers: [],
    hungServers: [],
    reads: NO_READS,
    tokens: NO_TOKENS,
    cost: NO_COST,
    failure: null,
    finalAnalysis: null,
    caveats: [],
    createdAt: now,
    startedAt: null,
    endedAt: null,
    ...NO_PARTS,
  };
}
