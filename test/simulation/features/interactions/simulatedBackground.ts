// Simulates a model that answers in the background: it takes minutes, and calls a webhook at its end, which
// can come early, late, twice or never. It can lose questions, answers and deletions.

import type { BackgroundModel, Submission, Submitted } from '../../../../shared/contract/backgroundModel.ts';
import type { FeatureDeps } from '../../../../shared/contract/featureDeps.ts';
import type { LlmRequest } from '../../../../shared/core/contract/llm.ts';
import { type InquestError, RetryableError, TerminalError } from '../../../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../../../shared/core/kernel/deps.ts';
import { pause } from '../../../../shared/engine/testing/simulatedProcess.ts';
import { takeWebhook } from '../../../../shared/features/interactions/takeWebhook.ts';
import { startActivity } from '../../activity.ts';
import { MINUTE } from '../../faults.ts';
import {
  executionKey,
  type Invocation,
  type SimulatedSubmission,
  type SimulatedThought,
} from '../../record.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import { checkConversation, composeResponse, untilAborted } from '../../simulatedModel.ts';
import type { World } from '../../world.ts';
import { reserveInRecord, usageOf, useInRecord } from '../budgets/tokenRule.ts';
import { checkAsked, hasNext } from '../modelOutages/fallbackRule.ts';

/** Tries of a webhook that is not taken, and the time between two in milliseconds. */
const TRIES = 12;
const AGAIN_AFTER_MS = 2 * MINUTE;

/** The model of one invocation. */
export function simulatedBackground(
  by: Invocation,
  strategyOf: (executionId: string) => string,
  findCloud: () => Pick<Cloud, 'invoke'>,
  world: World,
): BackgroundModel {
  const { time, record, random } = world;
  const { process } = by;
  const find = (id: string) =>
    record.thoughts.find((one) => one.id === id && one.removedAt === null && one.lostAt > time.now());
  return {
    async submit(request, ids, { signal, report }) {
      const { executionId, iteration } = ids;
      checkConversation(request.messages, by, world);
      const written = record.executions.get(executionKey(ids));
      if (written?.by === by) checkAsked(request.model, written.value, world);
      const tokens = reserveInRecord(request, by, world);
      const { model } = request.model;
      const end = startActivity(
        { kind: 'model', by, sessionId: ids.sessionId, executionId, iteration, model },
        world,
      );
      report.attempts = 1;
      report.requestBytes = 1_000;
      const submission: SimulatedSubmission = { ...ids, by, at: time.now(), tokens, outcome: 'pending' };
      record.submissions.push(submission);
      const sending = send(submission, request);
      try {
        const submitted = await untilAborted(signal, sending);
        submission.outcome = submitted.kind;
        return submitted;
      } catch (error) {
        // It can have arrived.
        submission.outcome = 'unknown';
        return { kind: 'unknown', error: error as InquestError };
      } finally {
        end();
      }
    },

    async read(request, id, { report }) {
      await pause(process, world.drawMs(20, 300), world);
      if (world.drawFault('thought_unreadable')) return { kind: 'unread', error: down() };
      const thought = find(id);
      if (thought === undefined) return { kind: 'missing' };
      if (thought.messages !== composeShown(request))
        record.violations.push(`thoughts: ${id} is read with another request than it was asked with`);
      if (time.now() < thought.endsAt) return { kind: 'running' };
      const usage = usageOf(request, world);
      report.answerStarted = true;
      report.usage = usage;
      thought.answered.push({ by, at: time.now() });
      await pause(process, world.drawMs(10, 100), world);
      const { result } = thought;
      if ('response' in result) return { kind: 'answered', response: { ...result.response, usage } };
      if (hasNext(result.error, request.model, world)) by.changesModels = true;
      return { kind: 'failed', error: result.error };
    },

    async remove(id) {
      await pause(process, world.drawMs(20, 300), world);
      const isLost = world.drawFault('deletion_lost');
      const thought = find(id);
      const isDone = !isLost || random.chance(0.5);
      if (isDone && thought !== undefined) {
        thought.removedAt = time.now();
        world.traceLine(`the thought ${id} of ${thought.submission.executionId} is deleted`);
      }
      await pause(process, world.drawMs(20, 300), world);
      return !isLost;
    },
  };

  async function send(submission: SimulatedSubmission, request: LlmRequest): Promise<Submitted> {
    await pause(process, world.drawMs(20, 1_000), world);
    const refusal = drawRefusal();
    if (refusal !== undefined) {
      if (hasNext(refusal, request.model, world)) by.changesModels = true;
      return { kind: 'refused', error: refusal };
    }
    if (world.drawFault('create_lost')) {
      await pause(process, world.drawMs(1_000, 30_000), world);
      return { kind: 'unknown', error: down() };
    }
    const isEarly = world.drawFault('webhook_early');
    const thought = accept(submission, request, isEarly);
    if (world.drawFault('create_hung')) return await new Promise<never>(() => {});
    // Its webhook comes meanwhile.
    if (isEarly) await pause(process, world.drawMs(3_000, 20_000), world);
    await pause(process, world.drawMs(20, 1_000), world);
    if (world.drawFault('create_answer_lost')) return { kind: 'unknown', error: down() };
    return { kind: 'accepted', id: thought.id };
  }

  function drawRefusal(): InquestError | undefined {
    if (world.isIn(world.plan.modelOutage)) return down();
    if (world.drawFault('model_out_of_quota')) {
      const retryAfterMs = world.drawMs(1_000, random.pick([90_000, 900_000]));
      return new RetryableError('MODEL_QUOTA', 'no quota is left', { retryAfterMs });
    }
    return world.drawFault('model_failed') ? down() : undefined;
  }

  function accept(submission: SimulatedSubmission, request: LlmRequest, isEarly: boolean): SimulatedThought {
    const { sessionId, executionId, iteration, submissionId } = submission;
    const now = time.now();
    const thought: SimulatedThought = {
      id: `v1_${record.thoughts.length + 1}`,
      submission: { sessionId, executionId, iteration, submissionId },
      messages: composeShown(request),
      acceptedAt: now,
      endsAt: now + (isEarly ? world.drawMs(100, 1_000) : drawThinkingMs(world)),
      hasEvent: !world.drawFault('thought_without_event'),
      result: drawResult(submission, request),
      answered: [],
      noticedAt: null,
      removedAt: null,
      lostAt: Number.POSITIVE_INFINITY,
    };
    if (world.drawFault('thought_lost')) thought.lostAt = now + world.drawMs(1_000, 20 * MINUTE);
    record.thoughts.push(thought);
    submission.thought = thought;
    world.traceLine(`the model thinks about ${executionId} iteration ${iteration} as ${thought.id}`);
    useInRecord(by, usageOf(request, world).total, world);
    if (Number.isFinite(thought.endsAt)) time.after(thought.endsAt - now, () => endThought(thought));
    return thought;
  }

  function drawResult({ executionId }: Submission, request: LlmRequest): SimulatedThought['result'] {
    if (world.drawFault('thought_failed')) {
      const code = random.pick(['MODEL_UNAVAILABLE', 'MODEL_STREAM_CUT', 'MODEL_QUOTA'] as const);
      return { error: new RetryableError(code, 'the model failed while it thought') };
    }
    if (world.drawFault('model_blocked'))
      return { error: new TerminalError('MODEL_BLOCKED', 'the prompt was blocked') };
    return { response: composeResponse(by, strategyOf(executionId), request, world) };
  }

  function endThought(thought: SimulatedThought): void {
    if (thought.removedAt !== null || !thought.hasEvent) return;
    if (world.drawFault('webhook_lost')) return;
    const isLate = world.drawFault('webhook_late');
    const after = isLate ? world.drawMs(MINUTE, random.pick([5, 60]) * MINUTE) : world.drawMs(50, 2_000);
    time.after(after, () => callWebhook(thought, TRIES));
    if (!world.drawFault('webhook_doubled')) return;
    time.after(random.pick([after, after + world.drawMs(0, 10 * MINUTE)]), () => callWebhook(thought, TRIES));
  }

  /** Calls the webhook until it is taken. */
  function callWebhook(thought: SimulatedThought, tries: number): void {
    let isTaken = false;
    const take = async (_: unknown, deps: RuntimeDeps) => {
      const notice = { interactionId: thought.id, metadata: { ...thought.submission } };
      const isKnown = await takeWebhook(notice, deps);
      isTaken = true;
      if (isKnown) thought.noticedAt ??= time.now();
    };
    findCloud().invoke('webhook', take, undefined);
    if (tries > 1)
      time.after(AGAIN_AFTER_MS, () => {
        if (!isTaken) callWebhook(thought, tries - 1);
      });
  }
}

/** What the model is shown; the system prompt has the tools that can be reached now. */
const composeShown = ({ messages }: LlmRequest): string =>
  JSON.stringify(messages.slice(1).map(({ role, blocks }) => ({ role, blocks })));

const down = () => new RetryableError('MODEL_UNAVAILABLE', 'the model is down');

/** Minutes, and now and then for longer than any session. */
function drawThinkingMs(world: World): number {
  if (world.drawFault('model_hung')) return Number.POSITIVE_INFINITY;
  if (world.drawFault('model_slow')) return world.drawMs(4 * MINUTE, 15 * MINUTE);
  return world.drawMs(20_000, world.random.pick([MINUTE, 4 * MINUTE]));
}

/** The deletion of questions at the model, as a feature of the sweep has it. */
export const removerOf = (deps: Pick<FeatureDeps, 'background'>): Pick<BackgroundModel, 'remove'> => ({
  remove: async (...given) => (await deps.background?.remove(...given)) ?? false,
});
