// The earlier questions of a session with their answers.

import type { Store } from '../../../core/contract/store.ts';
import { readAbilities } from '../../../core/controllers/abilities.ts';
import { InquestError } from '../../../core/errors.ts';
import { answerIndex, chatExecutionId } from '../../../core/kernel/conversation/chatStage.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import { captureFailure } from '../../../core/kernel/documents/reading.ts';
import type { Exchange } from '../../../core/prompts/wording.ts';
import type { PlannedAgent } from '../../../core/schema/agent.ts';
import { executionType, paths, timelineEventType } from '../../../core/schema/coreDocuments.ts';
import type { Execution } from '../../../core/schema/execution.ts';
import type { Session } from '../../../core/schema/session.ts';
import { limitText } from '../../../text/limitText.ts';
import { compressAnswer } from './compressAnswer.ts';
import { messageKey } from './messageKey.ts';

/** An answered question with its answer, and where both are stored. */
export interface KeyedExchange extends Exchange {
  /** The key for looking up the whole answer. */
  key: string;
  /** The execution that answered. */
  source: Pick<Execution, 'sessionId' | 'executionId' | 'lastEvent' | 'lastMessage'>;
}

/** Maximum number of repeated questions, the latest ones. Each costs two reads. */
const MAX_EXCHANGES = 20;
/** Limit of all repeated questions and answers, in UTF-8 bytes: about 50,000 tokens. */
const MAX_BYTES = 200_000;
/** Minimum size of the latest answer, in bytes. */
const MIN_ANSWER_BYTES = 2_000;

/**
 * Loads the answered questions of a session with whole answers, and the number of those that are omitted. A
 * question whose documents are missing or broken is omitted. If the store fails, or newer code wrote the
 * documents, all are omitted: a read failure must not block a question.
 */
export async function loadExchanges(
  session: Session,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<{ exchanges: KeyedExchange[]; leftOut: number }> {
  try {
    return await readExchanges(session, store);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const { sessionId, questions } = session;
    log.warn(
      { sessionId, err: error },
      'earlier questions cannot be read; the question is asked without them',
    );
    return { exchanges: [], leftOut: questions };
  }
}

/**
 * The exchanges that an agent is shown: whole if all of them fit in its conversation. Otherwise the oldest
 * answers are shortened for an agent that can look them up; for any other agent, the oldest questions are
 * omitted.
 */
export function fitExchanges(
  exchanges: readonly KeyedExchange[],
  agent: PlannedAgent | undefined,
): KeyedExchange[] {
  return latestThatFit(shortenAnswers(exchanges, agent), bytesFor(agent));
}

async function readExchanges(session: Session, store: Store) {
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
      const source = execution.value?.value;
      if (question.value === undefined || !source?.finalAnalysis) return [];
      const key = messageKey(sessionId, answerIndex(number));
      return [{ question: question.value.value.content, answer: source.finalAnalysis, key, source }];
    }),
  );
  return { exchanges: found.flat(), leftOut: questions - count };
}

/** The space that exchanges leave in the conversation of an agent, in UTF-8 bytes; at least 0. */
export function spaceLeft(exchanges: readonly Exchange[], agent: PlannedAgent | undefined): number {
  return Math.max(
    0,
    exchanges.reduce((left, one) => left - countExchangeBytes(one), bytesFor(agent)),
  );
}

/** The space of a conversation, in UTF-8 bytes. */
function bytesFor(agent: PlannedAgent | undefined): number {
  return Math.min(MAX_BYTES, agent?.limits.conversationBytes ?? MAX_BYTES);
}

/** Shortens the oldest answers until all fit; unchanged for an agent that cannot look up the rest. */
function shortenAnswers(
  exchanges: readonly KeyedExchange[],
  agent: PlannedAgent | undefined,
): KeyedExchange[] {
  // Every agent that is offered tools has `read_result`, which, like `search`, reads messages by their keys.
  const canLookUp = agent !== undefined && agent.tools.length > 0 && readAbilities(agent.strategy).tools;
  let excess = exchanges.reduce((sum, one) => sum + countExchangeBytes(one), -bytesFor(agent));
  return exchanges.map((exchange) => {
    if (!canLookUp || excess <= 0) return exchange;
    const { answer, key } = exchange;
    const shortened = compressAnswer(answer, key);
    excess -= Buffer.byteLength(answer) - Buffer.byteLength(shortened);
    return { ...exchange, answer: shortened };
  });
}

/** The latest exchanges that fit. If a single one is too large, its answer is cut to head and tail. */
function latestThatFit(exchanges: KeyedExchange[], maxBytes: number): KeyedExchange[] {
  let bytes = 0;
  const first = exchanges.findLastIndex((exchange) => {
    bytes += countExchangeBytes(exchange);
    return bytes > maxBytes;
  });
  const latest = exchanges.slice(first + 1);
  const last = exchanges.at(-1);
  if (latest.length > 0 || last === undefined) return latest;
  const { question, answer } = last;
  const room = Math.max(MIN_ANSWER_BYTES, maxBytes - Buffer.byteLength(question));
  return [{ ...last, answer: limitText(answer, room).content }];
}

function countExchangeBytes({ question, answer }: Exchange): number {
  return Buffer.byteLength(question) + Buffer.byteLength(answer);
}
