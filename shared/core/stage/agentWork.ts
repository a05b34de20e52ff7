// Reduces the events of an execution to its agent's steps, last words and errors. Pure; handles one event at
// a time, so that large results are never in memory together.

import { cutText } from '../../text/cut.ts';
import { limitHead } from '../../text/limitText.ts';
import type { Evidence, Step } from '../prompts/evidence.ts';
import type { StoredResult } from '../schema/storedResult.ts';
import type { TimelineEvent } from '../schema/timelineEvent.ts';

/** The steps, last words and errors of an agent. */
export interface AgentWork extends Evidence {
  /** Texts of its error events, oldest first. */
  errors: string[];
  /** The last text it wrote; null when it wrote none. */
  lastWords: string | null;
}

/** Bytes kept of each text; readers get shorter excerpts. */
const MAX_TEXT_BYTES = 4_000;
const keep = (text: string): string => limitHead(text, MAX_TEXT_BYTES);
const buildAgentResult = (text: string) => ({
  result: cutText(text, MAX_TEXT_BYTES, 'bytes'),
  resultBytes: Buffer.byteLength(text),
});

/** Removes the note at the start of an excerpt, which only the agent needs to read the rest. */
function withoutNote(content: string, stored: StoredResult | undefined): string {
  const hasNote = stored !== undefined && content.startsWith(`[This result is ${stored.id}:`);
  return hasNote ? content.slice(content.indexOf('\n') + 1) : content;
}

/** Collects the events of one execution in their order. */
export function collectWork() {
  const steps: Step[] = [];
  const open = new Map<string, Step>();
  const errors: string[] = [];
  let lastWords: string | null = null;

  const add = (event: TimelineEvent): void => {
    const { eventType, status, content } = event;
    switch (eventType) {
      case 'llm_tool_call':
      case 'mcp_tool_call': {
        const step: Step = { what: keep(content), result: '', status: 'no result' };
        steps.push(step);
        open.set(event.metadata.callId, step);
        return;
      }
      case 'tool_result': {
        const { callId, toolName, stored } = event.metadata;
        const step = open.get(callId) ?? { what: toolName, result: '', status };
        if (!open.delete(callId)) steps.push(step);
        const whole = stored && { resultBytes: stored.bytes };
        Object.assign(step, { ...buildAgentResult(withoutNote(content, stored)), ...whole, status });
        return;
      }
      case 'code_execution':
        steps.push({ what: 'code that the model ran', ...buildAgentResult(content), status });
        return;
      case 'google_search_result':
      case 'url_context_result':
        steps.push({ what: keep(content), result: '', status });
        return;
      case 'error':
        errors.push(keep(content));
        return;
      case 'llm_thinking':
      case 'llm_response':
        lastWords = keep(content);
        return;
      default:
        return;
    }
  };
  /** @param unread number of events that were not added. */
  const work = (unread: number): AgentWork => ({ steps, unread, errors, lastWords });
  return { add, work };
}
