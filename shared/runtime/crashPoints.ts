// The moments at which the death of a process matters: between any two of them nothing changes for the world outside.
// Simulation and tests end the process there; in production nobody listens and nothing happens.
// docs/reliability.md says for each what the next delivery sees and why that is safe.

/** Names of the moments, in the order an alert's way passes them. */
export const CRASH_POINTS = {
  /** The alert is read, nothing is stored: its redelivery must open the session, once. */
  ingestBeforeCommit: 'ingest-before-commit',
  /** The session is stored, no iteration is published: the alert's redelivery must publish, and open no second session. */
  ingestAfterCommit: 'ingest-after-commit',
  /** The first iterations are published, the alert is not acked: its redelivery races with them. */
  ingestAfterPublish: 'ingest-after-publish',

  /** State is read, no lease is held: whatever was decided is stale by the time anybody acts on it. */
  afterLoad: 'after-load',
  /** The lease is held by nobody alive: the next delivery must wait for it to run out, and not for ever. */
  afterClaim: 'after-claim',
  /** The model is asked, its answer will reach nobody: nothing of it is stored, so it must be asked again. */
  duringModelCall: 'during-model-call',
  /** The answer is here, and only here: as above, and nothing of it may be half stored. */
  beforeCommitA: 'before-commit-a',
  /** The answer is stored: the model must not be asked again, the calls must run. */
  afterCommitA: 'after-commit-a',

  /** A call is recorded as running, but did not start: nobody can tell this from one that did. */
  beforeTool: 'before-tool',
  /** A call runs, and takes effect or does not: only one that changes nothing may be repeated. */
  duringTool: 'during-tool',
  /** A call's result is here, and only here. */
  afterTool: 'after-tool',
  /** The same for the iteration's last result, whose commit also ends the iteration. */
  beforeCommitB: 'before-commit-b',
  /** The iteration is over, its successor's message does not exist: a copy of this message must publish it. */
  afterCommitB: 'after-commit-b',
  /** The successor may already run elsewhere when this message comes again. */
  afterPublish: 'after-publish',

  /** An execution is about to end without an answer (cancelled, out of time): it is still open. */
  beforeEnding: 'before-ending',
  /** An execution has ended, its stage does not know: nobody else may ever look at the stage again. */
  afterEnding: 'after-ending',
  /** All executions of a stage have ended, the stage has not: two who see this must not both go on. */
  stageBeforeCommit: 'stage-before-commit',
  /** The next stage exists, its first messages do not: whoever comes again must publish them. */
  stageAfterCommit: 'stage-after-commit',

  /** A session is marked to be cancelled, its executions still run. */
  afterCancelRequest: 'after-cancel-request',
  /** Halfway through the open sessions: the next tick begins anew. */
  duringSweep: 'during-sweep',
} as const;

export type CrashPoint = (typeof CRASH_POINTS)[keyof typeof CRASH_POINTS];

/** Told whenever a moment is reached; whoever wants the process to die there never comes back from it. */
export type Reach = (point: CrashPoint) => Promise<void>;
