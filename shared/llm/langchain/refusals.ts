// Finds refusals in the frames of OpenAI's chat completions: LangChain's package drops them.

import { asArray, asObject, asText, parseJson } from '../../text/json.ts';

/** The piece of a refusal in one server-sent event; empty when there is none. Only the first choice is read. */
export function refusalIn(frame: string): string {
  if (!/"refusal"\s*:\s*"/.test(frame)) return '';
  const chunk = asObject(parseJson(frame.trim().replace(/^data:/, '')));
  const choice = asObject(asArray(chunk.choices)[0]);
  return asText(asObject(choice.delta).refusal) ?? asText(asObject(choice.message).refusal) ?? '';
}
