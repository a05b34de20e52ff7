// NativeThinking: the model's function calling and reasoning. An answer without calls is the analysis.

import { parseCallArguments } from '../../text/callArguments.ts';
import { checkArguments } from '../../text/schema/checkArguments.ts';
import type { Controller } from '../contract/controller.ts';
import { boundNativeTools } from '../contract/modelFacts.ts';
import type { ToolCall, ToolDefinition, ToolResult } from '../contract/tools.ts';
import { ownArguments } from '../prompts/builtInTools.ts';
import { innerCall } from '../prompts/toolSearch.ts';
import { textMessage } from '../schema/textMessage.ts';
import { ABILITIES } from './abilities.ts';
import {
  assistantMessage,
  conclusionMetadata,
  eventsBeforeAnswer,
  finalAnalysis,
  knownResult,
} from './drafts.ts';
import { nativeCallResults } from './nativeToolCalls.ts';

/** The strategy `native-thinking`. */
export const nativeThinking: Controller = {
  abilities: ABILITIES['native-thinking'],
  interactionType: 'iteration',
  loops: true,
  verbatim: true,

  request(conversation, input) {
    const { agent } = input;
    const request = { model: agent.model, messages: conversation };
    // A forced conclusion uses the known results only, so neither function tools nor native tools are bound.
    if (input.mode === 'conclude') return { ...request, tools: [] };
    const nativeTools = boundNativeTools(agent, input.tools);
    return { ...request, tools: input.tools, ...(nativeTools.length > 0 && { nativeTools }) };
  },

  interpret(response, input) {
    const events = eventsBeforeAnswer(response);
    const message = assistantMessage(response);

    // A concluding iteration binds no tools. Calls in it are not run; its text is the conclusion.
    if (response.toolCalls.length > 0 && input.mode === 'investigate') {
      if (response.text.trim() !== '') {
        events.push({ eventType: 'llm_response', content: response.text, metadata: {} });
      }
      const calls = response.toolCalls.map(innerCall);
      const knownResults = [
        ...nativeCallResults(response, input.agent.nativeTools),
        ...faultyCallResults(calls, [...input.tools, ...(input.hiddenTools ?? [])]),
      ];
      const next = { kind: 'call_tools' as const, calls, ...(knownResults.length > 0 && { knownResults }) };
      return { events, message, next };
    }

    if (response.text.trim() === '') {
      const reason = 'The answer held no text, so there is no conclusion.';
      return {
        events,
        message,
        next: {
          kind: 'give_feedback',
          code: 'MODEL_EMPTY_ANSWER',
          reason,
          messages: [nativeThinking.explainFailure(reason)],
        },
      };
    }
    events.push(finalAnalysis(response, conclusionMetadata(input)));
    return { events, message, next: { kind: 'conclude', analysis: response.text } };
  },

  explainFailure(reason) {
    const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
    return textMessage('user', `Error from previous attempt: ${sentence} Please try again.`);
  },
};

/** Error results for calls whose arguments do not fit their tool's schema. Skips unknown tools. */
function faultyCallResults(calls: readonly ToolCall[], tools: readonly ToolDefinition[]): ToolResult[] {
  return calls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    const args = ownArguments(call.name, parseCallArguments(call.arguments));
    const fault = tool && checkArguments(tool.inputSchema, args);
    return fault === undefined ? [] : [knownResult(call, `${fault} Nothing was executed.`, true)];
  });
}
