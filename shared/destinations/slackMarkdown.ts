// Markdown of analyses as elements of `rich_text`: headings and strong text are bold, code is code.
// Everything else stays as it is written: links and mentions remain text. Pure.

import { splitText } from '../text/cut.ts';

/** An element of `rich_text`. */
type RichElement = Record<string, unknown> & { type: string };

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/;
const BULLET = /^(\s*)[-*+]\s+/;
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/**
 * @param most characters of one element. Elements have never an empty text.
 * @param room the styled texts and blocks of code that are left; text behind them stays as it is written.
 */
export function richElements(markdown: string, most: number, room: { styles: number }): RichElement[] {
  const elements: RichElement[] = [];
  let lines: string[] = [];
  let isCode = false;
  const close = () => {
    const text = lines.join('\n');
    if (text !== '')
      elements.push(...(isCode ? preformattedElements(text, most) : sectionElements(lines, most, room)));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    if (!FENCE.test(line) || (!isCode && --room.styles < 0)) {
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
  return splitText(text, most, 'characters').map((piece) => ({
    type: 'rich_text_preformatted',
    elements: [{ type: 'text', text: piece }],
  }));
}

interface Run {
  text: string;
  style?: object;
}

function sectionElements(lines: readonly string[], most: number, room: { styles: number }): RichElement[] {
  const runs: Run[] = [];
  const add = (run: Run) => {
    const last = runs.at(-1);
    // Few elements: their containers count against the limit of Slack.
    if (last !== undefined && last.style === undefined && run.style === undefined) last.text += run.text;
    else if (run.text !== '') runs.push({ ...run });
  };
  lines.forEach((line, index) => {
    lineRuns(line, room).forEach(add);
    if (index < lines.length - 1) add({ text: '\n' });
  });
  const elements = runs.flatMap(({ text, style }) =>
    splitText(text, most, 'characters').map((piece) => ({
      type: 'text',
      text: piece,
      ...(style && { style }),
    })),
  );
  return elements.length === 0 ? [] : [{ type: 'rich_text_section', elements }];
}

function lineRuns(line: string, room: { styles: number }): Run[] {
  const [, heading] = HEADING.exec(line) ?? [];
  if (heading && --room.styles >= 0) return [{ text: heading, style: { bold: true } }];
  const text = line.replace(BULLET, '$1• ');
  const found: Run[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (--room.styles < 0) break;
    const [whole, code, bold] = match;
    found.push({ text: text.slice(from, match.index) });
    found.push({ text: code ?? bold ?? '', style: code === undefined ? { bold: true } : { code: true } });
    from = match.index + whole.length;
  }
  return [...found, { text: text.slice(from) }];
}
