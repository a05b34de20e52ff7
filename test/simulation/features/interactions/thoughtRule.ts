// The rules of questions in the background: no function runs while a model thinks, each answer is asked for
// and stored once, and nothing of it stays at the model.

import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import type { SystemControl } from '../../../../shared/core/schema/systemControl.ts';
import {
  ORPHAN_WAIT_MS,
  readQuestion,
  type Thought,
  thoughtType,
} from '../../../../shared/features/interactions/thought.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import { MINUTE } from '../../faults.ts';
import type { RunRecord, SimulatedSubmission, SimulatedThought } from '../../record.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';

/** How long a function holds an execution to ask or to read, in milliseconds, where nothing is wrong. */
const MOST_HELD_MS = 30_000;

/** What a run did with its questions in the background. */
export interface ThoughtCounts {
  /** Accepted questions. */
  thoughts: number;
  /** For how long models thought, and functions held their executions meanwhile, in milliseconds. */
  thoughtMs: number;
  heldMs: number;
  /**
   * Questions that were asked again because nobody knew their id, because the model lost them, or were
   * deleted.
   */
  orphans: number;
  lost: number;
  deleted: number;
  /** Questions that were asked again although nothing was lost. */
  doubles: number;
}

export const NO_THOUGHTS: ThoughtCounts = {
  thoughts: 0,
  thoughtMs: 0,
  heldMs: 0,
  orphans: 0,
  lost: 0,
  deleted: 0,
  doubles: 0,
};

/** Checks the record of a run, and counts. */
export function checkThoughts(world: World, violate: Violate): ThoughtCounts {
  const { record } = world;
  const counts = { ...NO_THOUGHTS, thoughts: record.thoughts.length };
  if (!world.plan.background) {
    if (record.submissions.length > 0) violate('thoughts', 'a question is asked in the background');
    return counts;
  }
  checkSubmissions(record, violate);
  for (const [earlier, later] of listRepetitions(record))
    countRepetition(earlier, later, counts, world, violate);
  for (const thought of record.thoughts) {
    checkAnswer(thought, record, violate);
    checkRemoval(thought, world, violate);
    const { thoughtMs, heldMs } = checkHeld(thought, world, violate);
    counts.thoughtMs += thoughtMs;
    counts.heldMs += heldMs;
  }
  return counts;
}

/** One submission is sent once. */
function checkSubmissions({ submissions }: RunRecord, violate: Violate): void {
  const ids = submissions.map(({ submissionId }) => submissionId);
  for (const id of ids)
    if (ids.filter((one) => one === id).length > 1) violate('thoughts', `${id} is sent twice`);
}

/** Each submission with the next one of its iteration. */
function listRepetitions({ submissions }: RunRecord): [SimulatedSubmission, SimulatedSubmission][] {
  return submissions.flatMap((one, index) => {
    const next = submissions
      .slice(index + 1)
      .find(
        ({ sessionId, executionId, iteration }) =>
          sessionId === one.sessionId && executionId === one.executionId && iteration === one.iteration,
      );
    return next === undefined ? [] : [[one, next] as [SimulatedSubmission, SimulatedSubmission]];
  });
}

/** Why a question is asked again: it must be lost, or be a new one after a failure. */
function countRepetition(
  earlier: SimulatedSubmission,
  later: SimulatedSubmission,
  counts: ThoughtCounts,
  { record, plan }: World,
  violate: Violate,
): void {
  const { thought, outcome, submissionId, executionId, iteration } = earlier;
  if (outcome === 'refused') return;
  const hasFailed = thought?.answered.some(({ at }) => at < later.at) && 'error' in (thought?.result ?? {});
  if (hasFailed) return;
  if (thought !== undefined && thought.lostAt < later.at) {
    counts.lost += 1;
    return;
  }
  if (thought?.removedAt != null && thought.removedAt < later.at) {
    // checkRemoval has whether it had to be.
    counts.deleted += 1;
    return;
  }
  const known = readThoughtAt(submissionId, later.at, record);
  const waitedMs = later.at - earlier.at;
  if (known?.interactionId == null && waitedMs >= ORPHAN_WAIT_MS - 2 * plan.maxSkewMs) {
    if (thought !== undefined) counts.orphans += 1;
    return;
  }
  counts.doubles += 1;
  const what = thought === undefined ? 'can have been sent' : `is ${thought.id}`;
  violate(
    'thoughts',
    `iteration ${iteration} of ${executionId} is asked again after ${waitedMs} ms; the first ${what}, ${outcome}, id ${known?.interactionId}`,
  );
}

/** A thought as it was stored at a time; undefined if it was not, or was deleted. */
function readThoughtAt(submissionId: string, at: number, { commits }: RunRecord): Thought | undefined {
  const path = thoughtType.paths.thought(submissionId);
  const last = commits
    .filter((commit) => commit.at <= at)
    .flatMap(({ writes }) => writes.filter((write) => write.path === path))
    .at(-1);
  return last === undefined || last.op === 'delete' ? undefined : (last.value as Thought);
}

/** An answer is stored once. */
function checkAnswer(
  { id, submission, result }: SimulatedThought,
  { commits }: RunRecord,
  violate: Violate,
): void {
  const [mark] = 'response' in result ? (JSON.stringify(result.response).match(/#\d+#/) ?? []) : [];
  if (mark === undefined) return;
  const stored = commits
    .flatMap(({ writes }) => writes)
    .filter(({ op, path, value }) => {
      if (
        op !== 'create' ||
        !path.startsWith(`sessions/${submission.sessionId}/messages/${submission.executionId}.`)
      )
        return false;
      return (value as Message).role === 'assistant' && JSON.stringify(value).includes(mark);
    });
  if (stored.length > 1) violate('thoughts', `the answer of ${id} is stored ${stored.length} times`);
}

/** What is waited for is not deleted, and the rest is, or is stored for the sweep. */
function checkRemoval(thought: SimulatedThought, world: World, violate: Violate): void {
  const { id, submission, removedAt, lostAt, answered } = thought;
  const { record, time } = world;
  const { executionId, sessionId, submissionId } = submission;
  if (removedAt !== null) {
    const execution = readExecutionAt(submission, removedAt, record);
    const question = execution && readQuestion(execution);
    const pause = record.pauses.get(sessionId);
    // A pause of the session that is over was seen a moment before.
    const wasPaused = pause !== undefined && pause.from <= removedAt && pause.to + MINUTE >= removedAt;
    const isAwaited = question?.submissionId === submissionId && execution?.status === 'active';
    const isLate = answered.some(({ at }) => at < removedAt);
    if (isAwaited && !wasPaused && !isLate && !record.expired.has(sessionId))
      violate('thoughts', `${id} is deleted while ${executionId} waits for it`);
    return;
  }
  if (lostAt < time.now()) return;
  const stored = readThoughtAt(submissionId, time.now(), record);
  // While the installation is paused, the sweep does nothing.
  if (stored?.interactionId === id && !isPausedAtEnd(record))
    violate('thoughts', `the sweep leaves ${id} at the model`);
  if (stored?.interactionId == null && thought.noticedAt !== null)
    violate('thoughts', `${id} stays at the model, and nobody knows it any more`);
  const wasKnown = record.commits.some(({ writes }) =>
    writes.some(({ value }) => (value as Partial<Thought> | undefined)?.interactionId === id),
  );
  if (stored === undefined && wasKnown) violate('thoughts', `${id} was known, and stays at the model`);
}

function isPausedAtEnd({ commits }: RunRecord): boolean {
  const control = commits.flatMap(({ writes }) => writes).findLast(({ path }) => path === paths.systemControl)
    ?.value as SystemControl | undefined;
  return control !== undefined && control.paused !== null;
}

function readExecutionAt(
  { sessionId, executionId }: SimulatedThought['submission'],
  at: number,
  { commits }: RunRecord,
): Execution | undefined {
  return commits
    .filter((commit) => commit.at <= at)
    .flatMap(({ writes }) => writes)
    .findLast(({ path }) => path === paths.execution(sessionId, executionId))?.value as Execution | undefined;
}

/** No function holds an execution while a model thinks about it, but to ask and to read. */
function checkHeld(
  { id, submission, acceptedAt, endsAt, removedAt, lostAt }: SimulatedThought,
  { record, time }: World,
  violate: Violate,
): { thoughtMs: number; heldMs: number } {
  const to = Math.min(endsAt, removedAt ?? time.now(), lostAt, time.now());
  const states = record.commits.flatMap(({ at, by, writes }) => {
    const found = writes.find(
      ({ path }) => path === paths.execution(submission.sessionId, submission.executionId),
    );
    return found === undefined ? [] : [{ at, by, held: (found.value as Execution).lease !== null }];
  });
  let heldMs = 0;
  let since = 0;
  for (const [index, { at, by, held }] of states.entries()) {
    const from = Math.max(at, acceptedAt);
    const until = Math.min(states[index + 1]?.at ?? time.now(), to);
    // A dead process runs no more, and one in trouble does not know what is stored.
    const isWell = by.process.alive && by.process.troubledAt === undefined && !by.process.hasJumped;
    if (!held || !isWell || until <= from) {
      since = 0;
      continue;
    }
    heldMs += until - from;
    since += until - from;
    if (since > MOST_HELD_MS)
      violate(
        'thoughts',
        `${by.process.name} #${by.id} runs for ${since} ms while the model thinks as ${id}`,
      );
  }
  return { thoughtMs: Math.max(0, to - acceptedAt), heldMs };
}
