// The forms in which a text is searched: as people see it, with its escapes decoded, and with its line breaks removed.
// Each character of a view knows where it stands in the original.

import { MARK } from './marks.ts';

/** A form of a text. `starts[i]` and `ends[i]` are the place of its character `i` in the original. */
export interface View {
  text: string;
  /** Undefined when the view is the original itself. */
  places?: { starts: Int32Array; ends: Int32Array };
}

/** Stands for a mark: no part of any word or value. U+FDD0 is a noncharacter, so no text uses it. */
export const BARRIER = '\ufdd0';

/** Where a range of the view stands in the original. */
export function placeOf(view: View, start: number, end: number): [start: number, end: number] {
  if (view.places === undefined) return [start, end];
  return [view.places.starts[start] ?? 0, view.places.ends[end - 1] ?? 0];
}

/** ANSI sequences: colours (CSI) and titles (OSC, at most 200 characters). */
const ANSI = '\\u001b(?:\\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\\][^\\u0007\\u001b]{0,200}(?:\\u0007|\\u001b\\\\))';
/** What takes no place when text is shown: control, format and tag characters, variation selectors, joiners. */
const INVISIBLE =
  '[\\p{Cf}\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}]';
/** Letters and signs that look like ASCII: full width, mathematical, and spaces of other widths. */
const LOOKALIKE = '[\\uff01-\\uff5e\\u{1d400}-\\u{1d7ff}\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000]';
const UNUSUAL = new RegExp(`${ANSI}|${INVISIBLE}|${LOOKALIKE}|${MARK.source}`, 'gu');
/** Finds the first candidate faster than UNUSUAL does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const MAYBE_UNUSUAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\uffff]|\[masked:/;

/** The text as people see it, with a barrier for each mark. */
export function visibleView(text: string): View {
  if (!MAYBE_UNUSUAL.test(text)) return { text };
  return rewrite(text, UNUSUAL, ([match]) => {
    if (match.startsWith('[masked:')) return BARRIER;
    // It ends each line of `/proc/PID/environ`.
    if (match === '\0') return '\n';
    return /^[\uff01-\uff5e\u00a0\u2000-\u200a\u202f\u205f\u3000\ud835]/.test(match)
      ? match.normalize('NFKC')
      : '';
  });
}

const ESCAPE =
  /%([0-7][0-9A-Fa-f])|\\u00([0-7][0-9A-Fa-f])|\\x([0-7][0-9A-Fa-f])|&#x([0-7]?[0-9A-Fa-f]);|&#([0-9]{1,3});|\\([nrt"'\\/])|&(quot|apos|amp|lt|gt);|^[^%\\&\n]*\n/gm;
const HAS_ESCAPE = /%[0-7][0-9A-Fa-f]|\\[nrt"'\\/ux]|&(?:#|quot|apos|amp|lt|gt)/;
const LETTERS: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
const ENTITIES: Record<string, string> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' };

/** Levels of escapes that are undone: a manifest in JSON in a log line in JSON has three. */
export const MAX_LEVELS = 3;

/** The view, and what its escapes decode to, level by level. */
export function decodedViews(view: View): View[] {
  const views = [view];
  for (
    let inner = decodedView(view);
    inner !== undefined && views.length <= MAX_LEVELS;
    inner = decodedView(inner)
  )
    views.push(inner);
  return views;
}

/** The lines that hold escapes of URLs, JSON, HTML or programs, decoded by one level; undefined without any. */
export function decodedView(view: View): View | undefined {
  if (!HAS_ESCAPE.test(view.text)) return undefined;
  const decoded = rewrite(view.text, ESCAPE, ([, percent, unicode, hex, entityHex, entity, letter, name]) => {
    const code = percent ?? unicode ?? hex ?? entityHex;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (entity !== undefined) return Number(entity) < 128 ? String.fromCharCode(Number(entity)) : '?';
    if (letter !== undefined) return LETTERS[letter] ?? letter;
    // Neither is a line without escapes: it is searched in the other view.
    return name === undefined ? '' : (ENTITIES[name] ?? '');
  });
  // Escapes may hide colours, too.
  const seen = visibleView(decoded.text);
  return compose(view, seen.places === undefined ? decoded : compose(decoded, seen));
}

const LINE_BREAK = /[ \t]{0,40}\r?\n[ \t]{0,40}/g;
const ANY_LINE_BREAK = /[ \t]{0,40}(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}/g;

/**
 * The text as a wrapped value is read: without its line breaks and the blanks around them; and without escaped ones, too,
 * where there are some, because a secret may hold a backslash and an n.
 * @param hasBlanks whether a blank may be looked for where a line ends: then there are views for that, too.
 */
export function joinedViews(view: View, hasBlanks: boolean): View[] {
  const patterns = [
    ...(view.text.includes('\n') ? [LINE_BREAK] : []),
    ...(view.text.includes('\\n') ? [ANY_LINE_BREAK] : []),
  ];
  return patterns.flatMap((pattern) =>
    (hasBlanks ? ['', ' '] : ['']).map((joint) =>
      compose(
        view,
        rewrite(view.text, pattern, () => joint),
      ),
    ),
  );
}

/** Replaces what `pattern` matches, and remembers the places. */
function rewrite(text: string, pattern: RegExp, replacement: (match: RegExpExecArray) => string): View {
  const pieces: string[] = [];
  // A replacement is never longer than what it replaces.
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  let length = 0;
  let position = 0;
  const copy = (end: number): void => {
    if (end > position) pieces.push(text.slice(position, end));
    for (; position < end; position++, length++) {
      starts[length] = position;
      ends[length] = position + 1;
    }
  };
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    copy(match.index);
    const replaced = replacement(match);
    position = match.index + match[0].length;
    pieces.push(replaced);
    for (let index = 0; index < replaced.length; index++, length++) {
      starts[length] = match.index;
      ends[length] = position;
    }
  }
  copy(text.length);
  return {
    text: pieces.join(''),
    places: { starts: starts.subarray(0, length), ends: ends.subarray(0, length) },
  };
}

/** A view of a view as a view of the original. */
function compose(outer: View, inner: View): View {
  const { places } = inner;
  if (outer.places === undefined || places === undefined) return inner;
  for (let index = 0; index < inner.text.length; index++) {
    const [start, end] = placeOf(outer, places.starts[index] ?? 0, places.ends[index] ?? 0);
    places.starts[index] = start;
    places.ends[index] = end;
  }
  return inner;
}
