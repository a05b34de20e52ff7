// Finds the tool of an answer that has an Action Input and no Action header: `Action` without its colon, or in another case.

import type { Section } from './sections.ts';
import { cleanName } from './values.ts';

/** `action input` in another case is not the word that is looked for. */
const ACTION_WORD = /\baction\b(?!\s+input\b)/gi;
const TOOL_NAME = /^[\w-]+\.[\w-]+$/;

export interface Recovered {
  name: string;
  /** Index of the section that held the word, and its text before the word. */
  section: number;
  textBefore: string;
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
