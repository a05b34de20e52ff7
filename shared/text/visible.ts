// Makes hidden characters of untrusted text visible: people and models read the same text, and a terminal executes no
// control sequences.

/** Ends a line for some reader, if not for all: a line that only one of them sees could hide a header from the others. */
const LINE_BREAK = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/**
 * Control characters, marks without a width or that change the direction of text, tag characters, variation selectors,
 * fillers and lone surrogates. One selector behind a visible character is how emoji are written.
 */
const HIDDEN =
  /[^\P{Cc}\n\t]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\p{Cf}|(?<=^|[\p{Default_Ignorable_Code_Point}\s])[\ufe0e\ufe0f]|[\p{Cs}\ufffe\uffff]/gu;

/**
 * The text with a replacement character for every invisible character except line breaks and tabs. Line breaks of every kind
 * become `\n`. Visible text is returned unchanged.
 */
export function makeVisible(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(HIDDEN, '\ufffd');
}
