// The earlier session that a new one refers to, when a problem still fires and was not resolved in between.

import { isTerminal } from '../../../schema/common.ts';
import type { Reinvestigated, Session } from '../../../schema/session.ts';
import { limitText } from '../../../text/limitText.ts';
import type { SessionNotice } from '../../kernel/session/sessionEvents.ts';

/** UTF-8 bytes of the earlier analysis: the session's document and the first message of each agent contain it. */
const MAX_TEXT_BYTES = 32_000;

/** The session before, and the event about it. */
export interface Reinvestigation {
  reinvestigates: Reinvestigated;
  notice: SessionNotice;
}

/** The reference to a session that has ended; null for one that has not ended. */
export function reinvestigationOf(before: Session): Reinvestigation | null {
  const { sessionId, status, endedAt, finalAnalysis, partial } = before;
  if (!isTerminal(status) || endedAt === null) return null;
  const isAnalysis = finalAnalysis !== null;
  const text = limitText(finalAnalysis ?? partial?.text ?? '', MAX_TEXT_BYTES).content;
  const reinvestigates = { sessionId, endedAt, isAnalysis, text: text === '' ? null : text };
  const why = isAnalysis
    ? `The problem still fires and was not resolved since session ${sessionId}: it is investigated again, with the analysis of that session as a reference.`
    : `Session ${sessionId} ended as ${status} without an analysis, and the problem still fires: it is investigated again.`;
  return { reinvestigates, notice: { code: 'reinvestigation', subject: sessionId, content: why } };
}
