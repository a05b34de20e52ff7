// The line of an entry that shows why it was found.

interface LinePart {
  text: string;
  isHit: boolean;
}

/** Characters that are shown of a line. */
const MAX_LINE = 240;
/** Shorter words stand in every line. */
const MIN_WORD = 3;

/** The first line with the most of the words; without any of them the first line with text. */
export function matchingLine(text: string, words: readonly string[]): LinePart[] {
  const lines = text
    .split('\n')
    .map(clean)
    .filter((line) => line !== '');
  const wanted = [...new Set(words)].filter((word) => word.length >= MIN_WORD);
  const count = (line: string) => wanted.filter((word) => line.toLowerCase().includes(word)).length;
  const counts = lines.map(count);
  const most = Math.max(0, ...counts);
  const line = lines[counts.indexOf(most)] ?? '';
  return splitMatches(cutAround(line, wanted), wanted);
}

/** The line without markdown marks at its start, of emphasis and of links. */
function clean(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>\s?|```.*$|[-=|:\s]+$)*/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .trim();
}

/** A long line from a little before the first word. */
function cutAround(line: string, words: readonly string[]): string {
  if (line.length <= MAX_LINE) return line;
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 40);
  const from = first === 0 ? 0 : line.indexOf(' ', first) + 1;
  const end = from + MAX_LINE < line.length ? '…' : '';
  return `${from > 0 ? '…' : ''}${line.slice(from, from + MAX_LINE).trimEnd()}${end}`;
}

function splitMatches(line: string, words: readonly string[]): LinePart[] {
  if (line === '') return [];
  if (words.length === 0) return [{ text: line, isHit: false }];
  const anyWord = new RegExp(`(${words.join('|')})`, 'gi');
  return line
    .split(anyWord)
    .map((text, index) => ({ text, isHit: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
