// A session as a file. Text of others stands in fences that it cannot close.

import type { SessionView, TimelineEvent } from '../../../shared/api/types.ts';
import { costText, utcText } from '../model/format.ts';
import { statusShown } from '../parts/statusDisplay.ts';

/** A fence that is longer than any in a text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** One line that markdown reads as text. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~]/g, '\\$&');
}

/** A session as markdown: its head, analysis and steps. Times are in UTC. */
export function markdownOf(view: SessionView, events: readonly TimelineEvent[]): string {
  const { sessionId, title, alert, status, createdAt, endedAt, cost, tokens, finalAnalysis, failure } = view;
  const facts = [
    `- Session: ${plain(sessionId)}`,
    `- Status: ${statusShown(status).word}`,
    `- Began: ${utcText(createdAt)}`,
    ...(endedAt === null ? [] : [`- Ended: ${utcText(endedAt)}`]),
    `- Tokens: ${tokens.total}, cost: ${costText(cost)}`,
    ...(failure === null ? [] : [`- ${failure.code}: ${plain(failure.message)}`]),
  ];
  const steps = events.map(
    ({ createdAt: at, executionId, sequenceNumber, eventType, content }) =>
      `### ${plain(executionId)}.${sequenceNumber} ${plain(eventType)}\n\n${utcText(at)}\n\n${fenced(content)}`,
  );
  return [
    `# ${plain(title ?? alert?.title ?? sessionId)}`,
    facts.join('\n'),
    '## Analysis, written by a model',
    finalAnalysis === null ? 'There is none.' : fenced(finalAnalysis),
    '## Steps',
    ...steps,
    '',
  ].join('\n\n');
}

/** Hands a file to the browser. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
