// Section headers of a ReAct answer: at the start of a line, or behind the end of a sentence.

export type SectionName = 'thought' | 'action' | 'actionInput' | 'finalAnswer';

export interface Header {
  name: SectionName;
  /** Where the text before it ends. Punctuation stays with that text; spaces, back-ticks and stars do not. */
  textEnd: number;
  /** Where its own text begins. */
  valueStart: number;
  /** Markdown that was opened before the name and not closed behind it: `**` in `**Action: a.b**`. */
  unclosed: string;
}

const NAMES: Record<string, SectionName> = {
  Thought: 'thought',
  Action: 'action',
  'Action Input': 'actionInput',
  'Final Answer': 'finalAnswer',
};

/** A name with its colon; markdown that stands before the name may be closed on either side of the colon. */
const NAMED =
  '(?<open>[*_`]{0,3})(?<name>Thought|Action Input|Action|Final Answer)(?:(?<closed>\\k<open>:|:[ \\t]*\\k<open>)|:)';
const AT_START = new RegExp(`^(?:#{1,6}\\s*)?${NAMED}`);
const ANYWHERE = new RegExp(NAMED, 'g');
/** The one header that may go without its colon, when it is alone on its line. */
const BARE_THOUGHT = /^(?:#{1,6}\s*)?([*_`]{0,3})Thought\1$/;

/** The header a trimmed line starts with. Case and colon are exact; `**Action:**` and `### Action:` are fine. */
export function headerAtStart(line: string): Header | undefined {
  const match = AT_START.exec(line);
  if (match !== null) return headerOf(match, 0);
  if (!BARE_THOUGHT.test(line)) return undefined;
  return { name: 'thought', textEnd: 0, valueStart: line.length, unclosed: '' };
}

/**
 * The next header inside a line, from index `from` on: one that stands behind `.`, `!` or `?`, with nothing between
 * but spaces, back-ticks and stars. An Action Input needs no punctuation where it ends a tool's name (`inAction`).
 */
export function headerInside(line: string, from: number, inAction: boolean): Header | undefined {
  ANYWHERE.lastIndex = from;
  for (let match = ANYWHERE.exec(line); match !== null; match = ANYWHERE.exec(line)) {
    const header = headerOf(match, match.index);
    let before = match.index;
    while (before > from && isFiller(line.charAt(before - 1))) before -= 1;
    if (before > from && '.!?'.includes(line.charAt(before - 1))) return { ...header, textEnd: before };
    const endsName = inAction && header.name === 'actionInput' && (before < match.index || before === from);
    if (endsName) return { ...header, textEnd: before };
  }
  return undefined;
}

function headerOf(match: RegExpExecArray, textEnd: number): Header {
  const { open = '', name = '', closed } = match.groups ?? {};
  return {
    name: NAMES[name] ?? 'thought',
    textEnd,
    valueStart: match.index + match[0].length,
    unclosed: closed === undefined ? open : '',
  };
}

function isFiller(character: string): boolean {
  return character === '`' || character === '*' || character.trim() === '';
}
