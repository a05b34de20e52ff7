// The crash points: a process changes nothing outside itself between two of them, so a crash at any time is equivalent to a
// crash at one of them. Tests and simulation end the process there; in production they have no effect.
// docs/reliability.md describes the state that the next delivery finds after each, and why it is safe.

/** All crash points, in the order in which the processing of an alert passes them. */
export const CRASH_POINTS = {
  /** The alert is read and nothing is stored: its redelivery must open the session, once. */
  ingestBeforeCommit: 'ingest-before-commit',
  /** The session is stored and no iteration is published: the redelivery must publish, and open no second session. */
  ingestAfterCommit: 'ingest-after-commit',
  /** The first iterations are published and the alert is not acked: its redelivery races with them. */
  ingestAfterPublish: 'ingest-after-publish',

  /** State is read and no lease is held: the state can change before the decision is carried out. */
  afterLoad: 'after-load',
  /** The lease belongs to a dead process: the next delivery must wait until it expires, and no longer. */
  afterClaim: 'after-claim',
  /** The model was asked and its answer is lost: nothing of it is stored, so the model must be asked again. */
  duringModelCall: 'during-model-call',
  /** The answer exists in this process only: the model must be asked again, and no part of the answer must be stored. */
  beforeCommitA: 'before-commit-a',
  /** The answer is stored: the model must not be asked again, and the calls must run. */
  afterCommitA: 'after-commit-a',

  /** A call is recorded as running but has not started, which cannot be distinguished from one that has. */
  beforeTool: 'before-tool',
  /** A call runs, and its effect is unknown: only a read-only call can be repeated. */
  duringTool: 'during-tool',
  /** A call's result exists in this process only. */
  afterTool: 'after-tool',
  /** Some parts of a large result are stored, and the conversation does not contain it: nothing must refer to them. */
  duringResultParts: 'during-result-parts',
  /** The same for the iteration's last result, whose commit also ends the iteration. */
  beforeCommitB: 'before-commit-b',
  /** The iteration is stored and its successor is not published: a copy of this message must publish it. */
  afterCommitB: 'after-commit-b',
  /** An execution waits for stored children whose first messages are not published: no other message continues it. */
  afterParking: 'after-parking',
  /** The successor is published and can already run elsewhere when this message is delivered again. */
  afterPublish: 'after-publish',

  /** An execution is about to end without an answer (cancelled, timed out) and is still open. */
  beforeEnding: 'before-ending',
  /** An execution has ended and its stage was not advanced, possibly with no other execution left to do so. */
  afterEnding: 'after-ending',
  /** All executions of a stage have ended and the stage has not: of the processes that see this, only one must advance it. */
  stageBeforeCommit: 'stage-before-commit',
  /** The next stage is stored and its first messages are not published: the next delivery must publish them. */
  stageAfterCommit: 'stage-after-commit',

  /** A session is marked as cancelling and its executions still run. */
  afterCancelRequest: 'after-cancel-request',
  /** A session is marked as resumed and no message of its executions is published: nothing else continues them. */
  afterResumeRequest: 'after-resume-request',
  /** A question is stored and its message is not published: only the sweep finds it. */
  afterQuestion: 'after-question',
  /** Some of the sessions with overdue executions are swept: the mark stays, and the next tick starts from the same time. */
  duringSweep: 'during-sweep',
} as const;

/** The name of a crash point. */
export type CrashPoint = (typeof CRASH_POINTS)[keyof typeof CRASH_POINTS];

/** A hook that is called at every crash point. It ends the process by never resolving. */
export type Failpoint = (point: CrashPoint) => Promise<void>;
