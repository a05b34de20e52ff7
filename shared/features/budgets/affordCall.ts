// Selects the request of an iteration within its budgets: the intended one, the conclusion, a smaller
// conclusion, or nothing.

import { outputLimit } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { returnClaim } from '../../core/kernel/execution/lease.ts';
import type { Affordable, Asking, BuildAsking } from '../../core/kernel/feature/feature.ts';
import { PAUSE_MS, retryLaterError } from '../../core/kernel/state/retryLater.ts';
import { callTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import { budgetNotice, nothingLeft } from '../../core/kernel/tokens/tokenBudget.ts';
import type { ConclusionReason } from '../../core/prompts/wording.ts';
import type { BudgetName } from '../../core/schema/execution.ts';

/** Minimum tokens of a conclusion's answer, thoughts included: with fewer it would be cut off. */
const SHORTEST_ANSWER = 4_096;
/** Minimum bytes of a conclusion's conversation: with fewer it would lack all findings. */
const SHORTEST_CONVERSATION = 4_000;

/**
 * Reserves the tokens of a request. If a budget has no room for an ordinary request, stores that fact and
 * asks for the conclusion. Lowers the limit of the conclusion's answer, then shortens its conversation, until
 * it fits.
 * @param conclusion why the request concludes; undefined for an ordinary one.
 * @throws RetryableError `EXECUTION_WAITING` when running calls have reserved the tokens: the same iteration
 *   is delivered again after a pause. LeaseLostError when another writer changed the execution;
 *   RetryableError when the store fails.
 */
export async function affordCall<A extends Asking>(
  context: IterationContext,
  conclusion: ConclusionReason | undefined,
  build: BuildAsking<A>,
): Promise<Affordable<A>> {
  const { ledger, controller } = context;
  const wanted = build(conclusion);
  // A strategy that asks only once has no other conclusion.
  if (conclusion !== undefined || !controller.loops) return affordConclusion(context, wanted, build);
  const { input, output } = callTokens(wanted.request);
  const tokens = input + output;
  const outcome = await ledger.reserve({ tokens, conclusion: tokens, canWait: mayWait(context) });
  if (outcome.kind === 'reserved') return { kind: 'granted', asking: wanted, reservation: outcome };
  if (outcome.mayFit && mayWait(context)) return waitForOthers(context);
  await noteBudget(context, outcome.budget);
  return affordConclusion(context, build('budget'), build);
}

async function affordConclusion<A extends Asking>(
  context: IterationContext,
  wanted: A,
  build: BuildAsking<A>,
): Promise<Affordable<A>> {
  const first = await tryToReserve(context, wanted);
  if (first.kind === 'granted') return first;
  if (first.mayFit && mayWait(context)) return waitForOthers(context);
  const smaller = shrinkRequest(wanted, build, first.room);
  const second = smaller === undefined ? first : await tryToReserve(context, smaller);
  if (second.kind === 'granted') return second;
  const later = shrinkRequest(wanted, build, second.free) !== undefined;
  if (later && second.room < second.free && mayWait(context)) return waitForOthers(context);
  const { limits } = context.held.current();
  return { kind: 'refused', error: new TerminalError('BUDGET_REACHED', nothingLeft(second.budget, limits)) };
}

async function tryToReserve<A extends Asking>(context: IterationContext, asking: A) {
  const { input, output } = callTokens(asking.request);
  const need = { tokens: input + output, conclusion: 0, canWait: mayWait(context) };
  const outcome = await context.ledger.reserve(need);
  return outcome.kind === 'reserved' ? { kind: 'granted' as const, asking, reservation: outcome } : outcome;
}

/** The same request in at most `room` tokens; undefined if that is not possible. */
function shrinkRequest<A extends Asking>(wanted: A, build: BuildAsking<A>, room: number): A | undefined {
  const whole = callTokens(wanted.request).input;
  if (whole + SHORTEST_ANSWER <= room) return withAnswerLimit(wanted, room - whole);
  for (let share = 1; share > 0; share /= 2) {
    // Texts have at most about two bytes for each token of their estimate.
    const maxBytes = Math.floor(share * 2 * (room - SHORTEST_ANSWER));
    if (maxBytes < SHORTEST_CONVERSATION) return undefined;
    const shorter = build(wanted.conclusion, maxBytes);
    const { input } = callTokens(shorter.request);
    if (input + SHORTEST_ANSWER <= room) return withAnswerLimit(shorter, room - input);
  }
  return undefined;
}

function withAnswerLimit<A extends Asking>(asking: A, tokens: number): A {
  const { model } = asking.request;
  const maxOutputTokens = Math.min(outputLimit(model), tokens);
  return { ...asking, request: { ...asking.request, model: { ...model, maxOutputTokens } } };
}

/** Whether there is time for a pause and another try. */
function mayWait({ held, deps }: IterationContext): boolean {
  const { deadline, limits } = held.current();
  return deadline.getTime() - deps.clock.now().getTime() > limits.iterationTimeoutMs + 2 * PAUSE_MS;
}

/** Gives the lease back for a pause. */
async function waitForOthers({ held, deps }: IterationContext): Promise<never> {
  const until = new Date(deps.clock.now().getTime() + PAUSE_MS);
  await commitBatch(held, deps, (current, batch) => ({
    ...returnClaim(current),
    ...batch.counters(),
    notBefore: until,
  }));
  throw retryLaterError(held.current().executionId, { kind: 'wait', until }, deps.clock.now());
}

/** Stores that a budget is used up, so that a process that takes over concludes, too. */
async function noteBudget({ held, deps }: IterationContext, budget: BudgetName): Promise<void> {
  await commitBatch(held, deps, (current, batch) => {
    batch.appendEvent(budgetNotice(budget, current.limits));
    return { ...current, ...batch.counters(), budgetReached: budget };
  });
}
