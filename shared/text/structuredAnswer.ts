// A structured answer as text: the property `answer` for the person, other properties as lines.

import { asObject, type JsonObject, parseJson } from './json.ts';

/** The property of an answer that is for the person who asked. */
export const ANSWER = 'answer';

interface AnswerParts {
  /** The property `answer`; undefined if the answer has none with a text. */
  answer: string | undefined;
  /** The other properties that have a value, in the order of the schema. */
  fields: [name: string, value: unknown][];
}

/** The parts of a structured answer. @param output answer or JSON; other text has no parts. */
export function answerParts(output: JsonObject | string): AnswerParts {
  const values = typeof output === 'string' ? asObject(parseJson(output)) : output;
  const text = values[ANSWER];
  const answer = typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
  const fields = Object.entries(values).filter(
    ([name, value]) => value !== null && (answer === undefined || name !== ANSWER),
  );
  return { answer, fields };
}

/** The answer as Markdown: the text `answer`, then each other property on its own line. */
export function readableOutput(output: JsonObject): string {
  const { answer, fields } = answerParts(output);
  const lines = fields.map(([name, value]) => `**${name}**:${lineOfValue(value)}`).join('\n');
  return [answer ?? '', lines].filter((part) => part !== '').join('\n\n');
}

function lineOfValue(value: unknown): string {
  if (!Array.isArray(value)) return ` ${valueText(value)}`;
  return value.length === 0 ? ' none' : `\n${value.map((entry) => `- ${valueText(entry)}`).join('\n')}`;
}

/** A value as text: an object and a list as JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}
