// Fills the results of earlier tool calls into a scripted turn, so that an answer quotes real values:
// `${result query /"value":\[[\d.]+,"(\d+)"\]/}`. A literal "${result" is written
// "$${result".

import { type ApiError, invalidArgument } from './apiError.ts';
import { isObject } from './json.ts';
import type { GenerateRequest } from './requestSchema.ts';
import type { Turn } from './script.ts';

/** Tool, optional position of its call from 1, and pattern. A slash in the pattern is written `\/`. */
const QUOTE = /\$?\$\{result ([^\s/#}]+)(?:#(\d+))? \/((?:\\.|[^/\\])+)\/\}/g;
/** Longest part of a result that an error quotes, in characters. */
const MAX_EXCERPT = 300;

/**
 * The turn with its quotes replaced by the first group of their pattern, or the whole match. A quote without
 * a position reads the last result of its tool. Depends only on turn and request.
 * @param wireName the name of a tool in a request, by its name in the script.
 * @returns an error of the API when a tool has no such result, or its result does not match.
 */
export function quoteResults(
  turn: Turn,
  request: GenerateRequest,
  wireName: (name: string) => string = (name) => name,
): Turn | { error: ApiError } {
  const faults: string[] = [];
  const filled = fillIn(turn, (text) =>
    text.replace(QUOTE, (whole: string, tool: string, position: string | undefined, pattern: string) => {
      if (whole.startsWith('$$')) return whole.slice(1);
      const results = listToolResults(wireName(tool), request);
      const result = position === undefined ? results.at(-1) : results[Number(position) - 1];
      if (result === undefined) {
        faults.push(`the request has ${results.length} results of ${tool}, and none for ${whole}`);
        return '';
      }
      const match = matchFirstGroup(pattern, result);
      if (match === undefined)
        faults.push(`${whole} does not match ${JSON.stringify(cutExcerpt(result, MAX_EXCERPT))}`);
      return match ?? '';
    }),
  ) as Turn;
  return faults.length === 0 ? filled : { error: invalidArgument(`Scripted Gemini: ${faults.join('; ')}.`) };
}

function matchFirstGroup(pattern: string, text: string): string | undefined {
  const match = new RegExp(pattern, 's').exec(text);
  return match?.[1] ?? match?.[0];
}

function fillIn(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((entry) => fillIn(entry, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillIn(entry, replace)]));
}

/** The texts of all results of a tool, oldest first. */
function listToolResults(tool: string, { contents = [] }: GenerateRequest): string[] {
  return contents
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ functionResponse }) =>
      functionResponse?.name === tool ? [joinResponseText(functionResponse.response)] : [],
    );
}

/** The text of a response: its texts, one below the other, else its JSON. */
function joinResponseText(response: Record<string, unknown> = {}): string {
  const texts = Object.values(response).filter((value) => typeof value === 'string');
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(response);
}

/** `text` when it has at most `max` characters; else its start and `…`. */
export function cutExcerpt(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
