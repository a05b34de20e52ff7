// Finds the text that models write before the value of an Action Input: emphasis, words, a call.

/** Words before the value: `Here is the input:`. They hold a space, so they are no key of a pair. */
export const ASIDE = /^(?:sure[,.!]?\s+)?(?:here|the|this|these|my)\s[^\n:{}"'=`]{0,80}:\s*(?=\{|`{3}|~{3})/i;

/** Emphasis that a model opened before the header: `**` before the value. */
export const MARKS = /^(?:\*{2,3}|_{2,3})(?=[\s{["'`])\s*/;
/** A call around the object: `Tool({…})`. The action names the tool. */
export const WRAPPER = /^[A-Za-z_][\w.-]{0,200}\s*\(\s*(?=\{)/;

/** Index of the opening brace in an input's first line, after emphasis, words, a call; or undefined. */
export function objectStart(line: string): number | undefined {
  const value = line
    .trimStart()
    .replace(/^`+/, '')
    .replace(MARKS, '')
    .replace(ASIDE, '')
    .replace(WRAPPER, '');
  return value.startsWith('{') ? line.length - value.length : undefined;
}
