// The marks in an analysis behind values that were not found: the same on the page, in exports and on the command line.

/** Why a value of an analysis has a mark, by its state. */
export const MISSING_WORDS: Readonly<Record<string, string>> = {
  absent: 'in no result',
  unchecked: 'could not be checked',
};

/**
 * An analysis with a mark behind each value that no result has, or that could not be checked.
 * @param values of the analysis; those without a position in it have none.
 */
export function markUnchecked(analysis: string, values: readonly { state: string; end: number }[]): string {
  return values
    .filter(({ end }) => end > 0)
    .toSorted((a, b) => b.end - a.end)
    .reduce((text, { state, end }) => {
      const words = MISSING_WORDS[state];
      return words === undefined ? text : `${text.slice(0, end)} [${words}]${text.slice(end)}`;
    }, analysis);
}
