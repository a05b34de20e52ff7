// The record of a run: every commit in the order it was applied, every model call and every tool run.

import type { FunctionName } from '../../functions/manifest.ts';
import type { Submission, Submitted } from '../../shared/contract/backgroundModel.ts';
import type { LlmResponse } from '../../shared/core/contract/llm.ts';
import type { Write } from '../../shared/core/contract/store.ts';
import type { InquestError } from '../../shared/core/errors.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import type { Execution, Recovery } from '../../shared/core/schema/execution.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { SimulatedProcess } from '../../shared/engine/testing/simulatedProcess.ts';
import type { Check } from '../../shared/features/checks/check.ts';
import type { PinnedTools } from '../../shared/kits/agents/pinnedTools.ts';
import type { Outcome } from '../../shared/kits/alerts/outcome.ts';
import type { ApprovalDecision, ApprovalOutcome } from '../../shared/kits/approvals/decideApproval.ts';
import type { AskOutcome } from '../../shared/kits/questions/askQuestion.ts';
import type { GuidanceOutcome } from '../../shared/kits/steering/addGuidance.ts';
import type { Change } from '../support/outboxStore.ts';

/** A process of a function. */
export interface Process extends SimulatedProcess {
  /** Whether it runs newer code than its predecessors. */
  isNewer: boolean;
}

/** One call of a function, one cancellation or one decision of a person. */
export interface Invocation {
  id: number;
  target:
    | FunctionName
    | 'cancel'
    | 'migrate'
    | 'deploy'
    | 'decide'
    | 'start-deferred'
    | 'tell'
    | 'pause'
    | 'resume'
    | 'pause-all'
    | 'resume-all'
    | 'ask'
    | 'watch'
    | 'work'
    | 'request'
    | 'schedule'
    | 'mention'
    | 'fork'
    | 'webhook'
    | 'split'
    | 'merge';
  process: Process;
  /** Epoch milliseconds. */
  startedAt: number;
  /** The session, execution and iteration of an iteration message. */
  sessionId?: string;
  executionId?: string;
  iteration?: number;
  /** The leases it holds according to the store: `executionKey` to expiry in epoch milliseconds. */
  leases: Map<string, number>;
  /** Set when its code has refused a document of newer code. */
  hasRefusedNewer?: true;
  /** Set when its model failed, and another one takes over. */
  changesModels?: true;
  /** Executions that a process with another clock took over from it, by `executionKey`. */
  overtaken: Set<string>;
  /**
   * Executions that it took to publish their message again, and that it has not marked as published yet, by
   * `executionKey`.
   */
  unmarked: Set<string>;
}

/** The key of an execution among those of a run: a fork has the execution ids of its source. */
export const executionKey = ({
  sessionId,
  executionId,
}: {
  sessionId?: string | undefined;
  executionId?: string | undefined;
}): string => `${sessionId}/${executionId}`;

/** A commit that was written. */
export interface AppliedCommit {
  at: number;
  by: Invocation;
  writes: Write[];
}

/** A write of what a model says, or its deletion. */
interface LiveWrite {
  path: string;
  op: Write['op'];
  by: Invocation;
}

/** A model call or a tool run. */
export interface Activity {
  kind: 'model' | 'tool';
  by: Invocation;
  sessionId: string;
  executionId: string;
  iteration: number;
  /** For a model call: the model that is asked, and the tokens that it may use. */
  model?: string;
  tokens?: number;
  /** For a tool run: the call's position, whether it can be repeated, its idempotency key. */
  index?: number;
  readOnly?: boolean;
  key?: string;
  /** How a run that changes something is recovered after a death. */
  recovery?: Recovery;
  startedAt: number;
  endedAt: number | undefined;
}

/** What the model concludes. */
type Result = { response: LlmResponse } | { error: InquestError };

/** A question that the model has accepted. */
export interface SimulatedThought {
  id: string;
  submission: Submission;
  /** The request, to compare it with that of each read. */
  messages: string;
  acceptedAt: number;
  /** When the answer is there; infinite if never. */
  endsAt: number;
  /** Whether its end has an event. */
  hasEvent: boolean;
  result: Result;
  /** The reads that returned the result. */
  answered: { by: Invocation; at: number }[];
  /** When a webhook was taken, and the question known; null if never. */
  noticedAt: number | null;
  /** When it was deleted; null if never. */
  removedAt: number | null;
  /** When the model lost it; infinite if never. */
  lostAt: number;
}

/** A request to ask in the background. */
export interface SimulatedSubmission extends Submission {
  by: Invocation;
  at: number;
  /** The most tokens that it can use. */
  tokens: number;
  outcome: Submitted['kind'] | 'pending';
  /** Undefined if the model never accepted it. */
  thought?: SimulatedThought;
}

/** Everything that happened in a run. */
export interface RunRecord {
  commits: AppliedCommit[];
  /** Outside of the protocol: what models say while they speak. */
  live: LiveWrite[];
  activities: Activity[];
  /** The requests to ask in the background, and the questions that the model has accepted. */
  submissions: SimulatedSubmission[];
  thoughts: SimulatedThought[];
  /** The last written state of each execution, and the invocation that wrote it, by `executionKey`. */
  executions: Map<string, { value: Execution; by: Invocation; at: number }>;
  /** The last written state of each session. */
  sessions: Map<string, Session>;
  /** The session of each alert, by its key. */
  alertKeys: Map<string, string>;
  /** The status of each stage, by path. */
  stages: Map<string, Stage['status']>;
  /** The last written state of each approval, by id. */
  approvals: Map<string, Approval>;
  /** What each session pinned of its server's tools. */
  pins: Map<string, PinnedTools>;
  /** The last written state of each check, by id. */
  checks: Map<string, Check>;
  /** The last written outcome of each session. */
  outcomes: Map<string, Outcome>;
  /** What people decided, and how they were answered. */
  decisions: { approvalId: string; decision: ApprovalDecision; outcome: ApprovalOutcome }[];
  /** What people told sessions, and how they were answered. Each text has a mark of its own. */
  told: { sessionId: string; mark: string; outcome: GuidanceOutcome['kind'] | null }[];
  /** What people asked about sessions, and how they were answered. Each text has a mark of its own. */
  asked: { sessionId: string; mark: string; outcome: AskOutcome['kind'] | null }[];
  /** Since when each session is, or was last, paused, and until when; infinite while it is. */
  pauses: Map<string, { from: number; to: number }>;
  /** Until when the installation is, or was last, paused; infinite while it is, 0 before. */
  systemPausedUntil: number;
  /** Idempotency keys of the calls that took effect. */
  effects: Set<string>;
  /** Documents that newer code has written, by path. */
  newerPaths: Set<string>;
  /** Number of iteration messages that code refused because a document was newer. */
  refusals: number;
  /** The versions of documents that were stored, by path. */
  versions: Map<string, number>;
  /** Whether older code handled a report of newer documents: then it opens a session. */
  unreadableProblems: boolean;
  /** Sessions whose documents are being deleted, and since when, in epoch milliseconds. */
  expired: Map<string, number>;
  /** When each iteration (`{executionKey}.{iteration}`) was first claimed. */
  claims: Map<string, number>;
  /** When each execution was last written with a lease, by `executionKey`. */
  heldAt: Map<string, number>;
  /**
   * When a message of each execution was last published (by `executionKey`), how many the sweep and webhooks
   * published, and of how many the mark that they were published again was lost, so that the next delivery
   * repeats them.
   */
  published: { lastAt: Map<string, number>; bySweep: number; unmarked: number };
  /** Used tokens by `{sessionId}/{stageId}`; whether a count failed, and a process died. */
  tokens: { used: Map<string, number>; isLost: boolean; hasDeaths: boolean };
  /** Broken rules: those detected during the run, and those found by the checks afterwards. */
  violations: string[];
  /** One readable line for everything that happened. */
  trace: string[];
}

/** What functions announce in a run. */
export interface Announcements {
  /** The change of each batch that is committed by `announce`. */
  changes: WeakMap<Write[], Change>;
  /** The paths of the messages that the batches so far have caused. */
  stored: Set<string>;
}
