// The text of a knowledge base entry that is compared with a query. Pure.

import { cutText } from '../text/cut.ts';
import { type Knowledge, MAX_TRIGRAMS } from './knowledge.ts';
import { compareTrigrams, listTrigrams } from './trigrams.ts';

/** Characters of a text that FUZZY compares, by line; its trigrams come from these, too. */
const COMPARED = 8_000;
const MAX_LINES = 100;
const MAX_LINE = 200;

type Described = Pick<Knowledge, 'key' | 'title' | 'labels' | 'text'>;

/** The trigrams by which an entry is found, those of its key and title first. */
export function entryTrigrams(entry: Described): string[] {
  return listTrigrams(splitEntryPieces(entry).join('\n'), MAX_TRIGRAMS);
}

/** The full text about an entry's subject, as a model embeds it. */
export function wholeText({ title, labels, text }: Described): string {
  return [title, ...Object.entries(labels).map(([name, value]) => `${name}: ${value}`), text].join('\n');
}

/** The similarity of a query to the most similar piece of an entry: key, title, label, or line. */
export function computeLikeness(query: ReadonlySet<string>, entry: Described): number {
  return Math.max(
    0,
    ...splitEntryPieces(entry).map((piece) => compareTrigrams(query, new Set(listTrigrams(piece)))),
  );
}

function splitEntryPieces({ key, title, labels, text }: Described): string[] {
  const lines = cutText(text, COMPARED)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [
    key,
    title,
    ...Object.entries(labels).map(([name, value]) => `${name} ${value}`),
    ...lines.slice(0, MAX_LINES).map((line) => cutText(line, MAX_LINE)),
  ];
}
