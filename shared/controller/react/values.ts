// Reads the values of sections: thought, tool name and arguments, without the markdown models put around them.

import type { Section } from './sections.ts';

const FENCE = '```';
/** A fence with an optional language, which must end where the value begins. */
const OPENING_FENCE = /^`{3,}(?:[A-Za-z][\w+-]*(?=[\s{[]|$))?/;
const FENCE_LINE = /^`{3,}[\w+-]*$/;
/** The word `Action` in any case, but not as part of `Action Input`. */
const ACTION_WORD = /\baction\b(?!\s+input\b)/gi;
const TOOL_NAME = /^[\w-]+\.[\w-]+$/;

/** What `recoverAction` found. */
interface RecoveredAction {
  /** The tool. */
  name: string;
  /** Index of the section with the word `Action`. */
  section: number;
  /** The text of that section before the word. */
  textBefore: string;
}

/** The text of a thought. */
export function plainText(section: Section): string {
  return section.lines.join('\n').trim();
}

/** The tool's name: the first line that is not empty, without code marks, emphasis, quotes and final punctuation. */
export function toolName(section: Section): string {
  for (const line of section.lines) {
    const name = cleanName(line);
    if (name !== '' && !FENCE_LINE.test(line.trim())) return name;
  }
  return '';
}

function cleanName(line: string): string {
  return trimCharacters(line, ' \t`*"\'', ' \t`*"\'.,;:!?');
}

/** The arguments as they were written, with line breaks and indentation, without fences and back-ticks around them. */
export function inputText(section: Section): string {
  const [first = '', ...rest] = section.lines;
  return removeFence(first.trim() === '' ? blockText(rest) : blockText([first.trimStart(), ...rest], false));
}

function removeFence(text: string): string {
  if (text.startsWith(FENCE)) return fencedText(text);
  const lines = text.split('\n');
  // The end of a fence that was opened before the whole answer.
  const strayFence = lines.at(-1)?.trim() === FENCE && !lines.slice(0, -1).some(isFence);
  return removeBackticks(strayFence ? lines.slice(0, -1).join('\n').trimEnd() : text);
}

/** The text inside a fence; text after the fence is not part of the value. */
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

/** Removes back-ticks around the text, unless there are more inside. */
function removeBackticks(text: string): string {
  if (!text.startsWith('`') || !text.endsWith('`')) return text;
  const inner = trimCharacters(text, '`', '`');
  return inner.includes('`') ? text : inner.trim();
}

/** The lines as text, without blank lines around them and, with `dedent`, without the indentation they share. */
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

/** Removes characters at both ends. A loop, because patterns that end in `+$` take quadratic time. */
function trimCharacters(text: string, atStart: string, atEnd: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && atStart.includes(text.charAt(start))) start += 1;
  while (end > start && atEnd.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Finds the tool of an answer that has an Action Input but no Action header: models leave out the colon or change the
 * case. Looks back from the first Action Input for the last word `Action`; the first line after that word (the rest of
 * its own line counts) that is exactly `server.tool` is the tool.
 */
export function recoverAction(sections: readonly Section[]): RecoveredAction | undefined {
  const end = sections.findIndex(({ name }) => name === 'actionInput');
  for (let index = end - 1; index >= 0; index -= 1) {
    const text = sections[index]?.lines.join('\n') ?? '';
    const word = [...text.matchAll(ACTION_WORD)].at(-1);
    if (word === undefined) continue;
    const following = [
      ...text.slice(word.index + word[0].length).split('\n'),
      ...sections.slice(index + 1, end).flatMap(({ lines }) => lines),
    ];
    const name = following.map(cleanNameAfterColon).find((line) => TOOL_NAME.test(line));
    return name === undefined ? undefined : { name, section: index, textBefore: text.slice(0, word.index) };
  }
  return undefined;
}

function cleanNameAfterColon(line: string): string {
  const name = cleanName(line);
  return name.startsWith(':') ? cleanName(name.slice(1)) : name;
}
