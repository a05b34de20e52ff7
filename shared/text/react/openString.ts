// Follows the object in an Action Input line by line: whether a string in it is open at the end of a line.

import { objectStart } from './inputPrefix.ts';

/** Follows one Action Input. */
interface StringScanner {
  /** Reads the next line of the input. */
  add(line: string): void;
  /** Whether a string of the object is open, so that the next line belongs to it. */
  isOpen(): boolean;
}

const QUOTES = '"\'';
/** Characters before a quote that opens a string, in addition to white space. */
const BEFORE_STRING = ',:=([{';
/** Characters after a quote that closes a string, in addition to the end of the line. */
const AFTER_STRING = ',:}]#';

/** A scanner for one input. Inputs that do not start with an object have no open strings. */
export function createStringScanner(): StringScanner {
  let state: 'blank' | 'object' | 'done' = 'blank';
  let depth = 0;
  let quote = '';

  function scanLine(line: string, from: number): void {
    for (let index = from; index < line.length && state === 'object'; index += 1) {
      const character = line.charAt(index);
      if (quote !== '') {
        if (character === '\\') index += 1;
        else if (character === quote && closesString(line, index)) quote = '';
      } else if (QUOTES.includes(character)) {
        if (opensString(line, index)) quote = character;
      } else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth <= 0) state = 'done';
      }
    }
  }

  return {
    add(line) {
      if (state === 'object') scanLine(line, 0);
      if (state !== 'blank' || line.trim() === '') return;
      const start = objectStart(line);
      state = start === undefined ? 'done' : 'object';
      if (start !== undefined) scanLine(line, start);
    },
    isOpen: () => state === 'object' && quote !== '',
  };
}

function opensString(line: string, index: number): boolean {
  const before = line.charAt(index - 1);
  return before.trim() === '' || BEFORE_STRING.includes(before);
}

function closesString(line: string, index: number): boolean {
  for (let next = index + 1; next < line.length; next += 1) {
    const character = line.charAt(next);
    if (character.trim() !== '') return AFTER_STRING.includes(character);
  }
  return true;
}
