// Structured output: any strategy, with a final answer that fits a JSON Schema. The strategy decides when the
// answer is final; here it is asked for in the right form, read and checked.

import { type JsonObject, parseJson } from '../../text/json.ts';
import { readableOutput } from '../../text/structuredAnswer.ts';
import type { Controller, Interpretation, IterationInput } from '../contract/controller.ts';
import type { LlmRequest, LlmResponse } from '../contract/llm.ts';
import { bindsTools, canCombine, isNative } from '../contract/modelFacts.ts';
import { OUTPUT_TOOL, outputFeedback, outputInstructions, outputTool } from '../prompts/structuredOutput.ts';
import type { Block, Citation } from '../schema/block.ts';
import { textMessage } from '../schema/textMessage.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import { type OutputReading, readOutput, readOutputText } from './readOutput.ts';
import { withInstructions } from './withInstructions.ts';

/**
 * How the answer is asked for: by the request's own schema, as a function, or in words. A ReAct agent gives
 * it behind its header.
 */
type Way = 'schema' | 'function' | 'words' | 'header';

/**
 * The strategy with a structured answer. The timeline gets the answer as JSON beside a readable text. The
 * model gets the faults while it has iterations left; a forced conclusion is accepted with its faults, which
 * its metadata lists.
 * @param schema of the answer.
 */
export function structuredOutput(inner: Controller, schema: JsonObject): Controller {
  const wayOf = (input: IterationInput) => chooseWay(inner, inner.request([], input));
  return {
    ...inner,
    verbatim: false,

    request(conversation, input) {
      const request = inner.request(conversation, input);
      switch (chooseWay(inner, request)) {
        case 'schema':
          return { ...request, responseSchema: schema };
        case 'function':
          return { ...request, tools: [...request.tools, outputTool(schema)] };
        case 'words':
          return { ...request, messages: withInstructions(request.messages, outputInstructions(schema, '')) };
        case 'header':
          return {
            ...request,
            messages: withInstructions(request.messages, outputInstructions(schema, 'Final Answer:')),
          };
      }
    },

    interpret(response, input) {
      const way = wayOf(input);
      const given = way === 'function' ? outputCall(response) : undefined;
      if (given === undefined) {
        const meaning = inner.interpret(response, input);
        if (meaning.next.kind !== 'conclude') return meaning;
        return completeAnswer(meaning, readOutputText(meaning.next.analysis, schema), {
          response,
          input,
          way,
        });
      }
      const reading = readOutput(parseJson(given.arguments), schema);
      const rest = withoutOutputCall(response);
      // A wrong answer beside other calls is one that came too early: the calls are run.
      if (!reading.ok && rest.toolCalls.length > 0 && input.mode === 'investigate')
        return inner.interpret(rest, input);
      const text = reading.ok ? readableOutput(reading.output) : response.text.trim() || given.arguments;
      const meaning = inner.interpret(asText(rest, text), input);
      return completeAnswer(meaning, reading, { response, input, way });
    },
  };
}

function chooseWay({ abilities }: Controller, { model, tools, nativeTools = [] }: LlmRequest): Way {
  if (tools.length > 0) return 'function';
  if (abilities.tools && !abilities.bindsTools) return 'header';
  if (isNative(model.provider))
    return nativeTools.length === 0 || canCombine(model.model) ? 'schema' : 'words';
  return bindsTools(model.provider) ? 'function' : 'words';
}

/** The meaning of a final answer: with its output, or feedback; the last one is taken without an output. */
function completeAnswer(
  meaning: Interpretation,
  reading: OutputReading,
  { response, input, way }: { response: LlmResponse; input: IterationInput; way: Way },
): Interpretation {
  if (meaning.next.kind !== 'conclude') return meaning;
  if (reading.ok) return withOutput(meaning, reading.output);
  const faults = response.truncated
    ? ['The answer was cut off before it was complete: be shorter.', ...reading.faults]
    : reading.faults;
  const reason = faults.join(' ');
  if (input.mode === 'conclude') return withMetadata(meaning, { outputFault: reason });
  const form = { function: 'function', schema: 'json', words: 'json', header: 'header' } as const;
  return {
    events: meaning.events.filter(({ eventType }) => eventType !== 'final_analysis'),
    message: meaning.message,
    next: {
      kind: 'give_feedback',
      code: 'OUTPUT_INVALID',
      reason: `The final answer does not fit its schema. ${reason}`,
      messages: [textMessage('user', outputFeedback(faults, form[way]))],
      asksAgain: true,
    },
  };
}

function withOutput(meaning: Interpretation, output: JsonObject): Interpretation {
  const content = readableOutput(output) || JSON.stringify(output);
  const made = withMetadata(meaning, { output: JSON.stringify(output) }, content);
  return { ...made, next: { kind: 'conclude', analysis: content } };
}

type Extra = { output?: string; outputFault?: string };

/** The interpretation with more metadata. Citations lose their offsets where its text differs. */
function withMetadata(meaning: Interpretation, extra: Extra, content?: string): Interpretation {
  const events = meaning.events.map((event): EventDraft => {
    if (event.eventType !== 'final_analysis') return event;
    const citations =
      content === undefined ? event.metadata.citations : event.metadata.citations.map(withoutPlace);
    return {
      ...event,
      content: content ?? event.content,
      metadata: { ...event.metadata, citations, ...extra },
    };
  });
  return { ...meaning, events };
}

function withoutPlace<C extends Citation>({ startIndex: _, endIndex: __, ...citation }: C) {
  return citation;
}

function outputCall({ toolCalls }: LlmResponse) {
  return toolCalls.find(({ name }) => name === OUTPUT_TOOL);
}

/** The answer without calls of that function. Omits the provider's replay form, which still has them. */
function withoutOutputCall({ replay: _, ...response }: LlmResponse): LlmResponse {
  return {
    ...response,
    toolCalls: response.toolCalls.filter(({ name }) => name !== OUTPUT_TOOL),
    blocks: response.blocks.filter((block) => !('toolName' in block && block.toolName === OUTPUT_TOOL)),
  };
}

/** The answer as if the model had written this text, which its citations have no place in. */
function asText(response: LlmResponse, text: string): LlmResponse {
  const kept = response.blocks.filter(({ blockType }) => blockType === 'thinking');
  const citations = text === response.text ? response.citations : response.citations.map(withoutPlace);
  const blocks: Block[] = [...kept, { blockType: 'text', textContent: text }];
  return { ...response, toolCalls: [], text, blocks, citations };
}
