// The earlier analysis of a problem that still fires, for the agents that investigate it again.

import type { Reinvestigated } from '../schema/session.ts';
import { frameData } from '../text/frame.ts';
import { withoutMarks } from './findings.ts';

/** The earlier session and its analysis, framed as data. */
export function reinvestigationPrompt(
  { sessionId, endedAt, text, isAnalysis }: Reinvestigated,
  nonce: string,
): string {
  const session = `session ${sessionId}, which ended ${endedAt.toISOString()}`;
  if (text === null)
    return `Investigated before: this problem was already open in ${session} without an analysis.`;
  const intro = isAnalysis
    ? `Investigated before: this problem was already open in ${session}, and has not been resolved since. Its analysis is a reference: it can be wrong or outdated. Check whether it still holds, look for what it missed, and state what has changed.`
    : `Investigated before: this problem was already open in ${session} without an analysis. This is what it looked at:`;
  const source = 'earlier session';
  return [intro, frameData(withoutMarks(text), { nonce, source })].join('\n\n');
}
