// The sections of an analysis that the next investigation wants to know: cause, evidence, fix. Pure.

interface Section {
  /** The subject of the heading, in one of these three words. */
  name: 'Cause' | 'Evidence' | 'Fix';
  /** The text up to the next heading, trimmed. Markdown. */
  text: string;
}

/** Headings as models write them: `## Root cause`, `**Root cause** (confidence: high): text`, `Fix:`. */
const HEADING =
  /^[^\S\n]{0,3}(?:#{1,6}[^\S\n]+)?(?:\*\*)?(?:\d{1,2}[.)][^\S\n]+)?(?:\*\*)?([\p{L}][\p{L} /-]{2,40}?)(?:\*\*)?(?:[^\S\n]*\([^()\n]{0,80}\))?(?:\*\*)?[^\S\n]*(?::(?:\*\*)?|$)[^\S\n]*/u;
/** A line that has nothing of a heading but its words is text. */
const MARKED = /^[^\S\n]{0,3}(?:#{1,6}[^\S\n]|\*\*)|:(?:\*\*)?(?:[^\S\n]|$)/;

const NAMES: readonly [Section['name'], RegExp][] = [
  ['Cause', /\bcauses?\b/i],
  ['Evidence', /\b(?:evidence|findings)\b/i],
  [
    'Fix',
    /\b(?:fix|fixes|remediation|mitigation|resolution|recommend\w*|actions?|next steps?|what to do)\b/i,
  ],
];

/**
 * The sections in their order; none where the analysis has no heading for a cause or a fix. Omits text before
 * the first heading and sections about other subjects.
 */
export function findSections(analysis: string): Section[] {
  const sections: Section[] = [];
  let current: Section | undefined;
  for (const line of analysis.split('\n')) {
    const [heading, words = ''] = (MARKED.test(line) && HEADING.exec(line)) || [];
    if (heading !== undefined && words !== '') {
      const name = NAMES.find(([, pattern]) => pattern.test(words))?.[0];
      current = name === undefined ? undefined : { name, text: line.slice(heading.length) };
      if (current !== undefined) sections.push(current);
    } else if (current !== undefined) current.text += `\n${line}`;
  }
  const found = sections
    .map(({ name, text }) => ({ name, text: text.trim() }))
    .filter(({ text }) => text !== '');
  return found.some(({ name }) => name !== 'Evidence') ? found : [];
}
