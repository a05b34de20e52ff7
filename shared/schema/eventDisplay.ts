// How the CLI and the dashboard present each type of timeline event. Contains no schema, so that a browser does not
// load one.

import type { EventType } from './timelineEvent.ts';

/** How a type of event is presented. */
export interface EventDisplay {
  /** The heading of an event: `Tool call`. */
  label: string;
  /** The phrase after the name of an agent in a sentence: `called a tool`. */
  verb: string;
  /** The name of an icon of the dashboard (`web/src/parts/Icon.tsx`). */
  icon: string;
  /** `text`: the dashboard shows label and content. `own`: a row of its own (`web/src/session/steps/StepRow.tsx`). */
  row: 'text' | 'own';
}

/** All types of events. */
export const EVENTS = {
  llm_thinking: { label: 'Thinking', verb: 'is thinking', icon: 'thought', row: 'own' },
  llm_response: { label: 'Response', verb: 'responded', icon: 'speech', row: 'own' },
  llm_tool_call: { label: 'Tool call', verb: 'called a tool', icon: 'tool', row: 'own' },
  tool_result: { label: 'Result', verb: 'received a result', icon: 'tool', row: 'text' },
  mcp_tool_call: { label: 'Tool call', verb: 'called a tool', icon: 'tool', row: 'own' },
  mcp_tool_summary: { label: 'Summary of a result', verb: 'summarized a result', icon: 'tool', row: 'text' },
  error: { label: 'Error', verb: 'failed', icon: 'failed', row: 'own' },
  user_question: { label: 'Question', verb: 'received a question', icon: 'speech', row: 'own' },
  user_guidance: { label: 'Guidance', verb: 'received guidance', icon: 'speech', row: 'own' },
  notice: { label: 'Notice', verb: 'recorded a notice', icon: 'info', row: 'text' },
  action: { label: 'Action', verb: 'recorded an action', icon: 'flag', row: 'text' },
  task_assigned: { label: 'Task assigned', verb: 'was assigned a task', icon: 'child', row: 'text' },
  executive_summary: { label: 'Executive summary', verb: 'wrote a summary', icon: 'flag', row: 'own' },
  final_analysis: { label: 'Final analysis', verb: 'wrote an analysis', icon: 'flag', row: 'own' },
  code_execution: { label: 'Code execution', verb: 'ran code', icon: 'code', row: 'own' },
  google_search_result: { label: 'Web search', verb: 'searched the web', icon: 'globe', row: 'own' },
  url_context_result: { label: 'Pages read', verb: 'read web pages', icon: 'globe', row: 'own' },
} as const satisfies Record<EventType, EventDisplay>;
