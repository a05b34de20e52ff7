// Records native tools in an answer's interaction: within limits, only if events do not show them.

import { cutText } from '../../../text/cut.ts';
import type { LlmResponse } from '../../contract/llm.ts';
import type { Interaction } from '../../schema/interaction.ts';
import type { EventDraft, EventType } from '../../schema/timelineEvent.ts';

// An interaction is one document of 900 kB, which also holds a thought of up to 300 kB. These limits restrict
// code to at most 240 kB of it. Typical answers have a few executions and sources.
const MAX_CODE_EXECUTIONS = 12;
const MAX_CODE_BYTES = 10_000;
const MAX_SOURCES = 50;
const MAX_SUPPORTS = 50;
/** Limit of a query, a title, an address or a piece of the answer. */
const MAX_TEXT_BYTES = 2_000;
const cut = (text: string): string => cutText(text, MAX_TEXT_BYTES, 'bytes');

const NATIVE_TOOL_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'code_execution',
  'google_search_result',
  'url_context_result',
]);

/** Whether the events already show the use of native tools. */
export function showNativeTools(events: readonly EventDraft[]): boolean {
  return events.some(({ eventType }) => NATIVE_TOOL_EVENTS.has(eventType));
}

/** The first 12 executions of an answer, with at most 10 kB of each code and result. */
export function codeRecord(executions: LlmResponse['codeExecutions']): Interaction['codeExecutions'] {
  return executions.slice(0, MAX_CODE_EXECUTIONS).map(({ id: _, ...execution }) => ({
    ...execution,
    ...(execution.code !== undefined && { code: cutText(execution.code, MAX_CODE_BYTES, 'bytes') }),
    ...(execution.result !== undefined && { result: cutText(execution.result, MAX_CODE_BYTES, 'bytes') }),
  }));
}

/** An answer's groundings, each with its first 50 sources, pages, supports, and 2 kB per text. */
export function groundingRecord(groundings: LlmResponse['groundings']): Interaction['groundings'] {
  return groundings.map(({ kind, queries, sources, supports, statuses }) => ({
    kind,
    queries: queries.slice(0, MAX_SOURCES).map(cut),
    sources: sources
      .slice(0, MAX_SOURCES)
      .map((source) => ({ ...source, uri: cut(source.uri), title: cut(source.title) })),
    // Supports refer to sources by index.
    supports: supports.slice(0, MAX_SUPPORTS).map(({ groundingChunkIndices, ...support }) => ({
      ...support,
      text: cut(support.text),
      groundingChunkIndices: groundingChunkIndices.filter((index) => index < MAX_SOURCES),
    })),
    statuses: statuses
      .slice(0, MAX_SOURCES)
      .map(({ uri, status }) => ({ uri: cut(uri), status: cut(status) })),
  }));
}
