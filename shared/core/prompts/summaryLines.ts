// The form of an executive summary, which its strategy enforces.

/** Maximum lines of a summary, and characters of each: as much as a phone shows without scrolling. */
export const MAX_SUMMARY_LINES = 4;
export const MAX_SUMMARY_LINE = 240;

/** The start of the summary of an investigation that ended early. */
export const INCOMPLETE = 'Incomplete: ';
