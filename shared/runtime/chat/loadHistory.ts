// The earlier questions of a session with their answers.

import { executionIdOf, executionType, paths, timelineEventType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../reading.ts';
import { chatIndexOf } from './chatStage.ts';
import { compressAnswer } from './compressAnswer.ts';

/** A question that was answered. */
interface Exchange {
  question: string;
  /** Shortened: the whole is in the timeline. */
  answer: string;
}

/** What was asked before, oldest first. */
export interface ChatHistory {
  exchanges: Exchange[];
  /** Number of earlier questions that there is no room for. */
  leftOut: number;
}

/** The latest questions are repeated, as many as fit: so many, and so many UTF-8 bytes. Each further one costs two reads. */
const MAX_EXCHANGES = 20;
const MAX_BYTES = 200_000;

/**
 * The questions of a session that were answered. One whose documents are gone or broken is left out: it must not keep a
 * person from asking.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function loadHistory(
  session: Session,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ChatHistory> {
  const { sessionId, questions, chain } = session;
  const count = Math.min(questions, MAX_EXCHANGES);
  const numbers = Array.from({ length: count }, (_, position) => questions - count + position + 1);
  const found = await Promise.all(
    numbers.map(async (number) => {
      const executionId = executionIdOf(chatIndexOf(session, number), chain.chat?.name ?? '');
      const [question, execution] = await Promise.all([
        captureFailure(store.get(paths.event(sessionId, executionId, 1), timelineEventType)),
        captureFailure(store.get(paths.execution(sessionId, executionId), executionType)),
      ]);
      const answer = execution.value?.value.finalAnalysis;
      if (question.value === undefined || !answer) return [];
      return [{ question: question.value.value.content, answer: compressAnswer(answer) }];
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
