// The earlier questions of a session with their answers.

import type { Store } from '../../../contract/store.ts';
import { InquestError } from '../../../errors.ts';
import type { PlannedAgent } from '../../../schema/agent.ts';
import { executionType, paths, timelineEventType } from '../../../schema/documents.ts';
import type { Session } from '../../../schema/session.ts';
import { limitText } from '../../../text/limitText.ts';
import { answerIndex, chatExecutionId } from '../conversation/chatStage.ts';
import { messageKey } from '../conversation/messageKey.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../documents/reading.ts';
import { compressAnswer } from './compressAnswer.ts';

/** A question that was answered. */
interface Exchange {
  question: string;
  /** Whole, unless the conversation has no room for it and the agent can look it up by its key. */
  answer: string;
}

/** A question that was answered, with the key by which its answer is looked up. */
type KeyedExchange = Exchange & { key: string };

/** What was asked before, oldest first. */
export interface ChatHistory {
  exchanges: Exchange[];
  /** Number of earlier questions that there is no room for, or that could not be read. */
  leftOut: number;
}

/** The latest questions are repeated, at most so many. Each costs two reads. */
const MAX_EXCHANGES = 20;
/** UTF-8 bytes of all questions and answers that are repeated: about 50,000 tokens. */
const MAX_BYTES = 200_000;
/** Bytes that the latest answer has in any case. */
const MIN_ANSWER_BYTES = 2_000;

/**
 * The questions of a session that were answered, with whole answers as long as all of them fit. Above that the oldest answers
 * are shortened for an agent that can look them up; for every other agent the oldest questions are left out. A question
 * whose documents are gone or broken is left out. Where the store does not give them, or newer code wrote them, all are left
 * out: nothing of this must keep a person from asking.
 */
export async function loadHistory(
  session: Session,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<ChatHistory> {
  try {
    return await readHistory(session, store);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const { sessionId, questions } = session;
    log.warn(
      { sessionId, err: error },
      'what was asked before cannot be read; the question is asked without it',
    );
    return { exchanges: [], leftOut: questions };
  }
}

async function readHistory(session: Session, store: Store): Promise<ChatHistory> {
  const { sessionId, questions } = session;
  const count = Math.min(questions, MAX_EXCHANGES);
  const numbers = Array.from({ length: count }, (_, position) => questions - count + position + 1);
  const found = await Promise.all(
    numbers.map(async (number) => {
      const executionId = chatExecutionId(session, number);
      const [question, execution] = await Promise.all([
        captureFailure(store.get(paths.event(sessionId, executionId, 1), timelineEventType)),
        captureFailure(store.get(paths.execution(sessionId, executionId), executionType)),
      ]);
      const answer = execution.value?.value.finalAnalysis;
      if (question.value === undefined || !answer) return [];
      const key = messageKey(sessionId, answerIndex(number));
      return [{ question: question.value.value.content, answer, key }];
    }),
  );
  const answered = found.flat();
  const exchanges = latestThatFit(shortened(answered, session.chain.chat), bytesFor(session.chain.chat));
  return { exchanges, leftOut: questions - count + answered.length - exchanges.length };
}

/** What a conversation has room for, in UTF-8 bytes. */
function bytesFor(agent: PlannedAgent | undefined): number {
  return Math.min(MAX_BYTES, agent?.limits.conversationBytes ?? MAX_BYTES);
}

/** The exchanges with the oldest answers shortened until all fit; unchanged for an agent that could not read the rest. */
function shortened(exchanges: KeyedExchange[], agent: PlannedAgent | undefined): Exchange[] {
  // An agent with any tool has `read_result`, which reads messages by their keys, as `search` does.
  const canLookUp = agent !== undefined && agent.tools.length > 0;
  let excess = exchanges.reduce((sum, one) => sum + bytesOf(one), 0) - bytesFor(agent);
  return exchanges.map(({ question, answer, key }) => {
    if (!canLookUp || excess <= 0) return { question, answer };
    const { text } = compressAnswer(answer, key);
    excess -= Buffer.byteLength(answer) - Buffer.byteLength(text);
    return { question, answer: text };
  });
}

/** The latest exchanges that fit; of a single one that is larger, its answer has head and tail. */
function latestThatFit(exchanges: Exchange[], maxBytes: number): Exchange[] {
  let bytes = 0;
  const first = exchanges.findLastIndex((exchange) => {
    bytes += bytesOf(exchange);
    return bytes > maxBytes;
  });
  const latest = exchanges.slice(first + 1);
  const last = exchanges.at(-1);
  if (latest.length > 0 || last === undefined) return latest;
  const { question, answer } = last;
  const room = Math.max(MIN_ANSWER_BYTES, maxBytes - Buffer.byteLength(question));
  return [{ question, answer: limitText(answer, room).content }];
}

function bytesOf({ question, answer }: Exchange): number {
  return Buffer.byteLength(question) + Buffer.byteLength(answer);
}
