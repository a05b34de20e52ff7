// What an agent with structured output is told about the form of its answer, where no request can say it.

import type { ToolDefinition } from '../contract/tools.ts';
import type { JsonObject } from '../text/json.ts';

/** The function by which an agent with tools gives its answer. It belongs to no server, and nothing shows it. */
export const OUTPUT_TOOL = 'final_result';

/** That function. @param schema of the answer. */
export function outputTool(schema: JsonObject): ToolDefinition {
  return {
    name: OUTPUT_TOOL,
    description:
      'Gives your final answer. Call it once, when you know enough, instead of answering with text.',
    inputSchema: schema,
    readOnly: true,
  };
}

/** For a model that can be given neither a schema nor a function. @param header what its answer begins with; empty for nothing. */
export function outputInstructions(schema: JsonObject, header: string): string {
  const where = header === '' ? 'Your answer is' : `What follows "${header}" is`;
  return [
    `${where} one JSON object that fits this JSON Schema, and nothing else:`,
    `\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``,
  ].join('\n\n');
}

/** The reply to an answer that does not fit. `way`: how it has to be given. */
export function outputFeedback(faults: readonly string[], way: 'function' | 'json' | 'header'): string {
  const how = {
    function: `Call ${OUTPUT_TOOL} again with a corrected answer.`,
    json: 'Answer again with one corrected JSON object, and nothing else.',
    header: 'Answer again: "Final Answer:", and behind it one corrected JSON object and nothing else.',
  };
  return ['Your final answer was not taken:', ...faults.map((fault) => `- ${fault}`), how[way]].join('\n');
}
