// The earlier questions of a session with their answers.

import type { Store } from '../../contract/store.ts';
import { InquestError } from '../../errors.ts';
import { executionType, paths, timelineEventType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../reading.ts';
import { answerIndex, chatExecutionId } from './chatStage.ts';
import { compressAnswer } from './compressAnswer.ts';
import { messageKey } from './messageKey.ts';

/** A question that was answered. */
interface Exchange {
  question: string;
  /** Shortened: the whole is in the timeline, and `lookupMessage` finds it. */
  answer: string;
}

/** What was asked before, oldest first. */
export interface ChatHistory {
  exchanges: Exchange[];
  /** Number of earlier questions that there is no room for, or that could not be read. */
  leftOut: number;
}

/** The latest questions are repeated, as many as fit: so many, and so many UTF-8 bytes. Each further one costs two reads. */
const MAX_EXCHANGES = 20;
const MAX_BYTES = 200_000;

/**
 * The questions of a session that were answered. One whose documents are gone or broken is left out, and where the store
 * does not give them, or newer code wrote them, all are: nothing of this must keep a person from asking.
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
      const { text } = compressAnswer(answer, messageKey(sessionId, answerIndex(number)));
      return [{ question: question.value.value.content, answer: text }];
    }),
  );
  const exchanges: Exchange[] = [];
  let bytes = 0;
  const answered = found.flat();
  for (const exchange of answered.toReversed()) {
    bytes += Buffer.byteLength(exchange.question) + Buffer.byteLength(exchange.answer);
    if (bytes > MAX_BYTES) break;
    exchanges.unshift(exchange);
  }
  return { exchanges, leftOut: questions - count + answered.length - exchanges.length };
}
