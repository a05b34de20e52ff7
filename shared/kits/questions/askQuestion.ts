// A person asks about a session that has ended, or continues a chat. The question is a stage of its own,
// separate from the conclusion of the session.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { namedLimits, withLimits } from '../../config/budgets.ts';
import type { SessionConfig } from '../../config/config.ts';
import { limitsOfSession } from '../../config/sessionLimits.ts';
import { announce } from '../../core/contract/announce.ts';
import type { Masker } from '../../core/contract/guard.ts';
import { replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import { computeChatIndex, formatChatStageId } from '../../core/kernel/conversation/chatStage.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { replaceSession } from '../../core/kernel/session/replaceSession.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import { isSessionUsedUp } from '../../core/kernel/tokens/tokenBudget.ts';
import type { Finding } from '../../core/prompts/findings.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { controlType, paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { type StartedStage, startStage } from '../../core/stage/startStage.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskAgent } from '../../masking/maskInstructions.ts';
import { modelWaitsPart } from '../agents/modelOutage.ts';
import { type RequestContext, requestPart } from '../views/chat/requestContext.ts';
import { loadConversation } from './answerEvidence.ts';
import { chatFindings } from './chatFindings.ts';
import { type BudgetRefusal, refuseByTokens } from './questionBudget.ts';

/** Maximum length of a question, in characters. */
const MAX_QUESTION_CHARACTERS = 100_000;
/** Maximum number of questions of one session. */
export const MAX_QUESTIONS = 50;

/** A person's question. */
export interface QuestionInput {
  /** The question, 1 to 100,000 characters, not yet masked. */
  text: string;
  /** Name of the person; stored and shown. */
  by: string;
  /** The user id of the person, for the agent; null or absent if unknown. */
  userId?: string | null;
  /** The context that the request gives. Default: none. */
  context?: RequestContext | null;
  /** The agent that the request selects, in place of the session's own (`chooseChatAgent`). */
  agent?: PlannedAgent | undefined;
  /** The configuration with the budgets of users and tenants. Absent: the budgets of the session's agents. */
  config?: Pick<SessionConfig, 'budgetRules'> | undefined;
  /** Masked texts that go along as data, behind the findings of the session. Absent: none. */
  findings?: readonly Finding[] | undefined;
  /** Further writes of the batch that stores the question, by the id of its stage. Absent: none. */
  beside?: ((stageId: string) => Write[]) | undefined;
}

/** A question in progress. */
export const openQuestionSchema = z.strictObject({
  sessionId: z.string(),
  stageId: z.string(),
  executionId: z.string().describe('The execution whose events are the answer'),
  deadline: z.date(),
  isPublished: z
    .boolean()
    .describe('False if Pub/Sub did not answer; the sweep then starts the answer within two minutes'),
});
/** A question in progress. */
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** Why a question was rejected; nothing was stored. */
export type QuestionRefusal =
  | { kind: 'unknown_session' }
  /** The investigation has not ended, or was deferred. */
  | {
      kind: 'not_ended';
      status: Exclude<Session['status'], 'completed' | 'failed' | 'cancelled' | 'timed_out'>;
    }
  /** Another question is in progress. */
  | { kind: 'busy'; stageId: string; deadline: Date }
  /** The chain answers no questions, or ran on code without chats. */
  | { kind: 'no_chat'; chain: string }
  | { kind: 'too_many' }
  /** Another question opened a chat with the client's id at the same moment. */
  | { kind: 'taken' }
  /** The tokens of the session are used up. */
  | { kind: 'used_up'; tokens: number }
  | BudgetRefusal;

/** Outcome of a question. */
export type AskOutcome = QuestionRefusal | ({ kind: 'asked' } & OpenQuestion);

/** Why a question is invalid, for people; undefined if it is valid. */
export function questionFault(text: string): string | undefined {
  const characters = [...text.trim()].length;
  if (characters === 0) return 'it is empty; write the question';
  if (characters <= MAX_QUESTION_CHARACTERS) return undefined;
  return `it has ${characters} characters; at most ${MAX_QUESTION_CHARACTERS} are read`;
}

/**
 * Asks a question about a session, and publishes the first message of its answer. Each call asks exactly
 * once, even if the outcome of its commit was unknown.
 * @throws RangeError for a text with a `questionFault`; RetryableError when other writers keep changing the
 *   session, or the store fails.
 */
export function askQuestion(sessionId: string, input: QuestionInput, deps: AlertDeps): Promise<AskOutcome> {
  const fault = questionFault(input.text);
  if (fault !== undefined) throw new RangeError(`the question cannot be asked: ${fault}`);
  const now = deps.clock.now();
  let tried: StartedStage | undefined;
  return retryLostRaces<AskOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.session(sessionId), sessionType);
    if (stored === undefined) return { kind: 'unknown_session' };
    // A commit can be stored although its response was lost. This one was stored, by this call.
    if (tried !== undefined && (await isStored(tried, deps))) return publishQuestion(tried, deps);
    const agent = budgetedAgent(stored.value, input);
    const refusal =
      findQuestionRefusal(stored.value) ??
      (agent && (await refuseByTokens(agent.limits.dailyTokens ?? [], agent, input.text, now, deps)));
    if (refusal !== undefined) return refusal;
    const asked = { ...input, agent: agent === stored.value.chain.chat ? undefined : agent };
    const { session, started } = await startQuestion(stored.value, asked, now, deps);
    const writes = [
      replaceSession(stored, session, deps),
      ...(await resumeChat(stored, deps)),
      ...started.writes,
      ...(input.beside?.(started.stage.stageId) ?? []),
    ];
    tried = started;
    const after = { session, stages: [started.stage] };
    const result = await announce({ session: stored.value }, after, writes, deps);
    if (!result.ok) return RACE_LOST;
    await deps.failpoint?.(CRASH_POINTS.afterQuestion);
    return publishQuestion(started, deps);
  });
}

function findQuestionRefusal({
  status,
  openStage,
  chain,
  questions,
  tokens,
}: Session): QuestionRefusal | undefined {
  if (openStage !== null) return { kind: 'busy', stageId: openStage.stageId, deadline: openStage.deadline };
  if (!isTerminal(status)) return { kind: 'not_ended', status };
  if (chain.chat === undefined) return { kind: 'no_chat', chain: chain.name };
  if (questions >= MAX_QUESTIONS) return { kind: 'too_many' };
  if (isSessionUsedUp(chain.chat.limits, tokens.total)) return { kind: 'used_up', tokens: tokens.total };
  return undefined;
}

/** The agent that answers, with the asking person's budgets; undefined if no questions are answered. */
function budgetedAgent(
  session: Session,
  { agent, config, userId = null }: QuestionInput,
): PlannedAgent | undefined {
  const { chat } = session.chain;
  const answering = agent ?? chat;
  if (answering === undefined || config?.budgetRules === undefined) return answering;
  const named = limitsOfSession(session, config, userId);
  return isDeepStrictEqual(named, namedLimits(answering)) ? answering : withLimits(answering, named);
}

/**
 * Returns the session with one more open question, and its stage. A question gets as much time as an
 * investigation of the session's chain, but no more than the retention of the session's documents.
 */
export async function startQuestion(
  before: Session,
  { text, by, userId = null, context = null, agent, findings = [] }: QuestionInput,
  now: Date,
  deps: Pick<AlertDeps, 'store' | 'log' | 'maskerFor' | 'wording' | 'stageFeatures'>,
): Promise<{ session: Session; started: StartedStage }> {
  const masker = deps.maskerFor(before.maskKey);
  const question = cleanText(masker, text.trim());
  const number = before.questions + 1;
  const { ms, questionMs } = readPart(modelWaitsPart, before) ?? { ms: 0, questionMs: 0 };
  const longest = before.deadline.getTime() - before.createdAt.getTime() - (ms - questionMs);
  const deadline = new Date(Math.min(now.getTime() + longest, before.expireAt.getTime()));
  const start = {
    index: computeChatIndex(before, number),
    kind: 'chat' as const,
    findings: [...(await chatFindings(before, deps)), ...findings],
    question: {
      text: question.text,
      by: cleanText(masker, by).text,
      userId: userId === null ? null : cleanText(masker, userId).text,
      masked: question.count,
      history: await loadConversation(before, agent ?? before.chain.chat, deps),
      deadline,
      agent: agent && maskAgent(agent, masker),
    },
  };
  const request = context === null ? undefined : maskContext(context, masker);
  const session: Session = {
    ...withPart(requestPart, before, request),
    steering: { ...before.steering, paused: null },
    openStage: { stageId: formatChatStageId(before, number), deadline, cancelling: false },
    questions: number,
  };
  return { session, started: startStage(session, start, now, deps) };
}

function maskContext(context: RequestContext, masker: Masker): RequestContext {
  const { clientId } = context;
  return { ...context, clientId: clientId === null ? null : cleanText(masker, clientId).text };
}

/** Resumes a session that ended while it was paused, so that later questions are answered. */
async function resumeChat({ value }: Stored<Session>, { store }: Pick<StateDeps, 'store'>): Promise<Write[]> {
  const { sessionId, steering } = value;
  if (steering.paused === null) return [];
  const path = paths.control(sessionId);
  const control = await store.get(path, controlType);
  if (control === undefined) return [];
  return [replaceDocument(path, controlType, { ...control.value, paused: false }, control.version)];
}

/** Whether this question is the one stored under its number: other people can ask at the same moment. */
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

/** Publishes the first message of an answer. If that fails, the sweep publishes it. */
export async function publishQuestion(
  { stage: { stageId }, executions: [execution] }: StartedStage,
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
