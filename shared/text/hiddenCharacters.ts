// Makes hidden characters of untrusted text visible: people and models read the same text, and a terminal
// executes no control sequences.

/** Ends a line for some readers: a line that only one sees could hide a header from others. */
const LINE_BREAK = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/**
 * Control characters, marks without a width or that change the direction of text, tag characters, variation
 * selectors, fillers and lone surrogates. One selector behind a visible character is how emoji are written.
 */
const HIDDEN =
  /[^\P{Cc}\n\t]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\p{Cf}|(?<=^|[\p{Default_Ignorable_Code_Point}\s])[\ufe0e\ufe0f]|[\p{Cs}\ufffe\uffff]/gu;

/**
 * The text with a replacement character for every invisible character except line breaks and tabs. Line
 * breaks of every kind become `\n`. Visible text is returned unchanged.
 */
export function makeVisible(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(HIDDEN, '\ufffd');
}

/** Blank characters except space, tab, line break. Two are drawn blank without being white space. */
const ODD_BLANK = /[^\S \t\n]|[\u2800\u{1d159}]/gu;
/** Longer than the indentation of any line that people write. */
const PADDING = /\s{33,}/g;

/**
 * The text as a person has to see it to vouch for it: also with a replacement character for every unusual
 * blank, and with the length of a gap in the place of more than 32 blanks, so that nothing stands out of
 * sight.
 */
export function showWhole(text: string): string {
  return makeVisible(text)
    .replace(ODD_BLANK, '\ufffd')
    .replace(PADDING, (gap) => `\n[${gap.length} blanks]\n`);
}

/** Letters written from right to left, by Unicode's blocks: they move the text around them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Anything but letters, digits, signs and usual blanks, such as a private or unassigned character. */
const UNUSUAL = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \t\n]/u;

/** Whether a person sees all of a text in order: no hidden character, gap, or right-to-left text. */
export function isSeenWhole(text: string): boolean {
  return showWhole(text) === text && !UNUSUAL.test(text) && !RIGHT_TO_LEFT.test(text);
}
