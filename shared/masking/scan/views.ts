// The forms in which a text is searched: as people see it, with its escapes decoded, and with its line breaks
// removed. A view knows where each of its characters stands in the original.

import { runAllSteps } from '../../text/yieldingSteps.ts';
import { createEdits, type Edits, placeBefore } from './edits.ts';
import { MARK } from './maskMarks.ts';
import { matchAt } from './scan.ts';

/** A form of a text. */
export interface View {
  /** The text in this form. */
  text: string;
  /** The replacements from the original, last ones first. Undefined when the view is the original. */
  edits?: EditChain;
}

/** The replacements that make one text from another, and those that made that other one. */
interface EditChain {
  /** The replacements of the last step. */
  edits: Edits;
  /** The replacements of the steps before; undefined for the first step. */
  outer: EditChain | undefined;
}

/** Stands for a mark: no part of any word or value. U+FDD0 is a noncharacter, so no text uses it. */
export const BARRIER = '\ufdd0';

/** Where a range of the view stands in the original. */
export function toOriginalRange(view: View, start: number, end: number): [start: number, end: number] {
  let place: [number, number] = [start, end];
  for (let chain = view.edits; chain !== undefined; chain = chain.outer)
    place = placeBefore(chain.edits, ...place);
  return place;
}

/** ANSI sequences: colours (CSI) and titles (OSC, at most 200 characters). */
const ANSI = '\\u001b(?:\\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\\][^\\u0007\\u001b]{0,200}(?:\\u0007|\\u001b\\\\))';
/** Invisible characters: control, format and tag characters, variation selectors, joiners. */
const INVISIBLE =
  '[\\p{Cf}\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}]';
/** Letters and signs that look like ASCII: full width, mathematical, and spaces of other widths. */
const LOOKALIKE = '[\\uff01-\\uff5e\\u{1d400}-\\u{1d7ff}\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000]';
const UNUSUAL = new RegExp(`${ANSI}|${INVISIBLE}|${LOOKALIKE}|${MARK.source}`, 'gu');
/** Finds the first candidate faster than UNUSUAL does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const MAYBE_UNUSUAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\uffff]|\[masked:/;

/** The text as people see it, with a barrier for each mark. */
export function visibleView(text: string): View {
  return runAllSteps(visibleSteps({ text }));
}

/** Makes the visible view of a view, in steps of limited time. The view itself if it is visible. */
export function* visibleSteps(view: View): Generator<undefined, View> {
  if (!MAYBE_UNUSUAL.test(view.text)) return view;
  return yield* rewriteView(view, UNUSUAL, ([match]) => {
    if (match.startsWith('[masked:')) return BARRIER;
    // It ends each line of `/proc/PID/environ`.
    if (match === '\0') return '\n';
    return /^[\uff01-\uff5e\u00a0\u2000-\u200a\u202f\u205f\u3000\ud835]/.test(match)
      ? match.normalize('NFKC')
      : '';
  });
}

const ESCAPE =
  /%([0-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])|\\x([0-7][0-9A-Fa-f])|&#x([0-7]?[0-9A-Fa-f]);|&#([0-9]{1,3});|\\([nrt"'\\/])|&(quot|apos|amp|lt|gt);|(")|^[^%\\&\n]*\n/gm;
/** Behind the opening quote of a string whose first line ends within it. */
const FIRST_LINE = /(?:[^"\\\n]|\\[^nr\n]){0,500}\\[nr]/y;
const HAS_ESCAPE = /%[0-7][0-9A-Fa-f]|\\[nrt"'\\/ux]|&(?:#|quot|apos|amp|lt|gt)/;
const LETTERS: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
const ENTITIES: Record<string, string> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };

/** Levels of escapes that are undone: a manifest in JSON in a log line in JSON has three. */
export const MAX_LEVELS = 3;

/** The view, and its decoded escapes, level by level. */
export function* decodedViews(view: View): Generator<undefined, View[]> {
  const views = [view];
  for (let inner: View | undefined = view; views.length <= MAX_LEVELS; ) {
    inner = yield* decodedSteps(inner);
    if (inner === undefined) break;
    views.push(inner);
  }
  return views;
}

/**
 * Decodes the lines that hold escapes of URLs, JSON, HTML or programs by one level, in steps of a limited
 * time; undefined without any escapes.
 */
export function* decodedSteps(view: View): Generator<undefined, View | undefined> {
  if (!HAS_ESCAPE.test(view.text)) return undefined;
  // The first and the last line of a string of several lines stand on lines of their own, like those between.
  let hasLines = false;
  const decoded = yield* rewriteView(
    view,
    ESCAPE,
    ({
      1: percent,
      2: unicode,
      3: hex,
      4: entityHex,
      5: entity,
      6: letter,
      7: name,
      8: quote,
      index,
      input,
    }) => {
      if (quote !== undefined) {
        const isBorder = hasLines || matchAt(input, index + 1, FIRST_LINE) !== null;
        hasLines = false;
        return isBorder ? '\n' : undefined;
      }
      const code = percent ?? unicode ?? hex ?? entityHex;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (entity !== undefined) return Number(entity) < 128 ? String.fromCharCode(Number(entity)) : '?';
      hasLines ||= letter === 'n' || letter === 'r';
      if (letter !== undefined) return LETTERS[letter] ?? letter;
      // Neither is a line without escapes: it is searched in the other view.
      return name === undefined ? '' : (ENTITIES[name] ?? '');
    },
  );
  // Escapes can hide colours, too.
  return yield* visibleSteps(decoded);
}

const LINE_BREAK = /[ \t]{0,40}\r?\n[ \t]{0,40}/g;
const ANY_LINE_BREAK = /[ \t]{0,40}(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}/g;

/**
 * The text as a wrapped value is read: without its line breaks and the blanks around them; and without
 * escaped ones, too, where there are some, because a secret can contain a backslash and an n.
 * @param hasBlanks whether a line can end at a blank of the value: then there are views with that blank, too.
 */
export function joinedViews(view: View, hasBlanks: boolean): View[] {
  const patterns = [
    ...(view.text.includes('\n') ? [LINE_BREAK] : []),
    ...(view.text.includes('\\n') ? [ANY_LINE_BREAK] : []),
  ];
  return patterns.flatMap((pattern) =>
    (hasBlanks ? ['', ' '] : ['']).map((joint) => runAllSteps(rewriteView(view, pattern, () => joint))),
  );
}

/** Characters that are rewritten in a step. */
const STEP = 64 * 1024;
/** Longer than any match that matters: of a longer line without escapes nothing is left out. */
const LONGEST_MATCH = 1024;
/** Pieces of a text that are joined at once. */
const PIECES = 4096;

/**
 * Replaces the matches of `pattern`, but those for which `replacement` returns undefined; returns the view
 * itself without any. A step rewrites some of the text, which is never cut within a match.
 */
function* rewriteView(
  view: View,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string | undefined,
): Generator<undefined, View> {
  const { text } = view;
  const edits = createEdits();
  const parts: string[] = [];
  let pieces: string[] = [];
  let position = 0;
  for (let from = 0; from < text.length; from = Math.max(position, stepEnd(text, from))) {
    const to = stepEnd(text, from);
    // The character before decides whether a line starts here.
    const start = Math.max(0, from - 1);
    const part = text.slice(start, to === text.length ? to : stepEnd(text, to, LONGEST_MATCH));
    pattern.lastIndex = from - start;
    for (let match = pattern.exec(part); match !== null; match = pattern.exec(part)) {
      const index = match.index + start;
      if (index >= to) break;
      const replaced = replacement(match);
      if (replaced === undefined) continue;
      pieces.push(text.slice(position, index), replaced);
      position = index + match[0].length;
      edits.add(index, position, replaced.length);
    }
    if (pieces.length > PIECES) {
      parts.push(pieces.join(''));
      pieces = [];
    }
    if (to < text.length) yield undefined;
  }
  if (position === 0) return view;
  parts.push(pieces.join(''), text.slice(position));
  return { text: parts.join(''), edits: { edits: edits.done(), outer: view.edits } };
}

/** The end of a step from `from`, not within a surrogate pair. */
function stepEnd(text: string, from: number, length = STEP): number {
  const end = Math.min(text.length, from + length);
  return end < text.length && isTrail(text.charCodeAt(end)) ? end + 1 : end;
}

const isTrail = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
