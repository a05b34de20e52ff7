// Cuts a result to the model's part: its head, the first line of each kind of error, its tail.

import { boundaryAfter, boundaryBefore, quoteText } from '../../text/cut.ts';
import { limitText } from '../../text/limitText.ts';
import { leftOutLine } from '../../text/omissionNote.ts';
import { runAllSteps } from '../../text/yieldingSteps.ts';
import { type ErrorKind, errorSteps } from './errorLines.ts';
import { walkLines } from './lines.ts';

/** Shares of the room for error lines and tail; the head has the rest, also the unused. */
const ERRORS_SHARE = 0.3;
const TAIL_SHARE = 0.25;
/** Below this room there is only head and tail: a note and error lines would leave nothing of them. */
const MIN_ROOM = 600;
/** For the lines between the pieces. */
const MARKS = 260;
/** Minimum characters of an error line: enough to distinguish kinds. Few are shown in full. */
const SHORTEST_EXCERPT = 100;

/**
 * Cuts the text to `maxBytes` UTF-8 bytes, in steps of some milliseconds. Returns the text unchanged if it
 * fits. The line with the omitted amount is the one of `limitText`.
 * @param note precedes that line, on a line of its own, and names the location of the whole text. Omitted
 *   where there is no room.
 */
export function* cutSteps(text: string, maxBytes: number, note: string): Generator<undefined, string> {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text.toWellFormed();
  const room = maxBytes - Buffer.byteLength(note) - MARKS;
  if (room < MIN_ROOM) return limitText(text, maxBytes).content;

  const errorsRoom = Math.floor(room * ERRORS_SHARE);
  const tail = pieceFrom(bytes, bytes.length - Math.floor(room * TAIL_SHARE));
  const tailStart = bytes.length - Buffer.byteLength(tail);
  const shortHead = pieceTo(bytes, room - errorsRoom - Math.floor(room * TAIL_SHARE));
  const { kinds, others } = yield* errorSteps(text);
  const tailAt = text.length - tail.length;
  const hidden = kinds.filter(({ start }) => start >= shortHead.length && start < tailAt);
  const errors = errorSection(hidden, others, errorsRoom);
  const head = pieceTo(
    bytes,
    Math.min(tailStart, room - Buffer.byteLength(errors) - Buffer.byteLength(tail)),
  );
  const left = tailStart - Buffer.byteLength(head);
  const { first, last } = linesBetween(text, head.length, tailAt);
  const what =
    errors === ''
      ? 'None of them looks like an error.'
      : 'The first of each kind of error line among them, with its number:';
  const mark = leftOutLine(left, bytes.length);
  const lines = `[... lines ${first} to ${last}. ${what} ...]`;
  const end = errors === '' ? '' : `\n${errors}\n[... the end of the result: ...]`;
  return `${note}\n${head.trimEnd()}\n${mark}\n${lines}${end}\n${tail}`;
}

/** The text of `cutSteps`, at once. @internal */
export const cutResult = (text: string, maxBytes: number, note: string): string =>
  runAllSteps(cutSteps(text, maxBytes, note));

/** The kinds as lines within `maxBytes`: errors before warnings, in the text's order. */
function errorSection(kinds: readonly ErrorKind[], others: number, maxBytes: number): string {
  if (kinds.length === 0) return '';
  const longest = Math.max(SHORTEST_EXCERPT, Math.floor(maxBytes / kinds.length) - 40);
  const byWorth = [
    ...kinds.filter(({ level }) => level === 'error'),
    ...kinds.filter(({ level }) => level === 'warning'),
  ];
  const selected: ErrorKind[] = [];
  let bytes = 60;
  for (const kind of byWorth) {
    bytes += Buffer.byteLength(errorLine(kind, longest)) + 1;
    if (bytes > maxBytes) break;
    selected.push(kind);
  }
  const shown = selected.sort((a, b) => a.line - b.line).map((kind) => errorLine(kind, longest));
  const missing = kinds.length - selected.length;
  const rest = [
    ...(missing > 0 ? [`${missing} more kinds`] : []),
    ...(others > 0 ? [`${others} more lines`] : []),
  ].join(' and ');
  return [...shown, ...(rest === '' ? [] : [`(and ${rest})`])].join('\n');
}

function errorLine({ line, excerpt, count }: ErrorKind, longest: number): string {
  return `${line}: ${quoteText(excerpt, longest)}${count > 1 ? ` (${count} such lines)` : ''}`;
}

/** The start, up to the last line break in its second half if there is one. */
function pieceTo(bytes: Buffer, size: number): string {
  const end = boundaryBefore(bytes, Math.max(0, size));
  const lineBreak = bytes.lastIndexOf(10, end - 1);
  return bytes.toString('utf8', 0, lineBreak >= end / 2 ? lineBreak + 1 : end);
}

/** The end, from the first line break in its first half if there is one. */
function pieceFrom(bytes: Buffer, from: number): string {
  const start = boundaryAfter(bytes, from);
  const lineBreak = bytes.indexOf(10, start);
  const isNear = lineBreak !== -1 && lineBreak - start < (bytes.length - start) / 2;
  return bytes.toString('utf8', isNear ? lineBreak + 1 : start, bytes.length);
}

/** The numbers of the first and the last line that are not wholly in head or tail. */
function linesBetween(text: string, from: number, to: number): { first: number; last: number } {
  let first = 1;
  let last = 1;
  walkLines(text, ({ start, end, number }) => {
    if (start < to) last = number;
    if (end <= from) first = number + 1;
    return start < to;
  });
  return { first: Math.min(first, last), last };
}
