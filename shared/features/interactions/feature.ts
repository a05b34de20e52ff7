// Asks a model that answers while no function runs. A question is stored before it is sent, the execution
// gives its lease back and waits, and the message of a webhook or of the sweep reads the answer.

import { ASKED_TWICE, type BackgroundModel } from '../../contract/backgroundModel.ts';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { CallReport } from '../../core/contract/llm.ts';
import { deleteDocument, replaceDocument } from '../../core/contract/store.ts';
import { type InquestError, RetryableError } from '../../core/errors.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import { commitCall } from '../../core/kernel/execution/commitCall.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { LeaseLostError } from '../../core/kernel/execution/fencedWriter.ts';
import { returnClaim } from '../../core/kernel/execution/lease.ts';
import type { Asking, Feature, ThinkFeature } from '../../core/kernel/feature/feature.ts';
import type { CallOptions, ModelCall } from '../../core/kernel/model/modelCall.ts';
import { THOUGHT } from '../../core/kernel/state/decide.ts';
import type { ConclusionReason } from '../../core/prompts/wording.ts';
import type { MessageDraft } from '../../core/schema/message.ts';
import { withPart } from '../../core/schema/parts.ts';
import {
  ORPHAN_WAIT_MS,
  type Question,
  questionPart,
  readQuestion,
  thoughtType,
  thoughtWrite,
} from './thought.ts';

/** Without a webhook the answer is read after this time, and then after twice as long each time. */
const FIRST_READ_MS = 120_000;
/** The time limit of a submission: it is answered at once, and the model thinks meanwhile. */
const SUBMIT_MS = 20_000;
/** A question that is lost this often counts as a failure of the model. */
const MAX_SUBMISSIONS = 3;

/** A question that was sent, or can have been. */
type Sent = Question & { submissionId: string };

/** A call of the model, and all that it needs. */
interface Ask {
  /** The iteration. */
  context: IterationContext;
  /** The request, and its messages that are not stored yet. */
  asking: Asking & { prelude: readonly MessageDraft[] };
  /** How the call is counted. */
  options: CallOptions;
  /** The model. */
  background: BackgroundModel;
}

const isSent = (question: Question | undefined): question is Sent => question?.submissionId != null;

const findBackground = ({ background }: RuntimeDeps & Pick<FeatureDeps, 'background'>) => background;

const THINK: ThinkFeature = {
  question(execution) {
    const question = readQuestion(execution);
    if (question === undefined) return undefined;
    const conclusion = (question.conclusion ?? undefined) as ConclusionReason | undefined;
    return { conclusion, isOpen: isSent(question) };
  },
  call(context, asking, options) {
    const background = findBackground(context.deps);
    const isLater = context.agent.model.wait === 'background' && background !== undefined;
    return isLater ? askLater({ context, asking, options, background }) : undefined;
  },
};

/** Calls that no process waits for. */
export const INTERACTIONS: Feature = {
  think: THINK,
  async afterAnswer({ deps, budget }, before) {
    const question = readQuestion(before);
    const background = findBackground(deps);
    if (background === undefined || !isSent(question)) return;
    const path = thoughtType.paths.thought(question.submissionId);
    try {
      const id = await findInteraction(question, deps);
      const isGone = id === null || (await background.remove(id, budget.signal));
      await deps.failpoint?.(CRASH_POINTS.duringRemoval);
      if (isGone) await deps.store.commit([deleteDocument(path, thoughtType)]);
    } catch (error) {
      deps.log.warn({ err: error }, 'an answered question is not deleted yet: the sweep tries again');
    }
  },
};

/** Sends the question, reads its answer, or waits on. */
async function askLater(ask: Ask): Promise<ModelCall | undefined> {
  const { context } = ask;
  const question = readQuestion(context.held.current());
  if (!isSent(question)) return submit(ask);
  const interactionId = await findInteraction(question, context.deps);
  if (interactionId !== null) return readAnswer(ask, { ...question, interactionId });
  const until = orphanTime(question, ask);
  if (context.deps.clock.now() >= until) return askAgain(ask, question);
  return park(ask, question, until);
}

/** The id at Google: that of the question, else one that a webhook brought. */
async function findInteraction(question: Sent, { store }: RuntimeDeps): Promise<string | null> {
  if (question.interactionId !== null) return question.interactionId;
  const thought = await store.get(thoughtType.paths.thought(question.submissionId), thoughtType);
  return thought?.value.interactionId ?? null;
}

/** Stores a question, then sends it. */
async function submit(ask: Ask): Promise<ModelCall | undefined> {
  const { context, asking, options, background } = ask;
  const { held, deps, guidance, ledger, budget } = context;
  const earlier = readQuestion(held.current());
  const kept = isSent(earlier) ? null : options.reservation.keep();
  const question: Sent = {
    iteration: held.current().iteration,
    conclusion: asking.conclusion ?? null,
    submissionId: deps.newId(),
    interactionId: null,
    submittedAt: deps.clock.now(),
    asked: (earlier?.asked ?? 0) + 1,
    held: isSent(earlier) ? earlier.held : kept,
  };
  await commitBatch(held, deps, (current, batch) => {
    for (const draft of asking.prelude) batch.appendMessage(draft);
    batch.writes.push(thoughtWrite('create', current, question, addMs(batch.now, FIRST_READ_MS)));
    const guidanceTaken = earlier === undefined ? guidance.taken : current.guidanceTaken;
    return { ...withPart(questionPart, current, question), ...batch.counters(), guidanceTaken };
  }).catch((error: unknown) => {
    if (kept !== null && error instanceof LeaseLostError) ledger.settleKept(kept, 0);
    throw error;
  });
  await deps.failpoint?.(CRASH_POINTS.afterCommitA0);
  held.check();
  const { sessionId, executionId, iteration } = held.current();
  const ids = { sessionId, executionId, iteration, submissionId: question.submissionId };
  const report = startReport(question);
  const submitted = await limitTime(budget.signal, deps, (signal) =>
    background.submit(asking.request, ids, { signal, report }),
  );
  await deps.failpoint?.(CRASH_POINTS.afterCreate);
  switch (submitted.kind) {
    case 'refused':
      return endQuestion(ask, question, report, submitted.error);
    case 'unknown':
      deps.log.warn({ ...ids, err: submitted.error }, 'a question was sent, and its id is not known yet');
      return park(ask, question, orphanTime(question, ask));
    case 'accepted': {
      const known = { ...question, interactionId: submitted.id };
      return park(ask, known, nextRead(question, deps)).catch(async (error: unknown) => {
        await keepId(known, deps).catch(() => undefined);
        throw error;
      });
    }
  }
}

/** Keeps the id of a question whose execution was ended or taken over meanwhile: it must be deleted. */
async function keepId({ submissionId, interactionId }: Sent, { store }: RuntimeDeps): Promise<void> {
  const path = thoughtType.paths.thought(submissionId);
  const thought = await store.get(path, thoughtType);
  if (thought?.value.interactionId !== null) return;
  await store.commit([
    replaceDocument(path, thoughtType, { ...thought.value, interactionId }, thought.version),
  ]);
}

/** Runs a request with a time limit of its own, so that no function waits for a model that thinks. */
async function limitTime<T>(
  outer: AbortSignal,
  { clock }: RuntimeDeps,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stop = clock.after(SUBMIT_MS, () =>
    own.abort(new RetryableError('MODEL_TIMEOUT', 'The question was not taken in time.')),
  );
  return send(AbortSignal.any([outer, own.signal])).finally(stop);
}

function askAgain(ask: Ask, { submissionId, asked }: Sent): Promise<ModelCall | undefined> {
  const { held, deps } = ask.context;
  const { sessionId, executionId, iteration } = held.current();
  const ids = { sessionId, executionId, iteration, submissionId };
  deps.log.warn({ ...ids, asked, what: 'asked_twice' }, 'a question is lost, and asked again');
  return submit(ask);
}

async function readAnswer(
  ask: Ask,
  question: Sent & { interactionId: string },
): Promise<ModelCall | undefined> {
  const { context, asking, background } = ask;
  const { deps, budget } = context;
  const report = startReport(question);
  const call = { signal: budget.signal, report };
  const answer = await background.read(asking.request, question.interactionId, call);
  switch (answer.kind) {
    case 'running':
    case 'unread': {
      if (answer.kind === 'unread') {
        const { sessionId, executionId, iteration } = context.held.current();
        const ids = { sessionId, executionId, iteration, submissionId: question.submissionId };
        deps.log.warn({ ...ids, err: answer.error }, 'an answer could not be read: it is read again later');
      }
      return park(ask, question, nextRead(question, deps));
    }
    case 'missing': {
      if (question.asked < MAX_SUBMISSIONS) return askAgain(ask, question);
      const text = `Google has lost the question ${question.asked} times.`;
      return endQuestion(ask, question, report, new RetryableError('MODEL_UNAVAILABLE', text));
    }
    case 'failed':
      return endQuestion(ask, question, report, answer.error);
    case 'answered':
      context.ledger.settleKept(question.held, report.usage?.total ?? 0);
      return composeCall(ask, question, report, { ok: true, response: answer.response });
  }
}

/** Stores that the question has failed: the next request is a new one. @returns the failed call. */
async function endQuestion(
  ask: Ask,
  question: Sent,
  report: CallReport,
  error: InquestError,
): Promise<ModelCall> {
  const { held, deps, ledger } = ask.context;
  report.attemptErrors.push(`${error.code}: ${error.message}`);
  await commitBatch(held, deps, (current, batch) => {
    const ended = { ...question, submissionId: null, interactionId: null, asked: 0, held: null };
    // The sweep deletes it at Google. Of one that was refused there is nothing.
    const path = thoughtType.paths.thought(question.submissionId);
    batch.writes.push(
      question.interactionId === null
        ? deleteDocument(path, thoughtType)
        : thoughtWrite('put', current, question, batch.now),
    );
    return { ...withPart(questionPart, current, ended), ...batch.counters() };
  });
  ledger.settleKept(question.held, report.usage?.total ?? 0);
  return composeCall(ask, question, report, { ok: false, error });
}

/** Gives the lease back until a message comes, or the sweep sends one at `until`. */
async function park(ask: Ask, question: Sent, until: Date): Promise<undefined> {
  await commitCall(ask.context, (current, batch) => {
    // The sweep looks for the end of its execution earlier than at the next read, which can be hours away.
    const lookAt = addMs(batch.now, FIRST_READ_MS);
    if (question.interactionId !== null) batch.writes.push(thoughtWrite('put', current, question, lookAt));
    return {
      ...returnClaim(withPart(questionPart, current, question)),
      ...batch.counters(),
      waitingSince: { kind: THOUGHT, at: batch.now },
      notBefore: until,
    };
  });
  return undefined;
}

/** The call as its record shows it: from the submission to the answer. */
function composeCall(
  { context, asking, options }: Ask,
  { submittedAt }: Sent,
  report: CallReport,
  outcome: ModelCall['outcome'],
): ModelCall {
  const { held, deps } = context;
  const { lastMessage, guidanceTaken } = held.current();
  return {
    mode: options.mode,
    startedAt: submittedAt,
    durationMs: Math.max(0, deps.clock.now().getTime() - submittedAt.getTime()),
    messageCount: asking.request.messages.length,
    lastMessage,
    guidanceTaken,
    report,
    listPrices: deps.listPrices?.(asking.request.model),
    outcome,
  };
}

/** The report of a question, which counts all of its submissions. */
function startReport({ asked }: Question): CallReport {
  const attemptErrors = Array.from(
    { length: asked - 1 },
    () => `MODEL_UNAVAILABLE: the question was lost, and asked again ${ASKED_TWICE}`,
  );
  return { requestBytes: 0, responseBytes: 0, attempts: asked, attemptErrors };
}

const addMs = (from: Date, ms: number): Date => new Date(from.getTime() + ms);

const orphanTime = ({ submittedAt }: Sent, { context }: Ask): Date =>
  addMs(submittedAt, context.agent.model.orphanWaitMs ?? ORPHAN_WAIT_MS);

/** Twice as long after each read that is due: other messages come at any time. */
const nextRead = ({ submittedAt }: Sent, { clock }: RuntimeDeps): Date => {
  const now = clock.now();
  return addMs(now, FIRST_READ_MS + now.getTime() - submittedAt.getTime());
};
