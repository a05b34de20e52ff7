// Finds lines of a tool's output that look like errors, and the shape that lines of one kind share. Every
// expression has only bounded repetitions, so that the work grows only with the text.

import { anyPattern } from '../patterns.ts';

/** A line that looks like an error. */
export interface ErrorSign {
  /** Index in the line of the sign of an error. */
  at: number;
  /** Errors are worth more room than warnings. */
  level: 'error' | 'warning';
}

/** Words in any case, but not as a part of another word. */
const ERROR_WORD =
  /(?<![a-z])(?:errors?|err|fatal|critical|crit|panic|panicked|severe|emerg|emergency|fail|failed|failing|failures?|exceptions?|traceback|caused by|refused|denied|unauthorized|forbidden|unreachable|unavailable|time[ds]? ?out|deadline exceeded|segfault|segmentation fault|core dumped|out of memory|no space left|killed|evicted|aborted|unhandled|uncaught|deadlock|corrupt|corrupted|corruption|crashed|cannot|could not|unable to)(?![a-z])/gi;
/** Names of classes and reasons, levels of klog, heads of stacks, exit codes, HTTP above 499. */
const ERROR_FORM = anyPattern(
  [
    /[a-z](?:Error|Exception)(?![a-z])/,
    /(?<![A-Za-z])(?:Err[A-Z][a-z]|OOMKilled|CrashLoopBackOff|[A-Za-z]{0,20}BackOff(?![a-z]))/,
    /^[EF]\d{4} \d/,
    /goroutine \d{1,9} \[/,
    /(?:exit(?:ed)?(?: with)?(?: ?code| ?status)?|rc)["']?[ :=]{1,3}-?(?!0(?!\d))\d{1,4}(?!\d)/,
    /(?:HTTP\/[\d.]{1,3}"? |[Ss]tatus(?:[_ ]?[Cc]ode)?["']?[ :=]{1,3})5\d\d(?!\d)/,
  ],
  'g',
);
const WARNING_WORD = /(?<![a-z])(?:warn|warning|warnings)(?![a-z])/gi;
/** Text after an error word that negates it: `errors: 0`, `"error": null`, `no errors`. */
const NOTHING_BEHIND = /^["']?\s?[:=]\s?(?:0(?![\d.x])|null|none|nil|false|""|\[\]|-(?=[\s,]|$))/i;
const NOTHING_BEFORE = /(?:^|[^a-z\d.])(?:no|0|without)\s$/i;

/** Whether a line looks like an error or a warning, and where. `line` has at most `MAX_LINE` characters. */
export function errorSign(line: string): ErrorSign | undefined {
  const word = firstMatch(ERROR_WORD, line);
  const form = firstMatch(ERROR_FORM, line);
  const at = Math.min(word ?? Number.POSITIVE_INFINITY, form ?? Number.POSITIVE_INFINITY);
  if (at !== Number.POSITIVE_INFINITY) return { at, level: 'error' };
  const warning = firstMatch(WARNING_WORD, line);
  return warning === undefined ? undefined : { at: warning, level: 'warning' };
}

function firstMatch(pattern: RegExp, line: string): number | undefined {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const { index } = match;
    const end = index + match[0].length;
    const isNothing =
      NOTHING_BEHIND.test(line.slice(end, end + 12)) ||
      NOTHING_BEFORE.test(line.slice(Math.max(0, index - 9), index));
    if (!isNothing) return index;
  }
  return undefined;
}

/** Words, numbers included, and single characters of any other kind. */
const TOKEN = /[\p{L}\p{N}_$]+|[^\p{L}\p{N}_$]/gu;
const HAS_DIGIT = /\d/;
const HEX_LETTERS = /^[a-f]{8,}$/i;
/** Words after which a number identifies the failure. */
const TELLING = /^(?:code|status|statuscode|status_code|exit|exited|exitcode|http|signal|errno|rc)$/i;
/** Keys whose text describes the failure. The text of any other key is a value like a number. */
const TELLING_KEY =
  /^(?:msg|message|err|error|errors|reason|cause|detail|details|exception|event|level|severity|type|status|code|log|stack|title)$/i;
const QUOTES = new Set(['"', "'", '`']);

/**
 * The shape that lines of one kind share: the line with digits, hexadecimal numbers, ids and quoted texts
 * replaced. Numbers after words such as `code` and texts of keys such as `msg` stay.
 */
export function toLineShape(line: string): string {
  const tokens: readonly string[] = line.match(TOKEN) ?? [];
  const shape: string[] = [];
  let lastWord = '';
  /** Quotation marks without a closing one, each searched for only once. */
  let unclosed = '';
  /** Where a quoted text ends that stays. */
  let keptEnd = -1;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if (QUOTES.has(token)) {
      if (index === keptEnd) continue;
      const mayClose = !unclosed.includes(token) && isOpening(tokens, index);
      const end = mayClose ? findClosingMark(tokens, index) : -1;
      if (mayClose && end === -1) unclosed += token;
      if (end === -1) continue;
      const isKey = tokens[end + 1] === ':';
      const isValue = tokens[index - 1] === ':' || tokens[index - 1] === '=' || tokens[index - 2] === ':';
      if (isKey || (isValue && TELLING_KEY.test(lastWord))) {
        keptEnd = end;
        continue;
      }
      pushToken(shape, '"…"');
      index = end;
      lastWord = '';
    } else if (HAS_DIGIT.test(token)) {
      const tells = TELLING.test(lastWord) && token.length <= 4;
      pushToken(shape, tells ? token : '#');
    } else if (HEX_LETTERS.test(token)) {
      pushToken(shape, '#');
    } else {
      if (/^\p{L}/u.test(token)) lastWord = token;
      pushToken(shape, token);
    }
  }
  return shape.join('');
}

/** An apostrophe inside a word opens nothing. */
function isOpening(tokens: readonly string[], index: number): boolean {
  return tokens[index] !== "'" || !/^[\p{L}\p{N}]/u.test(tokens[index - 1] ?? '');
}

/** The place of the closing quotation mark, or -1; marks after a backslash close nothing. */
function findClosingMark(tokens: readonly string[], opening: number): number {
  for (let index = opening + 1; index < tokens.length; index++) {
    if (tokens[index] === '\\') index++;
    else if (tokens[index] === tokens[opening]) return index;
  }
  return -1;
}

/** Dates, times, addresses and ids with hyphens are one number. */
function pushToken(shape: string[], token: string): void {
  const before = shape.at(-1);
  if (token === '#' && before === '#') return;
  if (token === '#' && shape.at(-2) === '#' && /^[-.:/+]$/.test(before ?? '')) {
    shape.pop();
    return;
  }
  if (/^\s$/.test(token) && before !== undefined && /^\s$/.test(before)) return;
  shape.push(token);
}
