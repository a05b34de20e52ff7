// A person asks something without an alert: a session of its own, which the question opens.

import { randomBytes } from 'node:crypto';
import { resolveChain } from '../../config/chains.ts';
import type { SessionConfig } from '../../config/config.ts';
import { create } from '../../contract/store.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { controlType, paths, sessionType } from '../../schema/documents.ts';
import { type Session, sessionDueAt } from '../../schema/session.ts';
import { withStoredAgents } from '../agents/resolveAgents.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { AlertDeps } from '../deps.ts';
import { watchedUntil } from '../live/renewWatch.ts';
import { FRESH_SESSION } from '../session/freshSession.ts';
import { maskInstructions } from '../session/maskInstructions.ts';
import { ID_DIGITS, sessionIdOf } from '../session/sessionId.ts';
import { type Context, tenantOf } from '../tenants/context.ts';
import { type Asked, type AskOutcome, publishQuestion, questionFault, startQuestion } from './askQuestion.ts';
import { chatStageIdOf } from './chatStage.ts';
import { refuseByTokens, takeTickets } from './questionBudget.ts';

/** Characters of a question that its session's id is made of. */
const TITLE_CHARACTERS = 200;

/** Whose the chat is. */
type ChatOwner = Pick<Context, 'tenantId' | 'userId'>;

/** A question whose answer may be watched from its first word on. */
interface AskedAnew extends Asked, ChatOwner {
  /** Whether a stream of the session follows. Default: none does. */
  isWatched?: boolean;
}

/**
 * Opens a session with a question, which its chain's agent for questions answers. It counts as a session of its hour, and
 * its answer uses tokens of the day.
 * @param chainName default: the default chain.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN`; RangeError for a text with a `questionFault`; RetryableError when the store
 *   fails: the question may be stored then, and nothing answers it before the sweep.
 */
export async function openChat(
  asked: AskedAnew,
  chainName: string | undefined,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<Extract<AskOutcome, { kind: 'asked' | 'no_chat' | 'budget' }>> {
  const fault = questionFault(asked.text);
  if (fault !== undefined) throw new RangeError(`the question cannot be asked: ${fault}`);
  const found = await withStoredAgents(resolveChain(config, chainName), config, deps);
  if (found.chat === undefined) return { kind: 'no_chat', chain: found.name };
  const now = deps.clock.now();
  const { dailyTokens, sessionsPerHour } = config.budgets(found.name);
  const refusal =
    (await refuseByTokens(dailyTokens, found.chat, asked.text, now, deps)) ??
    (await takeTickets(sessionsPerHour, now, deps));
  if (refusal !== undefined) return refusal;
  const empty = newChat(asked, found, config, now, deps);
  const { session, started } = await startQuestion(empty, asked, now, deps);
  const value = { ...session, dueAt: sessionDueAt(session) };
  // The id is drawn for this call: where there is such a session already, an earlier try of the same commit stored it.
  const { sessionId, expireAt } = value;
  const control = { sessionId, watchedUntil: watchedUntil(now), paused: false, guidance: 0, expireAt };
  await deps.store.commit([
    create(paths.session(sessionId), sessionType, value),
    ...(asked.isWatched === true ? [create(paths.control(sessionId), controlType, control)] : []),
    ...started.writes,
  ]);
  await deps.failpoint?.(CRASH_POINTS.afterQuestion);
  return publishQuestion(started, deps);
}

function newChat(
  { text, tenantId, userId }: Asked & ChatOwner,
  found: Session['chain'],
  config: SessionConfig,
  now: Date,
  { maskerFor }: Pick<AlertDeps, 'maskerFor'>,
): Session {
  const maskKey = randomBytes(16).toString('hex');
  const masker = maskerFor(maskKey);
  const chain = maskInstructions(found, masker);
  const title = cleanText(masker, text.trim()).text.slice(0, TITLE_CHARACTERS);
  const key = randomBytes(32).toString('hex');
  return {
    ...FRESH_SESSION,
    sessionId: sessionIdOf({ title, publishedAt: now, key }, ID_DIGITS[1]),
    tenantId: tenantOf({ tenantId }),
    userId: userId === null ? null : cleanText(masker, userId).text,
    kind: 'chat',
    status: 'in_progress',
    alert: null,
    alertText: null,
    routing: null,
    dataNonce: randomBytes(6).toString('hex'),
    maskKey,
    chain,
    currentStageId: chatStageIdOf({ chain }, 1),
    deadline: new Date(now.getTime() + config.sessionDeadlineMs(chain.name)),
    dueAt: null,
    expireAt: new Date(now.getTime() + config.retentionMs),
    traceparent: null,
    createdAt: now,
  };
}
