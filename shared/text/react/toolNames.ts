// Reads which tool an action names, in the forms models write names in.

import { meansNoAction } from './absence.ts';
import { fencedLines, opensFence } from './fences.ts';
import type { Section } from './sections.ts';
import { trimCharacters } from './trimCharacters.ts';

/** Looks up the tool with exactly this name; undefined when there is none. */
export type FindTool = (name: string) => { readOnly: boolean } | undefined;

const NAME = '[\\w-]+\\.[\\w./-]*[\\w-]';
/** A name with an optional prefix, optionally followed by words in brackets or by a call's round brackets. */
const FORM = new RegExp(`^(?:functions\\.)?(${NAME})[\`*"']*\\s*(?:\\(.*\\)|\\[.*\\])?$`);
const IN_BRACKETS = /^(?:\[(.*)\]|\((.*)\)|<(.*)>)$/;
const PLAIN_NAME = new RegExp(`^(?!functions\\.${NAME}$)${NAME}$`);

/** The word `Action` in any case, but not as part of `Action Input`. */
const ACTION_WORD = /\baction\b(?!\s+input\b)/gi;
const RECOVERABLE_NAME = /^[\w-]+\.[\w-]+$/;

/** Takes every name that looks like `server.tool` for a read-only tool: for readers who know no tools. */
export const anyTool: FindTool = (name) => (PLAIN_NAME.test(name) ? { readOnly: true } : undefined);

/**
 * The tool an action names: the first line that is not empty, without code marks, emphasis, quotes and final
 * punctuation. Where the whole line is a tool's name in one of the known forms, it is only that name. Empty
 * when the action means that no tool is called.
 */
export function toolName(section: Section, findTool: FindTool): string {
  for (const line of section.lines) {
    const name = cleanName(line);
    if (name === '' || opensFence(line) !== undefined) continue;
    if (meansNoAction(name)) return '';
    if (findTool(name) !== undefined) return name;
    const inner = nameInForm(name);
    return inner !== undefined && findTool(inner) !== undefined ? inner : name;
  }
  return '';
}

function nameInForm(text: string): string | undefined {
  const bracketed = IN_BRACKETS.exec(text)
    ?.slice(1)
    .find((inner) => inner !== undefined);
  return FORM.exec(bracketed === undefined ? text : cleanName(bracketed))?.[1];
}

function cleanName(line: string): string {
  return trimCharacters(line, ' \t`*"\'', ' \t`*"\'.,;:!?');
}

/** The result of `recoverAction`. */
interface RecoveredAction {
  /** The tool. */
  name: string;
  /** Index of the section with the word `Action`. */
  section: number;
  /** The text of that section before the word. */
  textBefore: string;
}

/**
 * Finds the tool of an answer that has an Action Input but no Action header: models leave out the colon or
 * change the case. Looks back from the first Action Input for the last word `Action`; the first line after
 * that word (the rest of its own line counts) that is exactly `server.tool` is the tool, if that line stands
 * outside fences and the tool only reads: nothing is changed on a guess.
 */
export function recoverAction(sections: readonly Section[], findTool: FindTool): RecoveredAction | undefined {
  const end = sections.findIndex(({ name }) => name === 'actionInput');
  for (let index = end - 1; index >= 0; index -= 1) {
    const lines = sections[index]?.lines ?? [];
    const text = lines.join('\n');
    const word = [...text.matchAll(ACTION_WORD)].at(-1);
    if (word === undefined) continue;
    const textBefore = text.slice(0, word.index);
    const behind = text.slice(word.index + word[0].length).split('\n');
    const fenced = fencedLines(lines).slice(-behind.length);
    const following = [
      ...behind.map((line, at) => ({ line, isFenced: fenced[at] === true })),
      ...sections.slice(index + 1, end).flatMap(outsideOrInside),
    ];
    const found = following.find(({ line }) => RECOVERABLE_NAME.test(cleanNameAfterColon(line)));
    if (found === undefined || found.isFenced) return undefined;
    const name = cleanNameAfterColon(found.line);
    return findTool(name)?.readOnly === true ? { name, section: index, textBefore } : undefined;
  }
  return undefined;
}

function outsideOrInside({ lines }: Section): { line: string; isFenced: boolean }[] {
  const fenced = fencedLines(lines);
  return lines.map((line, at) => ({ line, isFenced: fenced[at] === true }));
}

function cleanNameAfterColon(line: string): string {
  const name = cleanName(line);
  return name.startsWith(':') ? cleanName(name.slice(1)) : name;
}
