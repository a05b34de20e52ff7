// The ways in which models write that there is nothing: no action to take, or no final answer yet.

import { trimCharacters } from './trimCharacters.ts';

/** Optional end: marks, then words in brackets. */
const BRACKETS = /[*_`"']*\s*(?:\([^()]*\)|\[[^[\]]*\])$/;
const NOTHING = 'none|n/a|null|nil|-+|–|—';
const NO_ACTION = new RegExp(
  `^(?:${NOTHING}|no (?:further |more )?(?:action|tool)s?(?: (?:is|are))?(?: (?:needed|required|necessary))?)$`,
  'i',
);
const NO_ANSWER = new RegExp(
  `^(?:(?:${NOTHING})(?: yet)?|no (?:final )?answer(?: is)?(?: (?:available|possible))?(?: yet)?|not (?:yet|available|ready|known|applicable)(?: yet)?|pending|tbd)?$`,
  'i',
);
/** Longer text has other content. In characters. */
const MAX_LENGTH = 200;
const SPACE = ' \t\n';
const MARKS = `${SPACE}\`*_"'`;

/** Whether the value of an Action means that no tool is called. No tool has such a name. */
export function meansNoAction(value: string): boolean {
  return value.length <= MAX_LENGTH && NO_ACTION.test(stripAnswerMarks(value));
}

/** Whether the text of a final answer is empty or only means that there is none. */
export function meansNoAnswer(text: string): boolean {
  return text.length <= MAX_LENGTH && NO_ANSWER.test(stripAnswerMarks(text));
}

/** The words without marks, final punctuation, words in brackets after them, or brackets around them. */
function stripAnswerMarks(text: string): string {
  const words = trimCharacters(text, MARKS, `${MARKS}.,;:!…`);
  if (/^[([][^()[\]]*[)\]]$/.test(words)) return trimCharacters(words, '([', ')].');
  return trimCharacters(words.replace(BRACKETS, ''), '', `${MARKS}.`);
}
