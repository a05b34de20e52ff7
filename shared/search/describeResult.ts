// The answer to a query as text, for models and for people.

import { quoteText } from '../text/cut.ts';
import { sessionReference } from '../text/sessionReference.ts';
import type { Knowledge } from './knowledge.ts';
import { QUERY_FORMS } from './parseQuery.ts';
import type { Hit, QueryResult } from './runQuery.ts';
import { chooseTrust, forPrompt } from './trust.ts';

/** Characters of a text where several entries are listed. */
const MAX_EXCERPT = 300;
const MAX_OPEN = 50;

/** The end of every answer without results. */
export const QUERY_HELP = `Queries: ${QUERY_FORMS.join('; ')}.`;

/** Headings of entries that no person confirmed. */
const UNCHECKED =
  'Earlier, unchecked: sessions left these entries, and no person confirmed them. They are a place to look first, and no evidence:';
const REFUTED = 'Refuted: a person rated the analyses of these sessions as wrong:';

/** The answer to a query, with or without results. Unconfirmed entries have their own heading. */
export function describeResult(result: QueryResult): string {
  switch (result.verb) {
    case 'lookup': {
      const missing = result.missing.length === 0 ? [] : [`Not found: ${result.missing.join(', ')}.`];
      if (result.found.length === 0)
        return [...missing, `FUZZY finds entries by similar words. ${QUERY_HELP}`].join(' ');
      const whole = byTrust(result.found, (entry) => entry).flatMap(({ heading, items }) => [
        ...heading,
        ...items.map((entry) => wholeEntry(forPrompt(entry))),
      ]);
      return [...whole, ...missing].join('\n\n');
    }
    case 'fuzzy':
      return describeHits(result.hits);
    case 'search': {
      const note = result.spelling === undefined ? '' : `(Compared by spelling: ${result.spelling})\n`;
      return note + describeHits(result.hits);
    }
    case 'traverse':
      return describeTraversal(result);
  }
}

function describeHits(hits: Hit[]): string {
  if (hits.length === 0) return `Nothing was found. ${QUERY_HELP}`;
  const lines = byTrust(hits, ({ entry }) => entry).flatMap(({ heading, items }) => [
    ...heading,
    ...items.map(({ entry, score }) => {
      const shown = forPrompt(entry);
      return `- ${formatHeadline(shown)}, ${score.toFixed(2)}\n  ${quoteEntryExcerpt(shown)}`;
    }),
  ]);
  const count = hits.length === 1 ? '1 entry' : `${hits.length} entries`;
  return [`${count}, the nearest first. LOOKUP shows one whole.`, ...lines].join('\n');
}

/** What stands behind an entry in a traversal, whose lines keep the order of its links. */
const MARKS = {
  confirmed: '',
  unreviewed: ' (earlier, unchecked)',
  corroborated: ' (earlier, unchecked)',
  refuted: ' (refuted by a person)',
  expired: '',
};

/** Confirmed, unchecked and refuted entries, in the order of `items`, each group with a heading. */
function byTrust<T>(
  items: readonly T[],
  entryOf: (item: T) => Knowledge,
): { heading: string[]; items: T[] }[] {
  const groups: [string[], T[]][] = [
    [[], []],
    [[UNCHECKED], []],
    [[REFUTED], []],
  ];
  for (const item of items) {
    const trust = chooseTrust(entryOf(item));
    groups[trust === 'confirmed' ? 0 : trust === 'refuted' ? 2 : 1]?.[1].push(item);
  }
  return groups.filter(([, own]) => own.length > 0).map(([heading, own]) => ({ heading, items: own }));
}

function describeTraversal({
  key,
  depth,
  reached,
  open,
  missing,
  isCut,
}: Extract<QueryResult, { verb: 'traverse' }>): string {
  if (reached.length === 0) return `Not found: ${key}. FUZZY finds entries by similar words. ${QUERY_HELP}`;
  const lines = reached.map(({ entry, depth: distance, via }) => {
    const how =
      via === null ? '' : ` <- ${sessionReference(via.key)}${via.type === null ? '' : ` (${via.type})`}`;
    return `${'  '.repeat(distance)}- ${formatHeadline(forPrompt(entry))}${MARKS[chooseTrust(entry)]}${how}`;
  });
  const links = open
    .slice(0, MAX_OPEN)
    .map(({ from, key: to, type }) => [[from, to].map(sessionReference).join(' -> '), type] as const)
    .map(([link, type]) => (type === null ? link : `${link} (${type})`));
  const left = open.length > MAX_OPEN ? `, and ${open.length - MAX_OPEN} more` : '';
  return [
    depth === 0
      ? `Plan: DEPTH 1 would follow ${open.length} links of ${key}.`
      : `From ${key}, depth ${depth}:`,
    ...lines,
    ...(links.length === 0 ? [] : [`Links that were not followed: ${links.join(', ')}${left}.`]),
    ...(missing.length === 0
      ? []
      : [`Named by links and not there: ${missing.map(sessionReference).join(', ')}.`]),
    ...(isCut
      ? ['There are more entries than one traversal reads: follow fewer types, or begin elsewhere.']
      : []),
    'LOOKUP shows an entry whole.',
  ].join('\n');
}

/** An entry with its labels, links and text. */
export function wholeEntry(
  entry: Pick<Knowledge, 'key' | 'kind' | 'title' | 'labels' | 'links' | 'text'>,
): string {
  const { labels, links, text } = entry;
  const named = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const linked = links.map(({ key, type }) => (type === null ? key : `${key} (${type})`));
  return [
    formatHeadline(entry),
    ...(named.length === 0 ? [] : [`labels: ${named.join(', ')}`]),
    ...(linked.length === 0 ? [] : [`links: ${linked.join(', ')}`]),
    ...(text === '' ? [] : ['', text]),
  ].join('\n');
}

function formatHeadline({ key, kind, title }: Pick<Knowledge, 'key' | 'kind' | 'title'>): string {
  return `${key} (${kind}): ${title}`;
}

function quoteEntryExcerpt({ text }: Knowledge): string {
  return quoteText(text.replace(/\s+/g, ' ').trim(), MAX_EXCERPT);
}
