// The earlier session that a new one refers to, when a problem still fires and was not resolved in between.

import { reinvestigationPart } from '../../alerts/schema/reinvestigation.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import type { AdmittedAlert } from '../../kits/alerts/alert.ts';
import type { AddedContext } from '../../kits/alerts/intakeFeature.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { forPrompt, isConfirmed } from '../../search/trust.ts';
import { limitText } from '../../text/limitText.ts';

/** UTF-8 bytes of the earlier analysis, in the session's document and each agent's first message. */
const MAX_TEXT_BYTES = 32_000;

/**
 * The reference of a new session to the earlier one of its problem; nothing for one that has not ended, or
 * without one. Only an analysis that a person confirmed is part of it.
 * @throws RetryableError when the store fails.
 */
export async function referToEarlier(
  { problem, masker }: AdmittedAlert,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<AddedContext> {
  const before = problem?.again ?? null;
  if (before === null) return NOTHING;
  const { sessionId, status, endedAt, finalAnalysis } = before;
  if (!isTerminal(status) || endedAt === null) return NOTHING;
  const isAnalysis = finalAnalysis !== null;
  const text = limitText(isAnalysis ? await confirmedText(before, deps) : '', MAX_TEXT_BYTES).content;
  // The rules of masking can have changed since the text was stored.
  const masked = text === '' ? null : cleanText(masker, text).text;
  const reference =
    text === ''
      ? 'No person confirmed the analysis of that session: agents do not see it.'
      : 'Agents see its analysis.';
  const why = isAnalysis
    ? `The problem still fires and was not resolved since session ${sessionId}: it is investigated again. ${reference}`
    : `Session ${sessionId} ended as ${status} without an analysis, and the problem still fires: it is investigated again.`;
  return {
    change: withPart(reinvestigationPart, NO_PARTS, { sessionId, endedAt, isAnalysis, text: masked }),
    notice: { code: 'reinvestigation', subject: sessionId, content: why },
  };
}

const NOTHING: AddedContext = { change: {}, notice: null };

/** The analysis as prompts can hold it; empty without a review that confirmed it. */
async function confirmedText(
  { tenantId, sessionId }: Session,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<string> {
  const path = knowledgeType.paths.knowledgeEntry(tenantId, sessionEntryKey(sessionId));
  const stored = await readOrWarn(store.get(path, knowledgeType), 'the analysis counts as unreviewed', log);
  if (stored === undefined || stored === UNREADABLE || !isConfirmed(stored.value)) return '';
  return forPrompt(stored.value).text;
}
