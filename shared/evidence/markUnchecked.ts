// The marks behind values and assertions of an analysis: equal on the page, in exports, on the terminal.

import { markConfidence } from './statedConfidence.ts';

/** An assertion with a mark, by its place in the checked text. */
export interface Assertion {
  kind: 'name' | 'direction' | 'state' | 'cause';
  state: 'contradicted' | 'claim';
  start: number;
  end: number;
  result?: string;
}

/** Why a value or an assertion of an analysis has a mark, by its state. */
export const MARK_WORDS: Readonly<Record<string, string>> = {
  absent: 'in no result',
  unchecked: 'could not be checked',
  contradicted: 'the results state otherwise',
  claim: 'claim of cause',
};

/** The limits of the check, below an analysis whose claims were checked. */
export const NOT_READ =
  'Checked are numbers, times, names, rise and fall between two values, and states beside a name. Other statements are not read.';

/**
 * An analysis with a mark behind each stated confidence, each value that was not found, each contradicted
 * assertion and each claim of cause.
 * @param values of the analysis; those without a position in it have none.
 */
export function markUnchecked(analysis: string, values: readonly { state: string; end: number }[]): string {
  const marked = values
    .filter(({ end }) => end > 0)
    .toSorted((a, b) => b.end - a.end)
    .reduce((text, { state, end }) => {
      const words = MARK_WORDS[state];
      return words === undefined ? text : `${text.slice(0, end)} [${words}]${text.slice(end)}`;
    }, analysis);
  return markConfidence(marked);
}
