// The marks in an analysis behind values that no result has: the same on the page, in exports and on the command line.

/**
 * An analysis with a mark behind each value that no result has.
 * @param values of the analysis; those without a position in it have none.
 */
export function markUnchecked(analysis: string, values: readonly { state: string; end: number }[]): string {
  const ends = values.filter(({ state, end }) => state === 'unchecked' && end > 0).map(({ end }) => end);
  return ends
    .toSorted((a, b) => b - a)
    .reduce((text, end) => `${text.slice(0, end)} [in no result]${text.slice(end)}`, analysis);
}
