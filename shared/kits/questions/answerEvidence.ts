// Loads the earlier questions of a session for the agent that answers the next one: with the calls behind
// each answer, and the heads of their results.

import { InquestError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { describeSteps } from '../../core/prompts/evidence.ts';
import type { ChatHistory } from '../../core/prompts/wording.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import type { Session } from '../../core/schema/session.ts';
import { readSteps } from '../../core/stage/readWork.ts';
import { fitExchanges, type KeyedExchange, loadExchanges, spaceLeft } from '../views/chat/loadHistory.ts';

/** Limit of the evidence of all earlier answers, in UTF-8 bytes: about 15,000 tokens. */
const MAX_EVIDENCE_BYTES = 60_000;
/** Minimum bytes of the evidence of one answer. With less, that of the oldest answers is omitted. */
const MIN_EVIDENCE_BYTES = 1_000;
/** An answer with no more events than its question and its conclusion has no calls. */
const EVENTS_WITHOUT_CALLS = 2;

/**
 * Loads the answered questions of a session, as `fitExchanges` shortens them, with evidence in the space that
 * they leave. If the evidence cannot be read, returns the questions without it: a read failure must not block
 * a question.
 * @param agent the agent that answers the next question; absent: an agent without tools.
 */
export async function loadConversation(
  session: Session,
  agent: PlannedAgent | undefined,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<ChatHistory> {
  const { exchanges: answered, leftOut } = await loadExchanges(session, deps);
  const exchanges = fitExchanges(answered, agent);
  const history = { exchanges, leftOut: leftOut + answered.length - exchanges.length };
  try {
    const room = Math.min(MAX_EVIDENCE_BYTES, spaceLeft(exchanges, agent));
    return { ...history, exchanges: await withEvidence(exchanges, room, deps) };
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const { sessionId } = session;
    deps.log.warn(
      { sessionId, err: error },
      'the evidence of earlier answers cannot be read; it is not shown',
    );
    return history;
  }
}

/** The exchanges with evidence, in equal shares of `room` bytes, the latest answers first. */
async function withEvidence(
  exchanges: readonly KeyedExchange[],
  room: number,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ChatHistory['exchanges']> {
  const worked = exchanges.filter(({ source }) => source.lastEvent > EVENTS_WITHOUT_CALLS);
  const count = Math.min(worked.length, Math.floor(room / MIN_EVIDENCE_BYTES));
  const shown = worked.slice(worked.length - count);
  return Promise.all(
    exchanges.map(async (exchange) => {
      if (!shown.includes(exchange)) return exchange;
      const work = await readSteps(exchange.source, store);
      return work.steps.length === 0
        ? exchange
        : { ...exchange, evidence: describeSteps(work, Math.floor(room / count)) };
    }),
  );
}
