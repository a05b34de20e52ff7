// A person asks a question without an alert: the question opens a session of its own.

import { withLimits } from '../../config/budgets.ts';
import { resolveChain } from '../../config/chains.ts';
import type { SessionConfig } from '../../config/config.ts';
import { computeExpiry } from '../../config/retention.ts';
import { budgetsOfSession, chainLimits, limitsOfSession } from '../../config/sessionLimits.ts';
import { announce } from '../../core/contract/announce.ts';
import { createDocument } from '../../core/contract/store.ts';
import { formatChatStageId } from '../../core/kernel/conversation/chatStage.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import { type AlertDeps, randomHex } from '../../core/kernel/deps.ts';
import { watchedUntil } from '../../core/kernel/execution/readControl.ts';
import { FRESH_SESSION } from '../../core/kernel/session/freshSession.ts';
import { deriveFields } from '../../core/kernel/stageFeature.ts';
import { controlType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { NO_PARTS } from '../../core/schema/parts.ts';
import { type Session, sessionDueAt } from '../../core/schema/session.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskInstructions } from '../../masking/maskInstructions.ts';
import { withStoredAgents } from '../agents/resolveAgents.ts';
import { withTier } from '../agents/serviceTier.ts';
import { deriveSessionId, ID_DIGITS } from '../alerts/sessionId.ts';
import { type Context, storedTenant } from '../tenants/context.ts';
import {
  type AskOutcome,
  publishQuestion,
  type QuestionInput,
  questionFault,
  startQuestion,
} from './askQuestion.ts';
import { type ChatPlace, nameChat } from './chatKey.ts';
import { chatKeyType } from './chatKeyDocument.ts';
import { refuseBySessions, refuseByTokens } from './questionBudget.ts';

/** Number of characters of the question in the title from which the session id is built. */
const TITLE_CHARACTERS = 200;

type ChatOwner = Pick<Context, 'tenantId' | 'userId'>;

/** The first question of a chat. Its answer can be watched from the start. */
interface ChatInput extends Omit<QuestionInput, 'userId'>, ChatOwner {
  /** The client's own id of the chat. Absent: none. */
  place?: ChatPlace | undefined;
  /** Whether a stream of the session follows. Default: false. */
  isWatched?: boolean;
  /** The most seconds for an answer, if the chain has more. */
  seconds?: number;
}

/**
 * Opens a session with a question, which the chat agent of its chain answers. It counts as a session of its
 * hour, and its answer uses daily tokens.
 * @param chainName default: the default chain.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN`; RangeError for a text with a `questionFault`; RetryableError
 *   when the store fails: the question might be stored then, and the sweep starts its answer.
 * @returns `taken` if another question opened a chat with the client's id meanwhile; nothing was stored.
 */
export async function openChat(
  input: ChatInput,
  chainName: string | undefined,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<Extract<AskOutcome, { kind: 'asked' | 'no_chat' | 'budget' | 'taken' }>> {
  const fault = questionFault(input.text);
  if (fault !== undefined) throw new RangeError(`the question cannot be asked: ${fault}`);
  const found = await withStoredAgents(resolveChain(config, chainName), config, deps);
  if (found.chat === undefined) return { kind: 'no_chat', chain: found.name };
  const now = deps.clock.now();
  const owner = { ...input, tenantId: storedTenant(input), chain: found, ...NO_PARTS };
  const agent = input.agent ?? found.chat;
  const limited = withLimits(agent, limitsOfSession(owner, config), chainLimits(agent, owner, config));
  const chat = withTier(limited, null, false);
  const { sessionsPerHour } = budgetsOfSession(owner, config);
  const refusal =
    (await refuseByTokens(chat.limits.dailyTokens ?? [], chat, input.text, now, deps)) ??
    (await refuseBySessions(sessionsPerHour, now, deps));
  if (refusal !== undefined) return refusal;
  const empty = newChat(input, { ...found, chat }, config, now, deps);
  const asked = { ...input, ...(input.agent && { agent: chat }) };
  const { session, started } = await startQuestion(empty, asked, now, deps);
  const value = { ...session, dueAt: sessionDueAt(session) };
  // The id is new in this call: if the session exists, an earlier attempt of this commit stored it.
  const { sessionId, expireAt } = value;
  const control = { sessionId, watchedUntil: watchedUntil(now), paused: false, guidance: 0, expireAt };
  const batch = [
    createDocument(paths.session(sessionId), sessionType, deriveFields(value, undefined, deps)),
    ...(input.isWatched === true ? [createDocument(paths.control(sessionId), controlType, control)] : []),
    ...(input.place === undefined ? [] : [nameChat(input.place, value)]),
    ...started.writes,
  ];
  const result = await announce({}, { session: value, stages: [started.stage] }, batch, deps);
  if (!result.ok && input.place !== undefined && (await isTaken(input.place, sessionId, deps)))
    return { kind: 'taken' };
  await deps.failpoint?.(CRASH_POINTS.afterQuestion);
  return publishQuestion(started, deps);
}

/** Whether a client's id belongs to another session than the one that this call opens. */
async function isTaken(
  { path }: ChatPlace,
  sessionId: string,
  { store }: Pick<AlertDeps, 'store'>,
): Promise<boolean> {
  const key = await store.get(path, chatKeyType);
  return key?.value.sessionId !== sessionId;
}

function newChat(
  { text, tenantId, userId, seconds = Infinity }: ChatInput,
  found: Session['chain'],
  config: SessionConfig,
  now: Date,
  deps: Pick<AlertDeps, 'maskerFor' | 'randomBytes'>,
): Session {
  const maskKey = randomHex(deps, 16);
  const masker = deps.maskerFor(maskKey);
  const chain = maskInstructions(found, masker);
  const title = cleanText(masker, text.trim()).text.slice(0, TITLE_CHARACTERS);
  const key = randomHex(deps, 32);
  return {
    ...FRESH_SESSION,
    sessionId: deriveSessionId({ title, publishedAt: now, key }, ID_DIGITS[1]),
    tenantId: storedTenant({ tenantId }),
    userId: userId === null ? null : cleanText(masker, userId).text,
    kind: 'chat',
    title,
    status: 'in_progress',
    input: null,
    dataNonce: randomHex(deps, 6),
    maskKey,
    chain,
    currentStageId: formatChatStageId({ chain }, 1),
    deadline: new Date(now.getTime() + Math.min(config.sessionDeadlineMs(chain.name), seconds * 1_000)),
    dueAt: null,
    expireAt: computeExpiry(config, now),
    traceparent: null,
    createdAt: now,
  };
}
