// The parts of an analysis whose values are checked, and the places of values in it.

/** A heading, or a bold start of a line, that starts a part. */
const HEADING = /^\s*(?:#{1,6}\s+(.*)|(?:[-*]\s+)?\*\*([^*\n]+?):?\*\*.*)$/;
const PROPOSALS =
  /\b(?:what to do|do now|next steps?|recommend\w*|remediation|mitigation|proposed|actions?|how to fix|follow[- ]?ups?)\b/i;
/** A command with an option, as code: an action, and no statement. */
const COMMAND = /`[^`\n]*\s--?\p{L}[^`\n]*`/gu;

/**
 * The analysis without headings, numbers of lists, commands and proposals, which are not checked.
 * @param blank makes the text in their place. Default: nothing.
 */
export function checkedText(analysis: string, blank: (part: string) => string = () => ''): string {
  let isProposal = false;
  const lines = analysis.split('\n').map((line) => {
    const [, heading, bold] = HEADING.exec(line) ?? [];
    const title = heading ?? bold;
    if (title !== undefined) isProposal = PROPOSALS.test(title);
    if (isProposal || heading !== undefined) return blank(line);
    return line.replace(/^\s*\d+[.)]\s/, blank).replace(COMMAND, blank);
  });
  return lines.join('\n');
}

/** Parts of the checked text in order, with positions in the analysis; -1 for another form there. */
export function placeParts<T extends { text: string }>(
  parts: readonly T[],
  analysis: string,
): (T & { start: number; end: number })[] {
  const blanked = checkedText(analysis, (part) => ' '.repeat(part.length));
  let from = 0;
  return parts.map((one) => {
    const start = blanked.indexOf(one.text, from);
    if (start === -1) return { ...one, start: -1, end: -1 };
    from = start + one.text.length;
    return { ...one, start, end: from };
  });
}
