// The marks of a session, which no entry of the knowledge base keeps. Pure.

import { MARK } from '../../masking/scan/maskMarks.ts';

/** Replaces the mark of a secret: its digits have a meaning only in their own session. */
const NO_MARK = '***';

/** The text with each mark of a session replaced. */
export function withoutMarks(text: string): string {
  return text.replace(MARK, NO_MARK);
}
