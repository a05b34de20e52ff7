// The answer of a script to an alert that it does not name: no model is connected, and how to connect one.

import {
  type GenerateRequest,
  listDeclarations,
  type Turn,
} from '../../packages/scripted-gemini/src/index.ts';
import { OUTPUT_TOOL } from '../../shared/core/prompts/structuredOutput.ts';
import { asArray, asObject, type JsonObject, parseJson } from '../../shared/text/json.ts';

/** The text of the answer. */
export const NO_MODEL = [
  'No model is connected: a script answers here, and it was not written for this alert. Nothing was investigated, and the cause is not known.',
  'To connect Gemini, set GEMINI_API_KEY, or for Vertex AI GOOGLE_GENAI_USE_ENTERPRISE=true and GOOGLE_CLOUD_PROJECT, and start again without --script.',
].join('\n');

/** Values that state nothing, in an enum that has one. */
const NEUTRAL = ['unknown', 'inconclusive', 'none', 'other'];
/** Header of an answer of a ReAct agent, which its instructions name. */
const FINAL_ANSWER = 'Final Answer:';
/** The schema in the instructions of an agent whose request cannot have one. */
const SCHEMA = /JSON Schema, without any other text:\n\n```json\n(.*)\n```/;

/** The answer in the request's form: text, JSON of a schema, or the answer function's call. */
export function noModelTurn(request: GenerateRequest): Turn {
  const output = listDeclarations(request).find(({ name }) => name === OUTPUT_TOOL);
  if (output !== undefined) {
    const args = asObject(fillSchema(asObject(output.parametersJsonSchema)));
    return { toolCalls: [{ name: OUTPUT_TOOL, args }] };
  }
  const system = request.systemInstruction?.parts?.map(({ text = '' }) => text).join('\n') ?? '';
  const schema =
    asObject(request.generationConfig).responseJsonSchema ?? parseJson(SCHEMA.exec(system)?.[1] ?? '');
  const text = schema === undefined ? NO_MODEL : JSON.stringify(fillSchema(asObject(schema)));
  return { text: system.includes(FINAL_ANSWER) ? `${FINAL_ANSWER} ${text}` : text };
}

/** The smallest value for a JSON Schema: texts are the answer, lists empty, no optional fields. */
function fillSchema(schema: JsonObject): unknown {
  const { enum: values, items, required, minimum = 0, minItems = 0, maxLength } = schema;
  const [first] = asArray(schema.anyOf);
  if (first !== undefined) return fillSchema(asObject(first));
  if (Array.isArray(values)) return values.find((value) => NEUTRAL.includes(String(value))) ?? values[0];
  switch (asArray(schema.type)[0] ?? schema.type) {
    case 'object': {
      const fields = asObject(schema.properties);
      const names = asArray(required).map(String);
      return Object.fromEntries(names.map((name) => [name, fillSchema(asObject(fields[name]))]));
    }
    case 'array':
      return Array.from({ length: Number(minItems) }, () => fillSchema(asObject(items)));
    case 'integer':
    case 'number':
      return minimum;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return maxLength === undefined ? NO_MODEL : NO_MODEL.slice(0, Number(maxLength));
  }
}
