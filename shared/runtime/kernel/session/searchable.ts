// The trigrams of a session, which follow from its texts.

import { alertBodyIn } from '../../../alerts/prompt.ts';
import type { Session } from '../../../schema/session.ts';
import { sessionTrigrams } from '../../../search/sessionText.ts';

const SEARCHED = ['title', 'alert', 'alertText', 'executiveSummary', 'finalAnalysis'] as const;

/** The session with the trigrams of its texts. Where it has the same texts as `before`, it keeps its trigrams. */
export function searchable(session: Session, before?: Session): Session {
  const isSame =
    before?.trigrams.length !== 0 && SEARCHED.every((field) => session[field] === before?.[field]);
  if (isSame) return session;
  return { ...session, trigrams: sessionTrigrams({ ...session, body: alertBodyIn(session.alertText) }) };
}
