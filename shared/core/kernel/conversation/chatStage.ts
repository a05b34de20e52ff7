// The questions about a session: their history, and the positions of their stages, which come after all
// stages of the chain and its executive summary.

import { composeExecutionId, composeStageId } from '../../schema/coreDocuments.ts';
import type { Session } from '../../schema/session.ts';

/** The name of every stage that answers a question. */
export const CHAT_STAGE = 'chat';

/** The index of the stage of a session's nth question, from 1. */
export function computeChatIndex({ chain }: Pick<Session, 'chain'>, question: number): number {
  return chain.stages.length + 1 + question;
}

/** The id of the stage of a session's nth question, from 1. */
export function formatChatStageId(session: Pick<Session, 'chain'>, question: number): string {
  return composeStageId(computeChatIndex(session, question), CHAT_STAGE);
}

/** The ids of the stages of all questions in a session. */
export function chatStageIds(session: Pick<Session, 'chain' | 'questions'>): string[] {
  return Array.from({ length: session.questions }, (_, index) => formatChatStageId(session, index + 1));
}

/** The id of the execution that answers a session's nth question, from 1. */
export function chatExecutionId(session: Pick<Session, 'chain'>, question: number): string {
  return composeExecutionId(computeChatIndex(session, question), session.chain.chat?.name ?? '');
}

/** The position of the answer to the nth question among the messages of its session, from 0. */
export function answerIndex(question: number): number {
  return 2 * question - 1;
}

/** The question that a message belongs to, from 1, and the role of its author. Derived from the index. */
export function questionOfMessage(index: number): { number: number; role: 'user' | 'assistant' } {
  return { number: Math.floor(index / 2) + 1, role: index % 2 === 0 ? 'user' : 'assistant' };
}
