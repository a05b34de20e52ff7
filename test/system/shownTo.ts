// What the agents of an investigation said, each with everything they had been shown by then.

import * as z from 'zod';

const eventSchema = z.looseObject({
  eventType: z.string(),
  stageId: z.string(),
  executionId: z.string(),
  iteration: z.number().nullable(),
  content: z.string(),
  metadata: z.looseObject({
    code: z.string().optional(),
    toolName: z.string().optional(),
    supports: z.array(z.looseObject({ text: z.string() })).optional(),
  }),
});
type Event = z.infer<typeof eventSchema>;

/** Something an agent wrote. */
export interface Said {
  executionId: string;
  eventType: string;
  text: string;
  /** Its execution's alert, results and texts, earlier findings, and joined alerts. */
  shown: string;
}

const SAID = ['llm_thinking', 'llm_response', 'final_analysis', 'executive_summary'];
/** Results of the model's own tools. They stand after the thoughts of the answer in which they were used. */
const NATIVE = ['code_execution', 'google_search_result', 'url_context_result'];

/**
 * Everything agents wrote in a run.
 * @param lines of `demo --json`, parsed
 * @param alertText the alert as the agents were shown it
 */
export function listShownTexts(lines: readonly unknown[], alertText: string): Said[] {
  const events = lines.flatMap((line) => eventSchema.safeParse(line).data ?? []);
  return events.flatMap((event, index) => {
    if (!SAID.includes(event.eventType)) return [];
    const { executionId, eventType, content, stageId, iteration } = event;
    const before = events.slice(0, index);
    const shown = [
      ...before.filter((other) => other.executionId === executionId),
      ...before.filter((other) => other.stageId !== stageId && reachesLaterStages(other)),
      ...events.filter(
        (other) =>
          other.executionId === executionId &&
          other.iteration === iteration &&
          NATIVE.includes(other.eventType),
      ),
    ];
    return [{ executionId, eventType, text: content, shown: [alertText, ...shown.map(shownBy)].join('\n') }];
  });
}

/** What earlier stages found, and which alerts joined while they ran. */
function reachesLaterStages({ eventType, metadata }: Event): boolean {
  return eventType === 'final_analysis' || metadata.code === 'alert_joined';
}

/** Of a call only the tool: its arguments are the agent's. Of code the output, of pages quotes. */
function shownBy({ eventType, content, metadata }: Event): string {
  if (eventType === 'llm_tool_call' || eventType === 'mcp_tool_call') return metadata.toolName ?? '';
  if (eventType === 'code_execution') return content.split('Output:').slice(1).join();
  return [content, ...(metadata.supports ?? []).map(({ text }) => text)].join('\n');
}
