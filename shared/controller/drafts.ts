// Messages and events that several strategies make of an answer.

import type { LlmResponse } from '../contract/llm.ts';
import { citationsOf } from '../llm/gemini/grounding.ts';
import { blocksFromGemini } from '../llm/gemini/readAnswer.ts';
import type { ModelSettings } from '../schema/agent.ts';
import type { MessageDraft } from '../schema/message.ts';
import { textMessage } from '../schema/textMessage.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import { nativeToolEvents } from './nativeToolEvents.ts';

/** The answer as portable blocks, together with the provider's parts as they came. */
export function assistantMessage(response: LlmResponse, { provider, model }: ModelSettings): MessageDraft {
  // Only Google's answers have parts; what LangChain brings is text.
  if (provider !== 'google') return textMessage('assistant', response.text);
  const blocks = blocksFromGemini(response);
  return { role: 'assistant', blocks, provider: { provider, model, parts: response.parts } };
}

/** The `llm_thinking` event, if the model thought aloud. */
export function thinkingEvents(response: LlmResponse): EventDraft[] {
  if (response.thinking === '') return [];
  return [{ eventType: 'llm_thinking', content: response.thinking, metadata: { source: 'native' } }];
}

/** What is told before the answer itself: the thought, the code that ran, the searches and the pages read. */
export function eventsBeforeAnswer(response: LlmResponse): EventDraft[] {
  return [...thinkingEvents(response), ...nativeToolEvents(response)];
}

type FinalAnalysis = Extract<EventDraft, { eventType: 'final_analysis' }>;

/** The `final_analysis` event: the visible text with its citations. `ending` says how it came to an end, if not by itself. */
export function finalAnalysis(
  response: LlmResponse,
  ending: Omit<FinalAnalysis['metadata'], 'citations' | 'truncated'> = {},
): FinalAnalysis {
  return {
    eventType: 'final_analysis',
    content: response.text,
    metadata: {
      citations: citationsOf(response),
      ...(response.truncated && { truncated: true }),
      ...ending,
    },
  };
}
