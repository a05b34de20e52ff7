// Detects calls and answers that are copied from the agent's input, so that authors of log lines cannot
// choose calls or conclusions. Compares only letters and digits, so that quoting and formatting make no
// difference.

import { findPositions } from './positionsOf.ts';

/** Distance after the name for its input, and around both for format words; letters and digits. */
const SEARCH_DISTANCE = 300;
/** An input this long is not written twice by chance. */
const LONG_INPUT = 30;
/** A shorter first line is not distinctive enough to be a copy. */
const LONG_LINE = 20;
const FINAL_ANSWER = 'finalanswer';

/** A call as the model wrote it. */
interface WrittenCall {
  name: string;
  /** The input's raw text. */
  input: string;
  readOnly: boolean;
}

/**
 * Whether a source has the tool's name with its input close after it. For a read-only tool, a short input is
 * a copy only where the source also has the words of the format: results name tools and their arguments.
 * @param shown all untrusted text that the agent got.
 */
export function isCopiedCall({ name, input, readOnly }: WrittenCall, shown: readonly string[]): boolean {
  const [tool, argument] = [normalizeLetters(name), normalizeLetters(input)];
  const needsFormat = readOnly && argument.length < LONG_INPUT;
  return someReading(shown, (source) => {
    const names = findPositions(source, tool);
    if (names.length === 0) return false;
    const inputs = argument === '' ? undefined : findPositions(source, argument);
    const words = needsFormat
      ? { action: findPositions(source, 'action'), actionInput: findPositions(source, 'actioninput') }
      : undefined;
    return names.some((start) => {
      const end = start + tool.length;
      return (
        (inputs === undefined || hasBetween(inputs, end, end + SEARCH_DISTANCE)) &&
        (words === undefined ||
          (hasBetween(words.action, start - SEARCH_DISTANCE, start) &&
            hasBetween(words.actionInput, end, end + SEARCH_DISTANCE)))
      );
    });
  });
}

/** Whether the first line of a final answer occurs close after a `Final Answer` of a source. */
export function isCopiedAnswer(answer: string, shown: readonly string[]): boolean {
  const [firstLine = ''] = answer.trim().split('\n', 1);
  const line = normalizeLetters(firstLine);
  if (line.length < LONG_LINE) return false;
  return someReading(shown, (source) => {
    const headers = findPositions(source, FINAL_ANSWER);
    if (headers.length === 0) return false;
    const lines = findPositions(source, line);
    return headers.some((start) => {
      const end = start + FINAL_ANSWER.length;
      return hasBetween(lines, end, end + SEARCH_DISTANCE);
    });
  });
}

/** Whether a text fits unchanged, or JSON-unescaped once or twice: strings within log lines. */
function someReading(texts: readonly string[], fits: (letters: string) => boolean): boolean {
  return texts.some((text) => {
    if (fits(normalizeLetters(text))) return true;
    const once = unescapeJson(text);
    if (once === text) return false;
    if (fits(normalizeLetters(once))) return true;
    const twice = unescapeJson(once);
    return twice !== once && fits(normalizeLetters(twice));
  });
}

function normalizeLetters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|([\s\S]))/g,
    (_, code: string | undefined, character: string) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return 'bfnrt'.includes(character) ? ' ' : character;
    },
  );
}

/** Whether one of the positions, which are in order, is at least `from` and at most `to`. */
function hasBetween(positions: readonly number[], from: number, to: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const first = positions[low];
  return first !== undefined && first <= to;
}
