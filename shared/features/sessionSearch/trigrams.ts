// The trigrams of a session, which are computed from its texts.

import { alertBodyIn } from '../../alerts/prompt.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { searchPart } from '../../search/searchPart.ts';
import { sessionTrigrams } from '../../search/sessionText.ts';

const SEARCHED = ['title', 'input', 'executiveSummary', 'finalAnalysis'] as const;

/** The session with the trigrams of its texts. Reuses the trigrams of `before` if the texts are equal. */
export function withTrigrams(session: Session, before?: Session): Session {
  const isSame =
    before !== undefined &&
    readPart(searchPart, before) !== undefined &&
    readSessionAlert(session) === readSessionAlert(before) &&
    SEARCHED.every((field) => session[field] === before[field]);
  if (isSame) return session;
  const trigrams = sessionTrigrams({
    ...session,
    alert: readSessionAlert(session),
    body: alertBodyIn(session.input),
  });
  return withPart(searchPart, session, trigrams.length === 0 ? undefined : { trigrams });
}

/** Keeps the trigrams of a session in step with its texts. */
export const TRIGRAMS: StageFeature = { deriveFields: withTrigrams };
