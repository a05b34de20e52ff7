// A session as a few lines for a chat or a ticket: plain text, without mentions and links of markup.

import { locateAlertPlace, placeText } from '../../../shared/alerts/alertLocation.ts';
import { markConfidence } from '../../../shared/evidence/statedConfidence.ts';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { problemWords } from '../../../shared/text/problemWords.ts';
import { describeWriter } from '../model/caveats.ts';
import { durationText, utcText } from '../model/format.ts';
import { statusShown } from '../parts/statusDisplay.ts';

/** Characters of the analysis where there is no summary. */
const LONGEST = 600;

/** The summary. @param address of the session. */
export function summaryText(view: SessionView, address: string): string {
  const { title, alert, status, createdAt, durationMs, executiveSummary, finalAnalysis, failure } = view;
  const place = alert === null ? '' : placeText(locateAlertPlace(alert));
  const facts = [
    place,
    alert?.severity && `severity ${alert.severity}`,
    `started ${utcText(createdAt)}`,
    durationMs !== null && `took ${durationText(durationMs)}`,
  ].filter(Boolean);
  const problem = view.problem === null ? '' : `${problemWords(view.problem, utcText)} · `;
  const finding = executiveSummary ?? finalAnalysis?.slice(0, LONGEST) ?? 'No analysis.';
  return [
    `${problem}${statusShown(status).word}: ${joinSummaryLines(title ?? alert?.title ?? view.sessionId)}`,
    joinSummaryLines(facts.join(' · ')),
    ...(failure === null ? [] : [joinSummaryLines(`${failure.code}: ${failure.message}`)]),
    ...(view.verdict === null ? [] : [joinSummaryLines(view.verdict.sentence)]),
    '',
    withoutMarkup(markConfidence(finding.trim())),
    '',
    `Written by ${describeWriter(view)}; check it: ${address}`,
  ].join('\n');
}

const joinSummaryLines = (text: string) => withoutMarkup(text.replace(/\s+/g, ' '));

/**
 * Text in which `@channel` and `<!here>` notify no one, and a link is seen with its address: a zero-width
 * space breaks the markup of links in markdown (`[text](url)`, `[text]: url`), Slack (`<url|text>`) and Jira
 * (`[text|url]`).
 */
function withoutMarkup(text: string): string {
  return text
    .replace(/@(?=[\p{L}\p{N}])/gu, '@\u200b')
    .replace(/<(?=[!@#]|[a-z][a-z\d+.-]*:)/gi, '<\u200b')
    .replace(/\](?=[([:])/g, ']\u200b')
    .replace(/\|(?=[a-z][a-z\d+.-]*:)/gi, '|\u200b');
}
