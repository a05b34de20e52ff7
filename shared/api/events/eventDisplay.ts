// How the CLI and the dashboard present each type of timeline event. Contains no schema, so that a browser
// does not load one.

import type { EventType } from '../../core/schema/timelineEvent.ts';

/** How a type of event is presented. */
interface EventDisplay {
  /** The heading of an event: `Tool call`. */
  label: string;
  /** The phrase after the name of an agent in a sentence: `called a tool`. */
  verb: string;
  /** The name of an icon of the dashboard (`web/src/parts/Icon.tsx`). */
  icon: string;
}

/** All types of events. */
export const EVENTS = {
  llm_thinking: { label: 'Thinking', verb: 'is thinking', icon: 'thought' },
  llm_response: { label: 'Response', verb: 'responded', icon: 'speech' },
  llm_tool_call: { label: 'Tool call', verb: 'called a tool', icon: 'tool' },
  tool_result: { label: 'Result', verb: 'received a result', icon: 'tool' },
  mcp_tool_call: { label: 'Tool call', verb: 'called a tool', icon: 'tool' },
  mcp_tool_summary: { label: 'Summary of a result', verb: 'summarized a result', icon: 'tool' },
  error: { label: 'Error', verb: 'failed', icon: 'failed' },
  user_question: { label: 'Question', verb: 'received a question', icon: 'speech' },
  user_guidance: { label: 'Guidance', verb: 'received guidance', icon: 'speech' },
  notice: { label: 'Notice', verb: 'recorded a notice', icon: 'info' },
  action: { label: 'Action', verb: 'recorded an action', icon: 'flag' },
  task_assigned: { label: 'Task assigned', verb: 'was assigned a task', icon: 'child' },
  executive_summary: { label: 'Executive summary', verb: 'wrote a summary', icon: 'flag' },
  final_analysis: { label: 'Final analysis', verb: 'wrote an analysis', icon: 'flag' },
  code_execution: { label: 'Code execution', verb: 'ran code', icon: 'code' },
  google_search_result: { label: 'Web search', verb: 'searched the web', icon: 'globe' },
  url_context_result: { label: 'Pages read', verb: 'read web pages', icon: 'globe' },
} as const satisfies Record<EventType, EventDisplay>;
