// Reads texts of sections without models' markdown: thoughts, and inputs as written.

import { closesFence, opensFence } from './fences.ts';
import type { Section } from './sections.ts';
import { trimCharacters } from './trimCharacters.ts';

/** A fence with an optional language, which must end at the start of the value. */
const OPENING_FENCE = /^(`{3,}|~{3,})(?:[A-Za-z][\w+-]*(?=[\s{[]|$))?/;

/** The text of a thought or of a final answer. */
export function plainText(section: Section): string {
  return section.lines.join('\n').trim();
}

/** The arguments as written, with breaks and indentation, without fences and back-ticks. */
export function inputText(section: Section): string {
  const [first = '', ...rest] = section.lines;
  return removeFence(first.trim() === '' ? blockText(rest) : blockText([first.trimStart(), ...rest], false));
}

/** The value inside the fence at its start, without text after the fence. Other text loses its back-ticks. */
export function removeFence(text: string): string {
  const marks = OPENING_FENCE.exec(text);
  if (marks !== null) return fencedText(text.slice(marks[0].length), marks[1] ?? '');
  const lines = text.split('\n');
  // The end of a fence that was opened before the whole answer.
  const isStray = /^(?:`{3,}|~{3,})$/.test(lines.at(-1)?.trim() ?? '');
  const isOnly = isStray && !lines.slice(0, -1).some((line) => opensFence(line) !== undefined);
  return removeBackticks(isOnly ? lines.slice(0, -1).join('\n').trimEnd() : text);
}

function fencedText(text: string, marks: string): string {
  const fence = { character: marks.charAt(0), length: marks.length };
  const [first = '', ...rest] = text.split('\n');
  const end = rest.findIndex((line) => closesFence(fence, line));
  const body = end === -1 ? rest : rest.slice(0, end);
  const lines = first.trim() === '' ? body : [first.trimStart(), ...body];
  const value = blockText(lines, first.trim() === '');
  const isClosed = end !== -1 || !value.endsWith(marks);
  return isClosed ? value : value.slice(0, -marks.length).trimEnd();
}

/** Removes back-ticks around the text, unless there are more inside. */
function removeBackticks(text: string): string {
  if (!text.startsWith('`') || !text.endsWith('`')) return text;
  const inner = trimCharacters(text, '`', '`');
  return inner.includes('`') ? text : inner.trim();
}

/** The lines as text, without blank lines around, with `dedent` without shared indentation. */
function blockText(lines: string[], dedent = true): string {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start === -1) return '';
  const block = lines.slice(start);
  const shared = dedent ? sharedIndentation(block) : 0;
  return block
    .map((line) => line.slice(shared))
    .join('\n')
    .trimEnd();
}

function sharedIndentation(lines: string[]): number {
  return lines.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, line.length - line.trimStart().length)),
    Number.POSITIVE_INFINITY,
  );
}
