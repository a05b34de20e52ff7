// The events of native tools, which the provider runs during an answer: code, searches, pages read.

import type { CodeExecution, Grounding, LlmResponse } from '../contract/llm.ts';
import { type EventDraft, type GroundingSource, NATIVE_TOOL_SOURCE } from '../schema/timelineEvent.ts';

/** One event per code execution, in the order of the code, then one per grounding. */
export function nativeToolEvents({ codeExecutions, groundings }: LlmResponse): EventDraft[] {
  return [...codeEvents(codeExecutions), ...groundings.map(groundingEvent)];
}

function codeEvents(executions: CodeExecution[]): EventDraft[] {
  return executions.flatMap((execution): EventDraft[] => {
    const content = codeText(execution);
    if (content === '') return [];
    const { outcome } = execution;
    return [
      {
        eventType: 'code_execution',
        content,
        metadata: { source: NATIVE_TOOL_SOURCE, ...(outcome !== undefined && { outcome }) },
      },
    ];
  });
}

/** Code and output as Markdown; either can be missing. */
function codeText({ code = '', result = '' }: CodeExecution): string {
  const codeBlock = code === '' ? '' : `\`\`\`python\n${code}\n\`\`\`\n`;
  return result === '' ? codeBlock : `${codeBlock}\nOutput:\n\`\`\`\n${result}\n\`\`\``;
}

function groundingEvent({ kind, queries, sources, supports, statuses }: Grounding): EventDraft {
  const listed = sources.length === 0 ? 'none' : sources.map(sourceText).join(', ');
  if (kind === 'search') {
    const quoted = queries.map((query) => `'${query}'`).join(', ');
    return {
      eventType: 'google_search_result',
      content: `Google Search: ${quoted} → Sources: ${listed}`,
      metadata: { source: NATIVE_TOOL_SOURCE, queries, sources, supports },
    };
  }
  return {
    eventType: 'url_context_result',
    content: `URL Context → Sources: ${listed}`,
    metadata: { source: NATIVE_TOOL_SOURCE, sources, supports, statuses },
  };
}

function sourceText({ uri, title }: GroundingSource): string {
  return title === '' || uri === '' ? title || uri : `${title} (${uri})`;
}
