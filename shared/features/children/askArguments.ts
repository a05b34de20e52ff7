// Reads the arguments of an `ask_agent` call.

import {
  ASK_ARGUMENTS,
  DEFAULT_ASK_SECONDS,
  MAX_ASK_SECONDS,
  MIN_ASK_SECONDS,
} from '../../prompt/askAgent.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { quoteText } from '../../text/cut.ts';

/** Limit of a question including its data, in UTF-8 bytes. */
const MAX_QUESTION_BYTES = 32_000;
/** Accepted arguments that the tool does not list. */
const ALSO_READ = ['timeout', 'user_id'];

interface AskArguments {
  /** Name of the agent to ask, as the model wrote it. */
  name: string;
  /** The question including its data. */
  text: string;
  /** Seconds to wait for the answer, within `MIN_ASK_SECONDS` and `MAX_ASK_SECONDS`. */
  seconds: number;
  /** Whether the answer is structured; null for the agent's own setting. */
  structuredOutput: boolean | null;
}

/** Returns the arguments, or an error for the model. */
export function readAskArguments(json: string): AskArguments | { error: string; isName?: true } {
  const given = parseCallArguments(json);
  const unknown = Object.keys(given).find((name) => ![...ASK_ARGUMENTS, ...ALSO_READ].includes(name));
  if (unknown !== undefined)
    return {
      error: `There is no argument "${quoteText(unknown, 60)}"; there are ${ASK_ARGUMENTS.join(', ')}.`,
    };
  const { agent_name: name, input_text: input, input_data: data } = given;
  if (typeof name !== 'string' || name.trim() === '')
    return { error: '"agent_name" is missing.', isName: true };
  if (typeof input !== 'string' || input.trim() === '')
    return { error: '"input_text" must be a text with the question for the agent.' };
  const text = data == null ? input : `${input}\n\nInput data: ${JSON.stringify(data)}`;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_QUESTION_BYTES)
    return { error: `The question has ${bytes} bytes with its data; ${MAX_QUESTION_BYTES} at most.` };
  const key = given.timeout_seconds == null ? 'timeout' : 'timeout_seconds';
  const seconds = given[key] ?? DEFAULT_ASK_SECONDS;
  if (!isSeconds(seconds))
    return {
      error: `"${key}" must be a whole number of seconds from ${MIN_ASK_SECONDS} to ${MAX_ASK_SECONDS}.`,
    };
  const { structured_output_override: structuredOutput = null } = given;
  if (structuredOutput !== null && typeof structuredOutput !== 'boolean')
    return { error: '"structured_output_override" must be true, false or null.' };
  return { name, text, seconds, structuredOutput };
}

function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= MIN_ASK_SECONDS && Number(value) <= MAX_ASK_SECONDS;
}
