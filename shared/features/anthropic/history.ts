// Compares the messages that a client sends again with the stored questions and answers of its session.

import { retellSearch } from '../../api/foreignClients/answerBlocks.ts';
import { WITHDRAWN_NOTE } from '../../api/foreignClients/appendOnlyText.ts';
import { type ClientMessage, composeQuestion } from '../../api/foreignClients/composeQuestion.ts';
import { invalidField, type Problem } from '../../api/http/problem.ts';
import type { RequestDeps } from '../../api/http/route.ts';
import { paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { type KeyedExchange, loadExchanges } from '../../kits/views/chat/loadHistory.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { answerParts } from '../../text/structuredAnswer.ts';

/**
 * Checks that the messages before the question are those of the session. None at all are accepted. An answer
 * can come back shortened, because `max_tokens` and stop sequences cut it.
 * @throws Problem `REQUEST_INVALID` that names the first message that differs; RetryableError.
 */
export async function checkHistory(
  messages: readonly ClientMessage[],
  session: Session,
  deps: RequestDeps,
): Promise<void> {
  const sent = messages.slice(0, -1).filter(({ role }) => role !== 'system');
  if (sent.length === 0) return;
  const { exchanges, leftOut } = await loadExchanges(session, deps);
  const masker = deps.maskerFor(session.maskKey);
  const clean = (text: string) => normalizeSpace(cleanText(masker, text.trim()).text);
  let left = messages.slice(0, -1);
  for (const [index, exchange] of [...exchanges.entries()].reverse()) {
    const [question, answer] = left.slice(-2);
    if (answer?.role !== 'assistant') throw differs(left.length - 1, messages);
    if (question?.role !== 'user') throw differs(left.length - 2, messages);
    if (!(await isAnswer(answer.text, exchange, session, deps))) throw differs(left.length - 1, messages);
    left = left.slice(0, -1);
    const isFirst = index === 0 && leftOut === 0;
    // The first question contains the messages before it.
    const text = isFirst ? composeQuestion(left, false) : question.text;
    if (clean(text) !== normalizeSpace(exchange.question)) throw differs(left.length - 1, messages);
    if (isFirst) return;
    left = left.slice(0, -1);
  }
  if (leftOut === 0) throw differs(left.length - 1, messages);
}

/** The problem of a message, by its place in `messages`; a system text before them is none of them. */
function differs(position: number, messages: readonly ClientMessage[]): Problem {
  const before = messages[0]?.role === 'system' ? 1 : 0;
  return invalidField(
    `body.messages.${Math.max(0, position - before)}`,
    'differs from the session of X-Session-Id; send the messages as they were, only the last message, or leave the header out',
  );
}

/**
 * Whether a text is a stored answer, or a start of it, with or without the texts that were sent before it.
 */
async function isAnswer(
  text: string,
  { answer, source }: KeyedExchange,
  session: Session,
  { store }: RequestDeps,
): Promise<boolean> {
  const sent = normalizeSpace(text);
  if (sent === '') return true;
  if (normalizeSpace(answer).startsWith(sent)) return true;
  const events = await store.list(
    {
      collection: paths.timeline(session.sessionId),
      idRange: { from: `${source.executionId}.`, to: `${source.executionId}.~` },
    },
    timelineEventType,
  );
  const texts = events.flatMap(({ value }) => shownTexts(value));
  return matchesTexts(sent, texts);
}

/** The texts that a stream contains for an event. */
function shownTexts(event: TimelineEvent): string[] {
  switch (event.eventType) {
    case 'llm_response':
      return [event.content];
    case 'google_search_result':
      return [retellSearch(event)];
    case 'final_analysis':
      return [answerParts(event.metadata.output ?? '').answer ?? event.content];
    default:
      return [];
  }
}

/** Whether a text consists of the texts in their order, each at most once; the last one can be shortened. */
function matchesTexts(sent: string, texts: readonly string[]): boolean {
  let rest = sent;
  for (const text of texts.map(normalizeSpace)) {
    if (rest === '' || text.startsWith(rest)) return true;
    // Words that were withdrawn while they streamed are no part of the answer.
    const at = rest.indexOf(text);
    if (at === 0 || (at > 0 && rest.slice(0, at).trimEnd().endsWith(WITHDRAWN_NOTE)))
      rest = rest.slice(at + text.length).trim();
  }
  return rest === '';
}

const normalizeSpace = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
