// What a section says, without the markdown a model likes to put around it.

import type { Section } from './sections.ts';

const FENCE = '```';
/** A fence with its language; the language must end where the value begins. */
const OPENING_FENCE = /^`{3,}(?:[A-Za-z][\w+-]*(?=[\s{[]|$))?/;

const FENCE_LINE = /^`{3,}[\w+-]*$/;
/** `action input` in another case is not the word that is looked for. */
const ACTION_WORD = /\baction\b(?!\s+input\b)/gi;
const TOOL_NAME = /^[\w-]+\.[\w-]+$/;

/** A tool that was found, and where. */
export interface Recovered {
  name: string;
  /** Index of the section that held the word, and its text before the word. */
  section: number;
  textBefore: string;
}

/** The text of a thought. */
export function plainText(section: Section): string {
  return section.lines.join('\n').trim();
}

/** The tool's name: the first line, without code marks, emphasis, quotes and the full stop of its sentence. */
export function toolName(section: Section): string {
  for (const line of section.lines) {
    const name = cleanName(line);
    if (name !== '' && !FENCE_LINE.test(line.trim())) return name;
  }
  return '';
}

/** One line as a tool's name. */
function cleanName(line: string): string {
  return trimCharacters(line, ' \t`*"\'', ' \t`*"\'.,;:!?');
}

/** The arguments as they were written: inner line breaks and indentation stay, fences and back-ticks around go. */
export function inputText(section: Section): string {
  const [first = '', ...rest] = section.lines;
  return unfenced(first.trim() === '' ? blockText(rest) : blockText([first.trimStart(), ...rest], false));
}

function unfenced(text: string): string {
  if (text.startsWith(FENCE)) return fencedText(text);
  const lines = text.split('\n');
  // The end of a fence that was opened before the whole answer.
  const strayFence = lines.at(-1)?.trim() === FENCE && !lines.slice(0, -1).some(isFence);
  return unquoted(strayFence ? lines.slice(0, -1).join('\n').trimEnd() : text);
}

/** What stands in the fence; what follows it is no part of the value. */
function fencedText(text: string): string {
  const [first = '', ...rest] = text.replace(OPENING_FENCE, '').split('\n');
  const end = rest.findIndex(isFence);
  const body = end === -1 ? rest : rest.slice(0, end);
  const lines = first.trim() === '' ? body : [first.trimStart(), ...body];
  const value = blockText(lines, first.trim() === '');
  const isClosed = end !== -1 || !value.endsWith(FENCE);
  return isClosed ? value : value.slice(0, -FENCE.length).trimEnd();
}

function isFence(line: string): boolean {
  return line.trimStart().startsWith(FENCE);
}

/** Without single back-ticks around, unless there are more inside. */
function unquoted(text: string): string {
  if (!text.startsWith('`') || !text.endsWith('`')) return text;
  const inner = trimCharacters(text, '`', '`');
  return inner.includes('`') ? text : inner.trim();
}

/** Lines without blank ones around them and, with `dedent`, without the indentation they share. */
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

/** A loop and not a pattern: patterns that end in `+$` take quadratic time. */
function trimCharacters(text: string, atStart: string, atEnd: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && atStart.includes(text.charAt(start))) start += 1;
  while (end > start && atEnd.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Looks back from the first Action Input for the last word `Action`. The first line after it (the rest of its own line
 * counts) that is exactly `server.tool` is the tool.
 */
export function recoverAction(sections: readonly Section[]): Recovered | undefined {
  const end = sections.findIndex(({ name }) => name === 'actionInput');
  for (let index = end - 1; index >= 0; index -= 1) {
    const text = sections[index]?.lines.join('\n') ?? '';
    const word = [...text.matchAll(ACTION_WORD)].at(-1);
    if (word === undefined) continue;
    const following = [
      ...text.slice(word.index + word[0].length).split('\n'),
      ...sections.slice(index + 1, end).flatMap(({ lines }) => lines),
    ];
    const name = following.map(withoutColon).find((line) => TOOL_NAME.test(line));
    return name === undefined ? undefined : { name, section: index, textBefore: text.slice(0, word.index) };
  }
  return undefined;
}

function withoutColon(line: string): string {
  const name = cleanName(line);
  return name.startsWith(':') ? cleanName(name.slice(1)) : name;
}
