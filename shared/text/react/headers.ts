// The headers of the ReAct format, and their places in a line.

/** The sections a header can open. */
export type SectionName = 'thought' | 'action' | 'actionInput' | 'finalAnswer';

/** A header found in a line. */
export interface Header {
  name: SectionName;
  /** Index of the text's end before the header: punctuation belongs to it; spaces and marks do not. */
  textEnd: number;
  /** Index of the name. */
  nameStart: number;
  /** Start index of the header's own text. */
  valueStart: number;
  /** Markdown that was opened before the name and not closed after it: `**` in `**Action: a.b**`. */
  unclosed: string;
}

const NAMES: Record<string, SectionName> = {
  Thought: 'thought',
  Action: 'action',
  'Action Input': 'actionInput',
  'Final Answer': 'finalAnswer',
};

/** A name with its colon. Markdown opened before the name can be closed on either side of the colon. */
const NAMED =
  '(?<open>[*_`]{0,3})(?<name>Thought|Action Input|Action|Final Answer)(?:(?<closed>\\k<open>:|:[ \\t]*\\k<open>)|:)';
const AT_START = new RegExp(`^(?:#{1,6}\\s*)?${NAMED}`);
const ANYWHERE = new RegExp(NAMED, 'g');
/** `Thought` needs no colon on a line of its own. */
const BARE_THOUGHT = /^(?:#{1,6}\s*)?([*_`]{0,3})Thought\1$/;
/** `Final Answer` needs no colon as a heading or with emphasis, on a line of its own. */
const BARE_FINAL_ANSWER = /^(?:#{1,6}\s*([*_]{0,3})Final Answer\1|([*_]{1,3})Final Answer\2)$/;

/** The header at a trimmed line's start: exact case and colon; markdown around it is allowed. */
export function findHeaderAtStart(line: string): Header | undefined {
  const match = AT_START.exec(line);
  if (match !== null) return readHeaderMatch(match, 0);
  const bare = { textEnd: 0, nameStart: 0, valueStart: line.length, unclosed: '' };
  if (BARE_THOUGHT.test(line)) return { name: 'thought', ...bare };
  return BARE_FINAL_ANSWER.test(line) ? { name: 'finalAnswer', ...bare } : undefined;
}

/**
 * The next header inside a line, from index `from` on. It must follow `.`, `!` or `?`, with only spaces,
 * back-ticks and stars between. In an action (`inAction`), `Action Input:` can follow the tool's name without
 * punctuation.
 */
export function findHeaderInside(line: string, from: number, inAction: boolean): Header | undefined {
  ANYWHERE.lastIndex = from;
  for (let match = ANYWHERE.exec(line); match !== null; match = ANYWHERE.exec(line)) {
    const header = readHeaderMatch(match, match.index);
    let before = match.index;
    while (before > from && isFiller(line.charAt(before - 1))) before -= 1;
    if (before > from && '.!?'.includes(line.charAt(before - 1))) return { ...header, textEnd: before };
    const endsName = inAction && header.name === 'actionInput' && (before < match.index || before === from);
    if (endsName) return { ...header, textEnd: before };
  }
  return undefined;
}

/** Removes closing markdown at a line's end that its header opened: `**` of `**Action: a.b**`. */
export function removeClosingMarkup(line: string, { unclosed, valueStart }: Header): string {
  const text = line.trimEnd();
  const isClosed = unclosed !== '' && text.length - valueStart >= unclosed.length && text.endsWith(unclosed);
  return isClosed ? text.slice(0, -unclosed.length) : line;
}

function readHeaderMatch(match: RegExpExecArray, textEnd: number): Header {
  const { open = '', name = '', closed } = match.groups ?? {};
  return {
    name: NAMES[name] ?? 'thought',
    textEnd,
    nameStart: match.index + open.length,
    valueStart: match.index + match[0].length,
    unclosed: closed === undefined ? open : '',
  };
}

function isFiller(character: string): boolean {
  return character === '`' || character === '*' || character.trim() === '';
}
