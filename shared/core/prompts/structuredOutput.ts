// Prompts about the form of a structured answer, for models whose requests cannot contain the schema.

import type { JsonObject } from '../../text/json.ts';
import type { ToolDefinition } from '../contract/tools.ts';

/** The function with which an agent with tools gives its answer. It belongs to no server and is not shown. */
export const OUTPUT_TOOL = 'final_result';

/** The definition of `OUTPUT_TOOL`. @param schema of the answer. */
export function outputTool(schema: JsonObject): ToolDefinition {
  return {
    name: OUTPUT_TOOL,
    description:
      'Gives your final answer. Call it once, when you know enough, instead of answering with text.',
    inputSchema: schema,
    readOnly: true,
  };
}

/** Instructions for a model without schemas and functions. @param header its answer's start; or empty. */
export function outputInstructions(schema: JsonObject, header: string): string {
  const where = header === '' ? 'Your answer is' : `The text after "${header}" is`;
  return [
    `${where} one JSON object that fits this JSON Schema, without any other text:`,
    `\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``,
  ].join('\n\n');
}

/** The reply to an invalid answer. @param way how the answer has to be given. */
export function outputFeedback(faults: readonly string[], way: 'function' | 'json' | 'header'): string {
  const how = {
    function: `Call ${OUTPUT_TOOL} again with a corrected answer.`,
    json: 'Answer again with one corrected JSON object, and nothing else.',
    header: 'Answer again: "Final Answer:", then one corrected JSON object and nothing else.',
  };
  return ['Your final answer was rejected:', ...faults.map((fault) => `- ${fault}`), how[way]].join('\n');
}
