// Markdown of analyses as elements of `rich_text`: headings and strong text are bold, code is code. Everything else stays as it
// is written: links and mentions remain text. Pure.

import { cutToCharacters } from '../text/quote.ts';

/** An element of `rich_text`. */
type RichElement = Record<string, unknown> & { type: string };

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/;
const BULLET = /^(\s*)[-*+]\s+/;
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/** @param most characters of one element. Elements have never an empty text. */
export function richElements(markdown: string, most: number): RichElement[] {
  const elements: RichElement[] = [];
  let lines: string[] = [];
  let isCode = false;
  const close = () => {
    const text = lines.join('\n');
    if (text !== '')
      elements.push(...(isCode ? preformattedElements(text, most) : sectionElements(lines, most)));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    if (!FENCE.test(line)) {
      lines.push(line);
      continue;
    }
    close();
    isCode = !isCode;
  }
  close();
  return elements;
}

function preformattedElements(text: string, most: number): RichElement[] {
  return splitText(text, most).map((piece) => ({
    type: 'rich_text_preformatted',
    elements: [{ type: 'text', text: piece }],
  }));
}

function sectionElements(lines: readonly string[], most: number): RichElement[] {
  const elements = lines.flatMap((line, index) => [
    ...lineElements(line, most),
    ...(index < lines.length - 1 ? [{ type: 'text', text: '\n' }] : []),
  ]);
  return elements.length === 0 ? [] : [{ type: 'rich_text_section', elements }];
}

function lineElements(line: string, most: number): RichElement[] {
  const [, heading] = HEADING.exec(line) ?? [];
  if (heading) return styledElements(heading, { bold: true }, most);
  const text = line.replace(BULLET, '$1• ');
  const found: RichElement[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    found.push(...styledElements(text.slice(from, match.index), undefined, most));
    const [whole, code, bold] = match;
    found.push(
      ...styledElements(code ?? bold ?? '', code === undefined ? { bold: true } : { code: true }, most),
    );
    from = match.index + whole.length;
  }
  return [...found, ...styledElements(text.slice(from), undefined, most)];
}

function styledElements(text: string, style: object | undefined, most: number): RichElement[] {
  return splitText(text, most).map((piece) => ({ type: 'text', text: piece, ...(style && { style }) }));
}

/** Pieces of at most `most` characters, cut between characters. */
export function splitText(text: string, most: number): string[] {
  const found: string[] = [];
  for (let left = text; left !== ''; ) {
    const piece = cutToCharacters(left, most);
    found.push(piece);
    left = left.slice(piece.length);
  }
  return found;
}
