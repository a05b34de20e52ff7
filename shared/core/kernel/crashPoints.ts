// The crash points: a process changes nothing outside itself between two of them, so a crash at any time is
// equivalent to a crash at one of them. Tests and simulation end the process there; in production they have
// no effect. docs/reliability.md describes the state that the next delivery finds after each, and why it is
// safe.

/** All crash points, in the order in which the processing of an alert passes them. */
export const CRASH_POINTS = {
  /** The alert is read and nothing is stored: its redelivery must open the session, once. */
  ingestBeforeCommit: 'ingest-before-commit',
  /** The session is stored, no iteration published: the redelivery must publish, not open again. */
  ingestAfterCommit: 'ingest-after-commit',
  /** The first iterations are published and the alert is not acked: its redelivery races with them. */
  ingestAfterPublish: 'ingest-after-publish',

  /** State is read and no lease is held: the state can change before the decision is carried out. */
  afterLoad: 'after-load',
  /** The lease belongs to a dead process: the next delivery must wait until it expires, and no longer. */
  afterClaim: 'after-claim',
  /** The model was asked and its answer is lost: it must be asked again. */
  duringModelCall: 'during-model-call',
  /** A question for the background is stored and was not sent: nobody brings an id of it. */
  afterCommitA0: 'after-commit-a0',
  /** A question was sent, and its id is only in this process: a webhook must bring it. */
  afterCreate: 'after-create',
  /** The answer is only in this process: the model must be asked again, and no part stored. */
  beforeCommitA: 'before-commit-a',
  /** The answer is stored: the model must not be asked again, and the calls must run. */
  afterCommitA: 'after-commit-a',

  /** An answered question is deleted at its provider, and stored as if it were not. */
  duringRemoval: 'during-removal',

  /** A call is recorded as running but has not started, which cannot be distinguished from one that has. */
  beforeTool: 'before-tool',
  /** A call runs, and its effect is unknown: only a read-only call can be repeated. */
  duringTool: 'during-tool',
  /** A call's result exists in this process only. */
  afterTool: 'after-tool',
  /** Parts of a large result are stored without the conversation: nothing must refer to them. */
  duringResultParts: 'during-result-parts',
  /** The same for the iteration's last result, whose commit also ends the iteration. */
  beforeCommitB: 'before-commit-b',
  /** The iteration is stored and its successor is not published: a copy of this message must publish it. */
  afterCommitB: 'after-commit-b',
  /** An execution waits for stored children without messages: no other message continues it. */
  afterParking: 'after-parking',
  /** The successor is published and can already run elsewhere when this message is delivered again. */
  afterPublish: 'after-publish',

  /** An execution is about to end without an answer (cancelled, timed out) and is still open. */
  beforeEnding: 'before-ending',
  /** An execution ended and its stage did not advance, possibly without another execution left. */
  afterEnding: 'after-ending',
  /** All executions of a stage ended and the stage has not: only one process must advance it. */
  stageBeforeCommit: 'stage-before-commit',
  /** The next stage is stored, its first messages are not published: the next delivery must. */
  stageAfterCommit: 'stage-after-commit',

  /** A session is marked as cancelling and its executions still run. */
  afterCancelRequest: 'after-cancel-request',
  /** A session is marked as resumed, without messages of its executions: nothing continues them. */
  afterResumeRequest: 'after-resume-request',
  /** A question is stored and its message is not published: only the sweep finds it. */
  afterQuestion: 'after-question',
  /** Some sessions with overdue executions are swept: the mark stays, the next tick starts there. */
  duringSweep: 'during-sweep',
} as const;

/** The name of a crash point. */
export type CrashPoint = (typeof CRASH_POINTS)[keyof typeof CRASH_POINTS];

/** A hook that is called at every crash point. It ends the process by never resolving. */
export type Failpoint = (point: CrashPoint) => Promise<void>;
