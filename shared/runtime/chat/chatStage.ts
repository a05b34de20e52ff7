// Where the stages of questions stand: behind all stages of the chain and its executive summary.

import { stageIdOf } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';

/** The name of every stage that answers a question. */
export const CHAT_STAGE = 'chat';

/** The index of the stage of a session's nth question, from 1. */
export function chatIndexOf({ chain }: Pick<Session, 'chain'>, question: number): number {
  return chain.stages.length + 1 + question;
}

/** The id of the stage of a session's nth question, from 1. */
export function chatStageIdOf(session: Pick<Session, 'chain'>, question: number): string {
  return stageIdOf(chatIndexOf(session, question), CHAT_STAGE);
}

/** The ids of the stages of all questions that were asked about a session. */
export function chatStageIds(session: Pick<Session, 'chain' | 'questions'>): string[] {
  return Array.from({ length: session.questions }, (_, index) => chatStageIdOf(session, index + 1));
}
