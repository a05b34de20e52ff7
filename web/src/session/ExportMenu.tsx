// Exports a session as markdown or JSON, or prints it. Untrusted text is fenced, so that it cannot become markup.

import type { SessionView, TimelineEvent } from '../../../shared/api/types.ts';
import { costText, utcText } from '../model/format.ts';
import parts from '../parts/parts.module.css';
import { statusShown } from '../parts/statusDisplay.ts';
import s from './session.module.css';
import { useSession } from './state/sessionState.ts';

/** The menu of exports. Live text is not exported. */
export function ExportMenu({ view }: { view: SessionView }) {
  const { timeline } = useSession();
  const stored = () => timeline.all().filter(({ status }) => status !== 'streaming');
  const saveMarkdown = () => download(`${view.sessionId}.md`, 'text/markdown', markdownOf(view, stored()));
  const saveJson = () => {
    const text = JSON.stringify({ ...view, timeline: stored() }, null, 1);
    download(`${view.sessionId}.json`, 'application/json', text);
  };
  return (
    <details class={s.export}>
      <summary class={parts.button}>Export</summary>
      <div>
        <button type="button" class={parts.quiet} onClick={saveMarkdown}>
          Markdown
        </button>
        <button type="button" class={parts.quiet} onClick={saveJson}>
          JSON
        </button>
        <button type="button" class={parts.quiet} onClick={() => print()}>
          Print
        </button>
      </div>
    </details>
  );
}

/** A text in a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A text on one line, with the markup of markdown escaped. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~]/g, '\\$&');
}

/** A session as markdown: facts, analysis and steps. Times are in UTC. */
function markdownOf(view: SessionView, events: readonly TimelineEvent[]): string {
  const { sessionId, title, alert, status, createdAt, endedAt, cost, tokens, finalAnalysis, failure } = view;
  const facts = [
    `- Session: ${plain(sessionId)}`,
    `- Status: ${statusShown(status).word}`,
    `- Started: ${utcText(createdAt)}`,
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
    '## Analysis (written by a model)',
    finalAnalysis === null ? 'None.' : fenced(finalAnalysis),
    '## Steps',
    ...steps,
    '',
  ].join('\n\n');
}

/** Saves a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
