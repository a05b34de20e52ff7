// A session as markdown for export. Untrusted text is fenced or escaped, never markup.

import { knownTotal } from '../../../shared/client/knownTotal.ts';
import { markUnchecked, NOT_READ } from '../../../shared/evidence/markUnchecked.ts';
import type { SessionView, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { plainMarkdown as plain } from '../../../shared/text/plainMarkdown.ts';
import { problemWords } from '../../../shared/text/problemWords.ts';
import { describeWriter } from '../model/caveats.ts';
import { bytesText, costText, utcText } from '../model/format.ts';
import { statusShown } from '../parts/statusDisplay.ts';

/** A text in a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/**
 * A session as markdown: facts, analysis and steps; contents that the API cut are marked. Times are in UTC.
 * @param values of the analysis, as its claims were checked.
 */
export function writeSessionMarkdown(
  view: SessionView,
  events: readonly TimelineEvent[],
  values: Parameters<typeof markUnchecked>[1],
): string {
  const { sessionId, title, alert, status, createdAt, endedAt, cost, tokens, finalAnalysis, failure } = view;
  const facts = [
    `- Session: ${plain(sessionId)}`,
    ...(view.problem === null ? [] : [`- Problem: ${problemWords(view.problem, utcText)}`]),
    `- Status: ${statusShown(status).word}`,
    `- Started: ${utcText(createdAt)}`,
    ...(endedAt === null ? [] : [`- Ended: ${utcText(endedAt)}`]),
    `- Tokens: ${knownTotal(tokens.total, `${tokens.total}`, view.unreadable)}, cost: ${knownTotal(cost.usd, costText(cost), view.unreadable)}`,
    ...(failure === null ? [] : [`- ${failure.code}: ${plain(failure.message)}`]),
  ];
  const steps = events.map(
    ({ createdAt: at, executionId, sequenceNumber, eventType, content, cut, bytes }) => {
      const mark = cut ? `, cut: only the start of ${bytesText(bytes)}` : '';
      const head = `### ${plain(executionId)}.${sequenceNumber} ${plain(eventType)}`;
      return `${head}\n\n${utcText(at)}${mark}\n\n${fenced(content)}`;
    },
  );
  return [
    `# ${plain(title ?? alert?.title ?? sessionId)}`,
    facts.join('\n'),
    `## Analysis (written by ${describeWriter(view)})`,
    finalAnalysis === null ? 'None.' : fenced(markUnchecked(finalAnalysis, values)),
    ...(values.length > 0 ? [NOT_READ] : []),
    '## Steps',
    ...steps,
    '',
  ].join('\n\n');
}
