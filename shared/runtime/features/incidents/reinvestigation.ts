// The earlier session that a new one refers to, when a problem still fires and was not resolved in between.

import { cleanText } from '../../../masking/cleanText.ts';
import { isTerminal } from '../../../schema/common.ts';
import { limitText } from '../../../text/limitText.ts';
import type { AddedContext } from '../../kernel/feature/intakeFeature.ts';
import type { AdmittedAlert } from '../../kernel/intake/alert.ts';

/** UTF-8 bytes of the earlier analysis: the session's document and the first message of each agent contain it. */
const MAX_TEXT_BYTES = 32_000;

/** The reference of a new session to the earlier one of its problem; nothing for one that has not ended, or without one. */
export function referToEarlier({ problem, masker }: AdmittedAlert): AddedContext {
  const before = problem?.again ?? null;
  if (before === null) return NOTHING;
  const { sessionId, status, endedAt, finalAnalysis, partial } = before;
  if (!isTerminal(status) || endedAt === null) return NOTHING;
  const isAnalysis = finalAnalysis !== null;
  const text = limitText(finalAnalysis ?? partial?.text ?? '', MAX_TEXT_BYTES).content;
  // The rules of masking can have changed since the text was stored.
  const masked = text === '' ? null : cleanText(masker, text).text;
  const why = isAnalysis
    ? `The problem still fires and was not resolved since session ${sessionId}: it is investigated again, with the analysis of that session as a reference.`
    : `Session ${sessionId} ended as ${status} without an analysis, and the problem still fires: it is investigated again.`;
  return {
    change: { reinvestigates: { sessionId, endedAt, isAnalysis, text: masked } },
    notice: { code: 'reinvestigation', subject: sessionId, content: why },
  };
}

const NOTHING: AddedContext = { change: {}, notice: null };
