// Messages and events that several strategies derive from an answer.

import type { IterationInput } from '../contract/controller.ts';
import type { LlmResponse } from '../contract/llm.ts';
import type { ToolCall, ToolResult } from '../contract/tools.ts';
import { isSigned } from '../schema/block.ts';
import { countedIterations } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import { nativeToolEvents } from './nativeToolEvents.ts';

/** The answer as a message: portable blocks and the provider's own form. */
export function assistantMessage({ blocks, replay }: LlmResponse): MessageDraft {
  return { role: 'assistant', blocks, ...(replay !== undefined && { replay }) };
}

/** The result of a call that is not run, because it is known already. */
export function knownResult({ callId, name }: ToolCall, content: string, isError: boolean): ToolResult {
  const result = { callId, name, content, isError, truncated: false, durationMs: 0, timedOut: false };
  return isError ? { ...result, noAnswer: true } : result;
}

/** The `llm_thinking` event, if the answer has thought summaries. */
function thinkingEvents(response: LlmResponse): EventDraft[] {
  if (response.thinking === '') return [];
  const signed = response.blocks.some((block) => block.blockType === 'thinking' && isSigned(block));
  const metadata = { source: 'native' as const, ...(signed && { signed }) };
  return [{ eventType: 'llm_thinking', content: response.thinking, metadata }];
}

/** The events that precede the answer itself: thought, code executions, searches and pages read. */
export function eventsBeforeAnswer(response: LlmResponse): EventDraft[] {
  return [...thinkingEvents(response), ...nativeToolEvents(response)];
}

/** Metadata of a forced conclusion's analysis: iterations before it, and their limit. Otherwise empty. */
export function conclusionMetadata({ mode, execution }: IterationInput): Partial<FinalAnalysis['metadata']> {
  if (mode !== 'conclude') return {};
  const iterationsUsed = countedIterations(execution) - 1;
  return { forcedConclusion: true, iterationsUsed, maxIterations: execution.limits.maxIterations };
}

type FinalAnalysis = Extract<EventDraft, { eventType: 'final_analysis' }>;

/** The `final_analysis` event: visible text with citations. `ending`: metadata of a forced conclusion. */
export function finalAnalysis(
  response: LlmResponse,
  ending: Omit<FinalAnalysis['metadata'], 'citations' | 'truncated'> = {},
): FinalAnalysis {
  return {
    eventType: 'final_analysis',
    content: response.text,
    metadata: {
      citations: response.citations,
      ...(response.truncated && { truncated: true }),
      ...ending,
    },
  };
}
