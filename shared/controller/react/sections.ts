// Splits a ReAct answer into its sections, in order; parseAnswer.ts decides what they mean. One pass, linear time.

/** The headers of the format. */
export type SectionName = 'thought' | 'action' | 'actionInput' | 'finalAnswer';

/** A header's name and the text that follows it. */
export interface Section {
  /** `none`: text that belongs to no header. */
  name: SectionName | 'none';
  /** First the rest of the header's own line, then whole lines, less the indentation of the header. */
  lines: string[];
}

/** What `splitSections` returns. */
interface SplitAnswer {
  sections: Section[];
  /** The text from the first `Final Answer:` to the end, later headers included. */
  answerText: string;
}

/** A header found in a line. */
interface Header {
  name: SectionName;
  /** Index where the text before the header ends. Punctuation belongs to that text; spaces, back-ticks and stars do not. */
  textEnd: number;
  /** Index where the header's own text begins. */
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

/** A name with its colon. Markdown opened before the name may be closed on either side of the colon. */
const NAMED =
  '(?<open>[*_`]{0,3})(?<name>Thought|Action Input|Action|Final Answer)(?:(?<closed>\\k<open>:|:[ \\t]*\\k<open>)|:)';
const AT_START = new RegExp(`^(?:#{1,6}\\s*)?${NAMED}`);
const ANYWHERE = new RegExp(NAMED, 'g');
/** `Thought` is the only header that needs no colon, when it is alone on its line. */
const BARE_THOUGHT = /^(?:#{1,6}\s*)?([*_`]{0,3})Thought\1$/;

const OBSERVATION = 'Observation:';
/** An observation in markdown. In a final answer it may be a heading of the report instead. */
const MARKED_OBSERVATION = /^(?:#{1,6}\s*)?[*_`]{1,3}Observation(?:[*_`]{1,3}:|:)|^#{1,6}\s*Observation:/;
const BASED_ON = '[Based on';
/** An observation that holds one of these repeats what the model was asked; it is not an invented result. */
const REQUESTS = ['Please specify', 'what Action you want to take', 'Error in reasoning'];

/**
 * The sections of an answer up to the first line that starts with `Observation:` or `[Based on`: the runtime writes
 * observations, so a model that writes one invents the result and everything after it.
 */
export function splitSections(text: string): SplitAnswer {
  let current: Section = { name: 'none', lines: [] };
  const sections = [current];
  const answerLines: string[] = [];
  let indentation = 0;
  let answerIndentation = 0;
  let hasAction = false;
  let hasAnswer = false;

  function open(name: Section['name'], lineIndentation: number): void {
    current = { name, lines: [] };
    indentation = lineIndentation;
    sections.push(current);
    hasAction ||= name === 'action';
    if (name === 'finalAnswer' && !hasAnswer) {
      hasAnswer = true;
      answerIndentation = lineIndentation;
    }
  }

  for (const rawLine of text.split(/\r\n|\r|\n/)) {
    const trimmed = rawLine.trim();
    if (endsParsing(trimmed, hasAnswer)) break;
    const lineIndentation = rawLine.length - rawLine.trimStart().length;
    const answeredBefore = hasAnswer;
    const first = findHeaderAtStart(trimmed);
    if (first === undefined && trimmed.startsWith(OBSERVATION) && isCall(current)) {
      open('none', lineIndentation);
      continue;
    }
    const line =
      first === undefined
        ? removeIndentation(rawLine, indentation)
        : removeClosingMarkup(rawLine.trimStart(), first);
    let from = 0;
    if (first !== undefined) {
      open(first.name, lineIndentation);
      from = first.valueStart;
    }
    let position = from;
    while (current.name !== 'actionInput' && current.name !== 'finalAnswer') {
      const header = findHeaderInside(line, position, current.name === 'action');
      if (header === undefined) break;
      position = header.valueStart;
      if (!countsInside(header, current, first, hasAction)) continue;
      current.lines.push(line.slice(from, header.textEnd));
      open(header.name, lineIndentation);
      from = header.valueStart;
    }
    current.lines.push(line.slice(from));
    if (answeredBefore) answerLines.push(removeIndentation(rawLine, answerIndentation));
    else if (hasAnswer) answerLines.push(line.slice(from));
  }
  return { sections, answerText: answerLines.join('\n').trim() };
}

function isCall(section: Section): boolean {
  return section.name === 'action' || section.name === 'actionInput';
}

/** Whether a header in the middle of a line opens a section. `first` is the header at the start of that line. */
function countsInside(
  header: Header,
  current: Section,
  first: Header | undefined,
  hasAction: boolean,
): boolean {
  switch (header.name) {
    case 'thought':
      return current.name !== 'thought';
    case 'action':
      return true;
    case 'actionInput':
      return hasAction;
    case 'finalAnswer':
      return first === undefined || first.name === 'thought';
  }
}

/**
 * Whether parsing ends before this line. `Observation:` ends it inside a final answer too, although a report may have
 * such a heading: it looks the same as an invented trace after the answer, and a report that is cut short does less
 * harm than one with invented results. Inside a final answer, an observation in markdown is a heading.
 */
function endsParsing(trimmed: string, hasAnswer: boolean): boolean {
  if (trimmed.startsWith(BASED_ON)) return true;
  const observes = trimmed.startsWith(OBSERVATION) || (!hasAnswer && MARKED_OBSERVATION.test(trimmed));
  return observes && !REQUESTS.some((request) => trimmed.includes(request));
}

/** Removes the closing markdown at the end of a line whose header left it open: the last `**` of `**Action: a.b**`. */
function removeClosingMarkup(line: string, header: Header): string {
  const { unclosed, valueStart } = header;
  const text = line.trimEnd();
  const isClosed = unclosed !== '' && text.length - valueStart >= unclosed.length && text.endsWith(unclosed);
  return isClosed ? text.slice(0, -unclosed.length) : line;
}

/** Removes at most `count` blank characters from the start. */
function removeIndentation(line: string, count: number): string {
  let start = 0;
  while (start < count && start < line.length && line.charAt(start).trim() === '') start += 1;
  return line.slice(start);
}

/** The header at the start of a trimmed line. Case and colon must be exact; markdown around them is allowed. */
function findHeaderAtStart(line: string): Header | undefined {
  const match = AT_START.exec(line);
  if (match !== null) return headerOf(match, 0);
  if (!BARE_THOUGHT.test(line)) return undefined;
  return { name: 'thought', textEnd: 0, valueStart: line.length, unclosed: '' };
}

/**
 * The next header inside a line, from index `from` on. It must follow `.`, `!` or `?`, with only spaces, back-ticks and
 * stars between. In an action (`inAction`), `Action Input:` may follow the tool's name without punctuation.
 */
function findHeaderInside(line: string, from: number, inAction: boolean): Header | undefined {
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
