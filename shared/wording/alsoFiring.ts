// The prompt and the event about alerts that share labels with the alert of a session.

import type { RelatedAlert } from '../alerts/schema/correlation.ts';
import { withoutMarks } from '../core/prompts/findings.ts';
import { quoteText } from '../text/cut.ts';
import { isoSecond } from '../text/times.ts';
import { frameData } from '../text/untrustedFrame.ts';

const MAX_TITLE = 200;

/** An alert in one line: `"Disk full" (critical, since 2026-11-22T09:12:00Z), session disk-full-k7f3q`. */
export function relatedLine(alert: RelatedAlert): string {
  return `${relatedText(alert)}, session ${alert.sessionId}`;
}

/** The same without its session. */
export function relatedText({ title, severity, startedAt, at }: Omit<RelatedAlert, 'sessionId'>): string {
  const since = startedAt === null ? `reported ${isoSecond(at)}` : `since ${isoSecond(startedAt)}`;
  return `"${quoteText(title, MAX_TITLE)}" (${quoteText(severity ?? 'no severity', MAX_TITLE)}, ${since})`;
}

/** The alerts, framed as data. */
export function alsoFiringPrompt(alerts: readonly RelatedAlert[], nonce: string): string {
  const lines = alerts.map((alert) => `- ${relatedLine(alert)}`).join('\n');
  return [
    'Also firing: other alerts share labels with this one and were reported at about the same time. Other agents investigate them, if they are investigated. They can have the same cause, cause each other, or be unrelated: check before you connect them.',
    frameData(withoutMarks(lines), { nonce, source: 'other alerts' }),
  ].join('\n\n');
}
