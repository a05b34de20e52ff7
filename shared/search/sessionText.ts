// The searchable text of a session: its opening and its findings. Pure.

import type { Session } from '../core/schema/session.ts';
import { cutText } from '../text/cut.ts';
import { MAX_FINDING_TRIGRAMS, MAX_OPENING_TRIGRAMS } from './searchPart.ts';
import { listTrigrams } from './trigrams.ts';

/** Characters of the alert's body, and of the analysis, that are searched. */
const MAX_TEXT = 8_000;

/** The parts of a session that are searched. */
export interface SearchedSession extends Pick<Session, 'title' | 'executiveSummary' | 'finalAnalysis'> {
  /** Null for a session that a question opened. */
  alert: { title: string; summary: string | null; labels: Record<string, string> } | null;
  /** The body of the alert, without secrets. */
  body: string;
}

/** The text that holds the words by which a session is found. */
export function sessionText(session: SearchedSession): string {
  return [joinOpeningText(session), joinFindings(session)].join('\n');
}

/**
 * The trigrams by which a session is found. Those of its findings come last and have a limit of their own, so
 * that a session that ends is found by all that it was found by before.
 */
export function sessionTrigrams(session: SearchedSession): string[] {
  const opening = listTrigrams(joinOpeningText(session), MAX_OPENING_TRIGRAMS);
  const findings = listTrigrams(joinFindings(session), MAX_FINDING_TRIGRAMS);
  return [...new Set([...opening, ...findings])];
}

function joinOpeningText({ title, alert, body }: SearchedSession): string {
  const { title: alertTitle = null, summary = null, labels = {} } = alert ?? {};
  return [
    title,
    alertTitle,
    ...Object.entries(labels).map(([name, value]) => `${name} ${value}`),
    summary,
    cutText(body, MAX_TEXT),
  ]
    .filter((piece) => piece !== null)
    .join('\n');
}

function joinFindings({ executiveSummary, finalAnalysis }: SearchedSession): string {
  return [executiveSummary ?? '', cutText(finalAnalysis ?? '', MAX_TEXT)].join('\n');
}
