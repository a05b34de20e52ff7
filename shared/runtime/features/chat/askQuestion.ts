// A person asks about a session that has ended, or goes on with a chat. The question is a stage of its own, beside what the
// session concluded.

import { isDeepStrictEqual } from 'node:util';
import { replace, type Stored, type Write } from '../../../contract/store.ts';
import { cleanText } from '../../../masking/cleanText.ts';
import type { Masker } from '../../../masking/masker.ts';
import type { PlannedAgent } from '../../../schema/agent.ts';
import { isTerminal } from '../../../schema/common.ts';
import { controlType, paths, sessionType, timelineEventType } from '../../../schema/documents.ts';
import type { RequestContext, Session } from '../../../schema/session.ts';
import { chatIndexOf, chatStageIdOf } from '../../kernel/conversation/chatStage.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import type { AlertDeps, StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../kernel/documents/races.ts';
import { loadHistory } from '../../kernel/session/loadHistory.ts';
import { maskAgent } from '../../kernel/session/maskInstructions.ts';
import { replaceSession } from '../../kernel/session/replaceSession.ts';
import { publishIteration } from '../../kernel/state/nextIteration.ts';
import { isSessionUsedUp } from '../../kernel/tokens/tokenBudget.ts';
import { type StartedStage, startStage } from '../../stage/startStage.ts';
import { chatFindings } from './chatFindings.ts';
import { type BudgetRefusal, refuseByTokens } from './questionBudget.ts';

/** Characters of one question. */
const MAX_QUESTION_CHARACTERS = 100_000;
/** Questions of one session. */
export const MAX_QUESTIONS = 50;

/** What a person asks. */
export interface Asked {
  text: string;
  /** Who asks; stored and shown. */
  by: string;
  /** The user who asks, for the agent; null or absent when nobody is named. */
  userId?: string | null;
  /** What the request names. Absent: nothing. */
  context?: RequestContext | null;
  /** The agent that the request chooses, in the place of the session's own (`chooseChatAgent`). */
  agent?: PlannedAgent | undefined;
}

/** A question that is being answered. */
export interface OpenQuestion {
  sessionId: string;
  stageId: string;
  executionId: string;
  deadline: Date;
  /** Whether its message is on its way. If not, the sweep publishes it. */
  isPublished: boolean;
}

/** Why a question is not asked; nothing of it was stored. */
export type NotAsked =
  | { kind: 'unknown_session' }
  /** Its investigation is not over, or was deferred. */
  | {
      kind: 'not_ended';
      status: Exclude<Session['status'], 'completed' | 'failed' | 'cancelled' | 'timed_out'>;
    }
  /** Another question is being answered. */
  | { kind: 'busy'; stageId: string; deadline: Date }
  /** Its chain answers no questions, or its code knew none. */
  | { kind: 'no_chat'; chain: string }
  | { kind: 'too_many' }
  /** Another question opened a chat with the client's id at the same moment. */
  | { kind: 'taken' }
  /** The tokens of the session are used up. */
  | { kind: 'used_up'; tokens: number }
  | BudgetRefusal;

/** What became of a question. */
export type AskOutcome = NotAsked | ({ kind: 'asked' } & OpenQuestion);

/** What is wrong with a question, for people; undefined when nothing is. */
export function questionFault(text: string): string | undefined {
  const characters = [...text.trim()].length;
  if (characters === 0) return 'it is empty';
  if (characters <= MAX_QUESTION_CHARACTERS) return undefined;
  return `it has ${characters} characters; at most ${MAX_QUESTION_CHARACTERS} are read`;
}

/**
 * Asks a question about a session, and publishes the first message of its answer. Each call asks once, also where the
 * outcome of its commit was unknown.
 * @throws RangeError for a text with a `questionFault`; RetryableError when other writers keep changing the session, or the
 *   store fails.
 */
export function askQuestion(sessionId: string, asked: Asked, deps: AlertDeps): Promise<AskOutcome> {
  const fault = questionFault(asked.text);
  if (fault !== undefined) throw new RangeError(`the question cannot be asked: ${fault}`);
  const now = deps.clock.now();
  let tried: StartedStage | undefined;
  return retryLostRaces<AskOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.session(sessionId), sessionType);
    if (stored === undefined) return { kind: 'unknown_session' };
    // A commit may be stored although its answer was lost: this one was, by this very call.
    if (tried !== undefined && (await isStored(tried, deps))) return publishQuestion(tried, deps);
    const refusal = refusalOf(stored.value) ?? (await refuseByDay(stored.value, asked, now, deps));
    if (refusal !== undefined) return refusal;
    const { session, started } = await startQuestion(stored.value, asked, now, deps);
    const writes = [replaceSession(stored, session), ...(await resumed(stored, deps)), ...started.writes];
    tried = started;
    const result = await deps.store.commit(writes);
    if (!result.ok) return RACE_LOST;
    await deps.failpoint?.(CRASH_POINTS.afterQuestion);
    return publishQuestion(started, deps);
  });
}

function refusalOf({ status, openStage, chain, questions, tokens }: Session): NotAsked | undefined {
  if (openStage !== null) return { kind: 'busy', stageId: openStage.stageId, deadline: openStage.deadline };
  if (!isTerminal(status)) return { kind: 'not_ended', status };
  if (chain.chat === undefined) return { kind: 'no_chat', chain: chain.name };
  if (questions >= MAX_QUESTIONS) return { kind: 'too_many' };
  if (isSessionUsedUp(chain.chat.limits, tokens.total)) return { kind: 'used_up', tokens: tokens.total };
  return undefined;
}

/** Why the tokens of the day have no room for an answer. */
async function refuseByDay(
  { chain: { chat } }: Session,
  { text, agent = chat }: Asked,
  now: Date,
  deps: Pick<StateDeps, 'store'>,
): Promise<NotAsked | undefined> {
  return agent && refuseByTokens(agent.limits.dailyTokens ?? [], agent, text, now, deps);
}

/**
 * The session with one question more that is open, and its stage. A question has as long as an investigation of the
 * session's chain, but not longer than the session's documents are kept.
 */
export async function startQuestion(
  before: Session,
  { text, by, userId = null, context = null, agent }: Asked,
  now: Date,
  deps: Pick<AlertDeps, 'store' | 'log' | 'maskerFor'>,
): Promise<{ session: Session; started: StartedStage }> {
  const masker = deps.maskerFor(before.maskKey);
  const question = cleanText(masker, text.trim());
  const number = before.questions + 1;
  const extendedMs = before.waited === null ? 0 : before.waited.ms - before.waited.questionMs;
  const longest = before.deadline.getTime() - before.createdAt.getTime() - extendedMs;
  const deadline = new Date(Math.min(now.getTime() + longest, before.expireAt.getTime()));
  const start = {
    index: chatIndexOf(before, number),
    kind: 'chat' as const,
    findings: await chatFindings(before, deps),
    question: {
      text: question.text,
      by: cleanText(masker, by).text,
      userId: userId === null ? null : cleanText(masker, userId).text,
      masked: question.count,
      history: await loadHistory(before, deps),
      deadline,
      agent: agent && maskAgent(agent, masker),
    },
  };
  const session: Session = {
    ...before,
    context: context && maskContext(context, masker),
    steering: { ...before.steering, paused: null },
    openStage: { stageId: chatStageIdOf(before, number), deadline, cancelling: false },
    questions: number,
  };
  return { session, started: startStage(session, start, now) };
}

/** What a request names, as it may be stored. */
function maskContext(context: RequestContext, masker: Masker): RequestContext {
  const { clientId } = context;
  return { ...context, clientId: clientId === null ? null : cleanText(masker, clientId).text };
}

/** A session may end while it is paused. What is asked afterwards is answered. */
async function resumed({ value }: Stored<Session>, { store }: Pick<StateDeps, 'store'>): Promise<Write[]> {
  const { sessionId, steering } = value;
  if (steering.paused === null) return [];
  const path = paths.control(sessionId);
  const control = await store.get(path, controlType);
  if (control === undefined) return [];
  return [replace(path, controlType, { ...control.value, paused: false }, control.version)];
}

/** Whether a question is the one that is stored under its number: others may ask at the same moment. */
async function isStored(
  { executions: [execution], writes }: StartedStage,
  { store }: Pick<StateDeps, 'store'>,
): Promise<boolean> {
  if (execution === undefined) return false;
  const path = paths.event(execution.sessionId, execution.executionId, 1);
  const stored = await store.get(path, timelineEventType);
  const own = writes.find((write) => write.path === path)?.value;
  return stored !== undefined && isDeepStrictEqual(stored.value, own);
}

/** Publishes the first message of an answer; the sweep does it if that fails. */
export async function publishQuestion(
  { stageId, executions: [execution] }: StartedStage,
  { publisher, log }: StateDeps,
): Promise<{ kind: 'asked' } & OpenQuestion> {
  if (execution === undefined) throw new RangeError('a question has one execution');
  const { sessionId, executionId, deadline } = execution;
  const isPublished = await publishIteration(publisher, execution).then(
    () => true,
    (error: unknown) => {
      log.warn({ sessionId, executionId, err: error }, 'the message of a question was not published');
      return false;
    },
  );
  return { kind: 'asked', sessionId, stageId, executionId, deadline, isPublished };
}
